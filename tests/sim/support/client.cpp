// SPDX-License-Identifier: Apache-2.0
// What clients ask for, and how they make sure of an answer.
#include "sim/support/client.hpp"

#include "convene/wait.hpp"

#include <utility>

namespace convene {

namespace {

using namespace std::chrono_literals;

}  // namespace

bool is_final_answer(error_code answer) {
    for (const errc refusal :
         {errc::room_closed,
          errc::event_deleted,
          errc::target_event_not_found,
          errc::not_authorized,
          errc::not_found,
          errc::idempotency_key_reused,
          errc::already_exists,
          errc::invalid_argument}) {
        if (answer == refusal) {
            return true;
        }
    }
    return false;
}

const organization_id sim_client::organization{"org"};

sim_client::sim_client(
    sim_environment around,
    sim_cluster& cluster,
    sim_executor& where,
    std::string name,
    std::vector<room_id> rooms
)
    : around_(around),
      cluster_(cluster),
      where_(where),
      name_(std::move(name)),
      rooms_(std::move(rooms)),
      random_(around.world.random().fork()),
      calls_(around.world, cluster, where, random_, name_) {}

awaitable<void> sim_client::run() {
    for (int i = 0; i < around_.scenario.requests_per_client; ++i) {
        const result<> paused = co_await sleep_for(random_.skewed(0ms, 1s));
        static_cast<void>(paused);  // nobody cancels
        co_await do_something();
    }
    is_done_ = true;
}

awaitable<void> sim_client::do_something() {
    const int choice = random_.between(0, 99);
    if (choice < 5) {
        return close_and_reopen();
    }
    if (choice < 11) {
        return read_tail();
    }
    if (choice < 18 && !own_.empty()) {
        return change_own_event();
    }
    if (choice < 21 && !own_.empty()) {
        return delete_own_event();
    }
    if (choice < 26) {
        return mute_and_unmute();
    }
    if (choice < 29) {
        return patch_metadata();
    }
    if (choice < 32 && !around_.scenario.agents.empty()) {
        return greet_or_regenerate();
    }
    if (choice < 38) {
        return send_once();
    }
    if (choice < 50) {
        return receive_inbound();
    }
    outgoing_event sent = message_to(draw_room());
    return send_message(std::move(sent));
}

sim_word sim_client::draw_word() {
    static constexpr sim_word special[] = {
        sim_word::block,
        sim_word::modify,
        sim_word::inject,
        sim_word::slow,
        sim_word::nested,
        sim_word::echo,
        sim_word::forbid,
        sim_word::back
    };
    if (random_.happens(around_.scenario.lethal_messages)) {
        return random_.happens(per_mille{500}) ? sim_word::poison : sim_word::deadly;
    }
    const bool is_special = random_.happens(per_mille{350});
    return is_special ? special[random_.index(std::size(special))] : sim_word::plain;
}

wait_for sim_client::draw_wait() {
    return random_.happens(per_mille{600}) ? wait_for::delivered : wait_for::committed;
}

outgoing_event sim_client::message_to(const room_id& room) {
    outgoing_event sent;
    sent.organization = organization;
    sent.room = room;
    sent.channel = around_.scenario.transports.front().id;
    sent.participant = participant_id{name_};
    sent.content = say(draw_word(), requests_);
    sent.idempotency_key = name_ + ":" + std::to_string(++requests_);
    return sent;
}

void sim_client::note_answer(const std::string& key, const result<send_receipt>& receipt) {
    if (!receipt) {
        around_.auditor.refused(key, receipt.error());
        return;
    }
    const room_event& event = receipt->event;
    around_.world.note("{} has {} at {} {}", name_, key, event.room.str(), event.index.value());
    around_.auditor.acknowledged(key, *receipt);
    if (event.type == event_type::message && event.source.participant.str() == name_) {
        own_.push_back({event.room, event.id});
    }
}

awaitable<void> sim_client::send_message(outgoing_event sent) {
    around_.world.note("{} sends {} to {}", name_, sent.idempotency_key, sent.room.str());
    sim_request<send_receipt> request = [sent, until = draw_wait()](room_kit* kit) {
        return kit->send_event(sent, until);
    };
    const auto receipt = co_await calls_.until_known<send_receipt>(std::move(request));
    note_answer(sent.idempotency_key, receipt);
}

/// Without a key: whoever does not know the outcome may not repeat it, and the engine has to find out by itself.
awaitable<void> sim_client::send_once() {
    const std::size_t worker = cluster_.draw_serving();
    if (worker == cluster_.size()) {
        co_return;
    }
    outgoing_event sent = message_to(draw_room());
    const std::string words = "once " + sent.idempotency_key;
    sent.idempotency_key.clear();
    sent.content = content::text(words);
    around_.world.note("{} sends {} to {}", name_, words, sent.room.str());
    sim_request<send_receipt> request = [sent, until = draw_wait()](room_kit* kit) {
        return kit->send_event(sent, until);
    };
    const deadline until{where_.now() + client_calls::patience};
    const auto receipt = co_await cluster_.call<send_receipt>(&where_, worker, request, until);
    note_answer({}, receipt);
}

/// A message as a provider hands it in: into a known room, or wherever it is routed to.
awaitable<void> sim_client::receive_inbound() {
    inbound_message message;
    message.organization = organization;
    message.channel = around_.scenario.transports.front().id;
    message.sender = name_;
    message.content = say(draw_word(), requests_);
    message.idempotency_key = name_ + ":" + std::to_string(++requests_);
    if (random_.happens(per_mille{300})) {
        message.room = draw_room();
    }
    around_.world.note("{} brings in {}", name_, message.idempotency_key);
    sim_request<send_receipt> request = [message, until = draw_wait()](room_kit* kit) {
        return kit->process_inbound(message, until);
    };
    const auto receipt = co_await calls_.until_known<send_receipt>(std::move(request));
    note_answer(message.idempotency_key, receipt);
}

awaitable<void> sim_client::change_own_event() {
    const sent_event& target = own_[random_.index(own_.size())];
    outgoing_event sent = message_to(target.room);
    if (random_.happens(per_mille{500})) {
        sent.type = event_type::edit;
        sent.content = content::edit(target.event, content::text("plain edited"));
    } else {
        sent.type = event_type::remove;
        sent.content = content::remove(target.event, delete_kind::sender);
    }
    return send_message(std::move(sent));
}

awaitable<void> sim_client::delete_own_event() {
    const sent_event target = own_[random_.index(own_.size())];
    around_.world.note("{} erases {}", name_, target.event.str());
    sim_request<std::vector<event_id>> request = [target](room_kit* kit) {
        return kit->delete_event(organization, target.room, target.event);
    };
    const auto deleted = co_await calls_.until_known<std::vector<event_id>>(std::move(request));
    static_cast<void>(deleted);  // somebody may have been faster
}

awaitable<void> sim_client::close_and_reopen() {
    const room_id room = draw_room();
    const bool is_archived = random_.happens(per_mille{300});
    const room_status ended = is_archived ? room_status::archived : room_status::closed;
    co_await set_status(room, ended);
    const result<> paused = co_await sleep_for(random_.skewed(0ms, 3s));
    static_cast<void>(paused);  // nobody cancels
    co_await set_status(room, room_status::active);
}

/// A change of the room's configuration: commits that were decided before it have to be decided again.
awaitable<void> sim_client::mute_and_unmute() {
    const room_id room = draw_room();
    const auto& agents = around_.scenario.agents;
    const channel_id muted = agents.empty() ? around_.scenario.transports.front().id
                                            : agents.front().id;
    sim_request<binding> mute = [room, muted](room_kit* kit) {
        return kit->mute_channel(organization, room, muted);
    };
    const auto was_muted = co_await calls_.until_known<binding>(std::move(mute));
    static_cast<void>(was_muted);  // it is there: nobody detaches it
    const result<> paused = co_await sleep_for(random_.skewed(0ms, 500ms));
    static_cast<void>(paused);  // nobody cancels
    sim_request<binding> unmute = [room, muted](room_kit* kit) {
        return kit->unmute_channel(organization, room, muted);
    };
    const auto was_unmuted = co_await calls_.until_known<binding>(std::move(unmute));
    static_cast<void>(was_unmuted);
}

awaitable<void> sim_client::patch_metadata() {
    const auto patch = json_text::parse(R"({"topic":"weather"})");
    sim_request<convene::room> request = [room = draw_room(), patch = *patch](room_kit* kit) {
        return kit->patch_room_metadata(organization, room, patch, {});
    };
    const auto patched = co_await calls_.until_known<convene::room>(std::move(request));
    if (!patched) {
        around_.world.fail("R3: metadata can't be patched: " + patched.error().message());
    }
}

/// These have no key, so that a client that does not know the outcome may not repeat them.
awaitable<void> sim_client::greet_or_regenerate() {
    const std::size_t worker = cluster_.draw_serving();
    if (worker == cluster_.size()) {
        co_return;
    }
    const room_id room = draw_room();
    const channel_id agent = around_.scenario.agents.front().id;
    const bool greets = random_.happens(per_mille{500});
    sim_request<send_receipt> request = [room, agent, greets](room_kit* kit) {
        return greets ? kit->send_greeting(organization, room, agent, say(sim_word::plain, 0))
                      : kit->regenerate_response(organization, room);
    };
    const deadline until{where_.now() + client_calls::patience};
    const auto receipt = co_await cluster_.call<send_receipt>(&where_, worker, request, until);
    static_cast<void>(receipt);  // what became of it is the auditor's to see
}

awaitable<void> sim_client::set_status(room_id room, room_status to) {
    sim_request<convene::room> request = [room, to](room_kit* kit) {
        return kit->set_room_status(organization, room, to);
    };
    const auto changed = co_await calls_.until_known<convene::room>(std::move(request));
    if (!changed) {
        around_.world.fail("R4: the status of a room can't be set: " + changed.error().message());
    }
}

awaitable<void> sim_client::read_tail() {
    const room_id room = draw_room();
    event_index after;
    for (int page = 0; page < 100; ++page) {
        ops::list_events read;
        read.organization = organization;
        read.room = room;
        read.after = after;
        read.limit = 5;
        sim_request<std::vector<room_event>> request = [read](room_kit* kit) {
            return kit->store().run(read);
        };
        const auto events = co_await calls_.until_known<std::vector<room_event>>(std::move(request)
        );
        if (!events || events->empty()) {
            co_return;
        }
        around_.auditor.tail_seen(room, after, *events);
        after = events->back().index;
    }
}

}  // namespace convene
