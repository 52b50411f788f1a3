// SPDX-License-Identifier: Apache-2.0
// Tab socket: reading what the tab says, the tasks of its topics, and one writer.
#include "http/stream/tab_socket.hpp"

#include <utility>

#include "base/json_writer.hpp"
#include "http/attachment_access.hpp"
#include "http/room_access.hpp"
#include "http/sending.hpp"
#include "http/stream/principal_view.hpp"
#include "http/stream/tail_frames.hpp"
#include "http/unread.hpp"
#include "http/view/event_view.hpp"

namespace convene {

namespace {

constexpr std::size_t outbox_budget = 256U * 1024U;  ///< bytes; one message more may wait
constexpr std::size_t most_topics = 200;
constexpr std::size_t most_sending = 64;
constexpr std::chrono::milliseconds store_rest{1'000};
/// How often access is looked at: it ends within 5 s (R18).
constexpr std::chrono::milliseconds access_interval{2'000};
/// A room in a flood is told about so often, not for each message.
constexpr std::chrono::milliseconds between_counts{250};
constexpr std::uint16_t going_away = 1001;
constexpr std::uint16_t policy = 1008;
constexpr std::uint16_t bad_message = 4400;
constexpr std::uint16_t too_slow = 4408;

constexpr std::string_view socket_path = "/api/v1/ws";
constexpr std::string_view room_prefix = "room:";
constexpr std::string_view inbox_topic = "me";

const schema& message_schema() {
    static const schema made = schema::input(
        "TabMessage",
        {required(
             "type", schema::word("", {"subscribe", "unsubscribe", "send", "realtime", "ping"})
         ),
         optional("topic", schema::text({1, 300})),
         optional("after", schema::text({1, 64})),
         optional("ref", schema::text({1, 128})),
         optional("room_id", schema::id()),
         optional("event", schema::any_object())}
    );
    return made;
}

const schema& shown_schema() {
    static const schema made = schema::input(
        "TabRealtime",
        {required(
             "type", schema::word("", {"typing", "presence", "reaction", "read_receipt", "custom"})
         ),
         optional("data", schema::any_object())}
    );
    return made;
}

std::string simple_message(std::string_view type, std::string_view key, std::string_view value) {
    json_writer out;
    out.begin_object();
    out.key("type").string(type);
    if (!value.empty()) {
        out.key(key).string(value);
    }
    out.end_object();
    return out.take().str();
}

/// News of the inbox; without a room: there may be more than is known.
std::string inbox_message(std::string_view type, const room_id& room) {
    json_writer out;
    out.begin_object();
    out.key("type").string(type);
    out.key("topic").string(inbox_topic);
    out.key("room_id").string(room.str());
    out.end_object();
    return out.take().str();
}

std::string realtime_message(std::string_view topic, const realtime_event& event) {
    json_writer out;
    out.begin_object();
    out.key("type").string("realtime");
    out.key("topic").string(topic);
    out.key("event").begin_object();
    out.key("type").string(word_of(event.type));
    out.key("participant_id").string(event.participant.str());
    out.key("data").json(event.data);
    out.key("at").string(format_rfc3339(event.at));
    out.end_object();
    out.end_object();
    return out.take().str();
}

}  // namespace

tab_socket::tab_socket(stream_parts parts, principal who, std::string id, websocket* socket)
    : parts_(parts),
      who_(std::move(who)),
      id_(std::move(id)),
      socket_(*socket),
      tasks_(*parts.where) {}

tab_socket::~tab_socket() = default;

awaitable<void> tab_socket::run() {
    json_writer hello;
    hello.begin_object();
    hello.key("type").string("hello");
    hello.key("user_id").string(who_.user);
    hello.key("connection_id").string(id_);
    hello.key("heartbeat_seconds").integer(parts_.heartbeat / std::chrono::seconds{1});
    hello.end_object();
    say(hello.take().str());

    tasks_.spawn("tab.write", write_all());
    tasks_.spawn("tab.send", send_all());
    tasks_.spawn("tab.drain", watch_drain());
    tasks_.spawn("tab.access", watch_access());
    co_await cancelled_by(&ended_, listen());

    for (auto& [topic, followed] : topics_) {
        followed->tasks.request_stop();
    }
    tasks_.request_stop();
    for (auto& [topic, followed] : topics_) {
        co_await shielded(followed->tasks.join());
    }
    co_await shielded(tasks_.join());
    if (goodbye_) {
        std::string reason = goodbye_->reason;
        co_await shielded(socket_.close(goodbye_->code, std::move(reason)));
    }
}

// ---- what the peer says ----------------------------------------------------------------------------------

awaitable<void> tab_socket::listen() {
    // Ends: the peer goes, is cut off, or the worker goes away.
    for (;;) {
        auto text = co_await socket_.read();
        if (!text) {
            co_return;
        }
        const bool goes_on = co_await handle(*std::move(text));
        if (!goes_on || goodbye_) {
            co_return;
        }
        // Answers that nobody reads are not piled up.
        const result<> taken = co_await until_room();
        if (!taken) {
            co_return;
        }
    }
}

awaitable<bool> tab_socket::handle(std::string text) {
    const or_problem<read_object> message = read_object::parse(&message_schema(), text);
    if (!message) {
        leave(bad_message, "no such message");
        co_return false;
    }
    const std::string type = message->text("type").value_or("");
    const std::string ref = message->text("ref").value_or("");
    const std::string topic = message->text("topic").value_or("");
    const room_id room{message->text("room_id").value_or("")};
    if (type == "ping") {
        say(simple_message("pong", "ref", ref));
    } else if (type == "subscribe") {
        co_await subscribe(topic, message->text("after").value_or(""), ref);
    } else if (type == "unsubscribe") {
        co_await unsubscribe(topic);
    } else if (type == "send") {
        start_sending({ref, room, message->json("event").value_or(json_text{}).str()});
    } else {
        publish(room, message->json("event").value_or(json_text{}).str(), ref);
    }
    co_return true;
}

awaitable<void> tab_socket::subscribe(std::string topic, std::string after, std::string ref) {
    const bool is_room = topic.starts_with(room_prefix) && topic.size() > room_prefix.size();
    if (!is_room && topic != inbox_topic) {
        say_problem(validation_problem("topic", boundary_reason::unknown_value), ref, topic);
        co_return;
    }
    if (const auto known = topics_.find(topic); known != topics_.end() && known->second->is_over) {
        co_await forget(topic);
    }
    if (topics_.contains(topic) || topics_.size() == most_topics) {
        say_problem(validation_problem("topic", boundary_reason::not_allowed_here), ref, topic);
        co_return;
    }
    auto followed = std::make_unique<following>(*parts_.where);
    if (is_room) {
        room_id room{topic.substr(room_prefix.size())};
        followed->tasks.spawn("tab.room", follow_room(topic, std::move(room), std::move(after)));
    } else {
        followed->tasks.spawn("tab.inbox", follow_inbox());
    }
    topics_.emplace(std::move(topic), std::move(followed));
}

awaitable<void> tab_socket::unsubscribe(std::string topic) {
    co_await forget(topic);
    say(simple_message("unsubscribed", "topic", topic));
}

awaitable<void> tab_socket::forget(std::string topic) {
    const auto found = topics_.find(topic);
    if (found == topics_.end()) {
        co_return;
    }
    const std::unique_ptr<following> gone = std::move(found->second);
    topics_.erase(found);
    gone->tasks.request_stop();
    co_await shielded(gone->tasks.join());
    if (topic.starts_with(room_prefix)) {
        rooms_entered_.erase(room_id{topic.substr(room_prefix.size())});
    }
}

void tab_socket::start_sending(sending wanted) {
    if (to_send_.size() == most_sending) {
        say_problem(problem_of(errc::overloaded), wanted.ref, {});
        return;
    }
    to_send_.push_back(std::move(wanted));
    send_wanted_.set();
}

/// To rooms that the tab follows: it was looked at there whether it may.
void tab_socket::publish(const room_id& room, std::string event, const std::string& ref) {
    const or_problem<read_object> shown = read_object::parse(&shown_schema(), event);
    if (!shown) {
        say_problem(shown.error(), ref, {});
        return;
    }
    if (!rooms_entered_.contains(room) || !who_.is_user()) {
        say_problem(not_found_problem(), ref, {});
        return;
    }
    realtime_event published;
    published.organization = who_.organization;
    published.room = room;
    published.type = realtime_type_from(*shown->text("type")).value_or(realtime_type::custom);
    published.participant = participant_id{who_.user};
    published.data = shown->json("data").value_or(json_text{});
    published.at = parts_.clock->now();
    parts_.realtime->publish(std::move(published));
}

// ---- rooms -----------------------------------------------------------------------------------------------

/// Follows until the topic is left; else its end is told, and then it may be asked for again.
awaitable<void> tab_socket::follow_room(std::string topic, room_id room, std::string after) {
    co_await read_room(topic, room, std::move(after));
    rooms_entered_.erase(room);
    if (const auto own = topics_.find(topic); own != topics_.end()) {
        own->second->is_over = true;
        own->second->tasks.request_stop();
    }
}

awaitable<void> tab_socket::read_room(std::string topic, room_id room, std::string after) {
    tail_request request;
    request.organization = who_.organization;
    request.room = room;
    request.view = make_principal_view(&parts_.kit->store(), parts_.who, who_);
    if (!after.empty()) {
        request.after = tail_position::parse(after);
        if (!request.after) {
            say_problem(validation_problem("after", boundary_reason::malformed), {}, topic);
            co_return;
        }
    }
    auto reader = co_await parts_.tails->open(std::move(request));
    if (!reader && reader.error() == errc::cancelled) {
        co_return;
    }
    if (!reader) {
        const bool is_hidden = reader.error() == errc::not_authorized;
        say_problem(is_hidden ? not_found_problem() : problem_of(reader.error()), {}, topic);
        co_return;
    }
    json_writer subscribed;
    subscribed.begin_object();
    subscribed.key("type").string("subscribed");
    subscribed.key("topic").string(topic);
    subscribed.key("position").string((*reader)->position().text());
    subscribed.end_object();
    say(subscribed.take().str());

    rooms_entered_.insert(room);
    if (const auto own = topics_.find(topic); own != topics_.end()) {
        own->second->tasks.spawn("tab.realtime", show_realtime(topic, room));
    }
    // Ends: with the topic, or with the room.
    for (;;) {
        const tail_position before = (*reader)->position();
        const auto page = co_await (*reader)->next(deadline::never());
        if (!page && page.error() == errc::cancelled) {
            co_return;
        }
        if (!page) {
            const result<> rested = co_await sleep_for(store_rest);
            if (!rested) {
                co_return;
            }
            continue;
        }
        tail_position at{page->after.epoch, before.index};
        for (const tail_item& item : page->items) {
            const bool has_index = item.index() < 2;
            at = has_index ? position_behind(item, at) : page->after;
            say(socket_message_of(item, topic, at));
            if (std::holds_alternative<tail_end>(item)) {
                co_return;
            }
        }
        const result<> taken = co_await until_room();
        if (!taken) {
            co_return;
        }
    }
}

awaitable<void> tab_socket::show_realtime(std::string topic, room_id room) {
    const auto shown = parts_.realtime->subscribe(who_.organization, room);
    for (participant_id& there : parts_.presence->present(who_.organization, room)) {
        say(realtime_message(
            topic, parts_.presence->notice(who_.organization, room, std::move(there), "online")
        ));
    }
    std::unique_ptr<presence_board::stay> stay;
    if (who_.is_user()) {
        stay = parts_.presence->enter(who_.organization, room, participant_id{who_.user});
    }
    // Ends: with the topic.
    for (;;) {
        const auto event = co_await shown->next(deadline::never());
        if (!event) {
            co_return;
        }
        if (has_room()) {
            say(realtime_message(topic, *event));
        }
    }
}

// ---- the inbox -------------------------------------------------------------------------------------------

awaitable<void> tab_socket::follow_inbox() {
    const inbox_scope scope = who_.sees_every_room() ? inbox_scope::every_room
                                                     : inbox_scope::own_rooms;
    const auto inbox = parts_.inbox->subscribe(who_.organization, participant_id{who_.user}, scope);
    say(simple_message("subscribed", "topic", inbox_topic));
    // Ends: with the topic.
    for (;;) {
        const auto news = co_await inbox->next();
        if (!news) {
            co_return;
        }
        if (news->may_have_missed) {
            // Of no room by name: the list is loaded again.
            say(inbox_message("rooms_changed", room_id{}));
        }
        for (const room_id& room : news->changed) {
            say(inbox_message("rooms_changed", room));
        }
        for (const room_id& room : news->driven) {
            say(inbox_message("session_changed", room));
        }
        for (const room_id& room : news->moved) {
            co_await tell_unread(room);
        }
        const result<> rested = co_await sleep_for(between_counts);
        if (!rested) {
            co_return;
        }
    }
}

awaitable<void> tab_socket::tell_unread(room_id room) {
    const or_problem<room_context> around = co_await enter(room);
    if (!around) {
        say(inbox_message("rooms_changed", room));
        co_return;
    }
    ops::count_unread request = unread_of(who_.user, *around);
    const auto counted = co_await parts_.kit->store().run(std::move(request));
    if (!counted) {
        co_return;  // the next message counts again
    }
    json_writer out;
    out.begin_object();
    out.key("type").string("unread");
    out.key("topic").string(inbox_topic);
    out.key("room_id").string(room.str());
    out.key("unread").integer(counted->unread);
    out.key("mentions").integer(counted->mentions);
    out.key("latest_index").integer(around->room.latest_index.value());
    out.end_object();
    say(out.take().str());
}

// ---- sending ---------------------------------------------------------------------------------------------

/// One after the other: what a person types stays in its order.
awaitable<void> tab_socket::send_all() {
    for (;;) {
        while (!to_send_.empty()) {
            sending next = std::move(to_send_.front());
            to_send_.pop_front();
            co_await send_one(std::move(next));
        }
        send_wanted_.reset();
        const result<> woken = co_await send_wanted_.wait();
        if (!woken) {
            co_return;
        }
    }
}

awaitable<void> tab_socket::send_one(sending wanted) {
    or_problem<room_context> around = co_await enter(wanted.room);
    if (!around) {
        say_problem(around.error(), wanted.ref, {});
        co_return;
    }
    const or_problem<read_object> body = read_object::parse(&new_event_schema(), wanted.event);
    if (!body) {
        say_problem(body.error(), wanted.ref, {});
        co_return;
    }
    or_problem<outgoing_event> sent = read_outgoing(who_, *around, *body);
    if (!sent) {
        say_problem(sent.error(), wanted.ref, {});
        co_return;
    }
    const or_problem<> named = co_await check_attachments(
        &parts_.kit->store(), who_, *around, sent->content
    );
    if (!named) {
        say_problem(named.error(), wanted.ref, {});
        co_return;
    }
    const auto receipt = co_await parts_.kit->send_event(*std::move(sent), wait_for::committed);
    if (!receipt) {
        say_problem(problem_of(receipt.error()), wanted.ref, {});
        co_return;
    }
    json_writer out;
    out.begin_object();
    out.key("type").string("sent");
    out.key("ref").string(wanted.ref);
    out.key("event");
    write_event(out, shown_event(receipt->event));
    out.key("replayed").boolean(receipt->is_replay);
    out.end_object();
    say(out.take().str());
}

/// The room, if this person may still see it.
awaitable<or_problem<room_context>> tab_socket::enter(room_id room) {
    auto now = co_await parts_.who->check_again(who_);
    if (!now) {
        if (now.error() == errc::not_authorized) {
            leave(policy, "signed out");
        }
        co_return problem_of(now.error());
    }
    auto around = co_await parts_.kit->get_room(who_.organization, std::move(room));
    if (!around) {
        co_return problem_of(around.error());
    }
    if (!may_see_room(*now, *around)) {
        co_return not_found_problem();
    }
    co_return *std::move(around);
}

// ---- what is written -------------------------------------------------------------------------------------

awaitable<void> tab_socket::write_all() {
    for (;;) {
        while (!outbox_.empty()) {
            std::string message = std::move(outbox_.front());
            outbox_.pop_front();
            outbox_bytes_ -= message.size();
            const result<> written = co_await socket_.write(std::move(message));
            if (!written) {
                if (written.error() == errc::timed_out) {
                    leave(too_slow, "too slow");
                }
                co_return;
            }
            if (has_room()) {
                outbox_drained_.notify_all();
            }
        }
        outbox_filled_.reset();
        const result<> woken = co_await outbox_filled_.wait();
        if (!woken) {
            co_return;
        }
    }
}

void tab_socket::say(std::string message) {
    outbox_bytes_ += message.size();
    outbox_.push_back(std::move(message));
    outbox_filled_.set();
}

bool tab_socket::has_room() const noexcept { return outbox_bytes_ < outbox_budget; }

awaitable<result<>> tab_socket::until_room() {
    while (!has_room()) {
        const result<> drained = co_await until_set(&outbox_drained_);
        if (!drained) {
            co_return drained.error();
        }
    }
    co_return result<>{};
}

void tab_socket::say_problem(const problem& what, std::string_view ref, std::string_view topic) {
    json_writer out;
    out.begin_object();
    out.key("type").string("problem");
    if (!ref.empty()) {
        out.key("ref").string(ref);
    }
    if (!topic.empty()) {
        out.key("topic").string(topic);
    }
    out.key("problem").json(json_text::trusted(answer_of(what, socket_path, id_).body));
    out.end_object();
    say(out.take().str());
}

/// Says good-bye once nothing is read or written any more.
void tab_socket::leave(std::uint16_t code, std::string reason) {
    if (!goodbye_) {
        goodbye_ = goodbye{code, std::move(reason)};
        ended_.request(errc::cancelled);
    }
}

/// Whatever the tab follows, and if it is nothing. A role that has changed changes what it may follow: it opens another
/// socket. While nobody can tell, everything stays.
awaitable<void> tab_socket::watch_access() {
    for (;;) {
        const result<> slept = co_await sleep_for(access_interval);
        if (!slept) {
            co_return;
        }
        const auto now = co_await parts_.who->check_again(who_);
        if (!now && now.error() == errc::not_authorized) {
            leave(policy, "signed out");
            co_return;
        }
        if (now && now->role != who_.role) {
            leave(going_away, "another role");
            co_return;
        }
    }
}

awaitable<void> tab_socket::watch_drain() {
    const result<> draining = co_await parts_.draining->wait();
    if (draining) {
        leave(going_away, "the server goes away");
    }
}

}  // namespace convene
