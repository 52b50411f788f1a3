// SPDX-License-Identifier: Apache-2.0
// What clients ask for, and how they make sure of an answer.
#include "sim/support/client.hpp"

#include "convene/wait.hpp"

#include <utility>

namespace convene {

namespace {

using namespace std::chrono_literals;

/// A client gives one worker that long before it asks another.
constexpr auto patience = 15s;
constexpr int most_tries = 200;

/// Whether a repetition could have another answer.
bool is_final_answer(error_code answer) {
    for (const errc refusal :
         {errc::room_closed,
          errc::event_deleted,
          errc::target_event_not_found,
          errc::not_authorized,
          errc::not_found,
          errc::idempotency_key_reused,
          errc::invalid_argument}) {
        if (answer == refusal) {
            return true;
        }
    }
    return false;
}

}  // namespace

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
      random_(around.world.random().fork()) {}

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
    if (choice < 6) {
        return close_and_reopen();
    }
    if (choice < 14) {
        return read_tail();
    }
    if (choice < 22 && !own_.empty()) {
        return change_own_event();
    }
    if (choice < 25 && !own_.empty()) {
        return delete_own_event();
    }
    outgoing_event sent = message_to(draw_room());
    return send_message(std::move(sent));
}

template <class T>
awaitable<result<T>> sim_client::call_until_known(sim_request<T> request) {
    for (int tries = 0; tries < most_tries; ++tries) {
        const std::size_t worker = cluster_.draw_serving();
        result<T> answer = errc::unavailable;
        if (worker != cluster_.size()) {
            const deadline until{where_.now() + patience};
            answer = co_await cluster_.call<T>(&where_, worker, request, until);
        }
        if (answer || is_final_answer(answer.error())) {
            co_return answer;
        }
        around_.world.note("{} is told '{}' and tries again", name_, answer.error().message());
        const result<> paused = co_await sleep_for(random_.skewed(5ms, 2s));
        static_cast<void>(paused);  // nobody cancels
    }
    around_.world.fail("O4: " + name_ + " never gets an answer");
    co_return errc::unavailable;
}

outgoing_event sim_client::message_to(const room_id& room) {
    static constexpr sim_word special[] = {
        sim_word::block,
        sim_word::modify,
        sim_word::inject,
        sim_word::slow,
        sim_word::nested,
        sim_word::echo
    };
    const bool is_special = random_.happens(per_mille{350});
    outgoing_event sent;
    sent.organization = organization;
    sent.room = room;
    sent.channel = around_.scenario.transports.front().id;
    sent.participant = participant_id{name_};
    sent.content = say(
        is_special ? special[random_.index(std::size(special))] : sim_word::plain, requests_
    );
    sent.idempotency_key = name_ + ":" + std::to_string(++requests_);
    return sent;
}

awaitable<void> sim_client::send_message(outgoing_event sent) {
    const wait_for until = random_.happens(per_mille{600}) ? wait_for::delivered
                                                           : wait_for::committed;
    around_.world.note("{} sends {} to {}", name_, sent.idempotency_key, sent.room.str());
    sim_request<send_receipt> request = [sent, until](room_kit* kit) {
        return kit->send_event(sent, until);
    };
    const auto receipt = co_await call_until_known<send_receipt>(std::move(request));
    if (receipt) {
        around_.world.note(
            "{} has {} at {} {}",
            name_,
            sent.idempotency_key,
            sent.room.str(),
            receipt->event.index.value()
        );
        around_.auditor.acknowledged(sent.room, sent.idempotency_key, *receipt);
        if (sent.type == event_type::message) {
            own_.push_back({sent.room, receipt->event.id});
        }
    } else {
        around_.auditor.refused(sent.room, sent.idempotency_key, receipt.error());
    }
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
    const auto deleted = co_await call_until_known<std::vector<event_id>>(std::move(request));
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

awaitable<void> sim_client::set_status(room_id room, room_status to) {
    sim_request<convene::room> request = [room, to](room_kit* kit) {
        return kit->set_room_status(organization, room, to);
    };
    const auto changed = co_await call_until_known<convene::room>(std::move(request));
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
        const auto events = co_await call_until_known<std::vector<room_event>>(std::move(request));
        if (!events || events->empty()) {
            co_return;
        }
        around_.auditor.tail_seen(room, after, *events);
        after = events->back().index;
    }
}

}  // namespace convene
