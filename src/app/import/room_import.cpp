// SPDX-License-Identifier: Apache-2.0
// Room import: open the room, pass what it holds, send the rest.
#include "app/import/room_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/hash.hpp"

namespace convene {

namespace {

constexpr std::size_t most_queued = 256;

constexpr std::size_t longest_key = boundary_limits{}.max_id_bytes;

/// The same for every import of the same event: what was sent twice is stored once.
std::string key_of(const std::string& room, event_index position) {
    const auto key = [position](std::string_view name) {
        return fmt::format("import:{}:{}", name, position.value());
    };
    std::string plain = key(room);
    return plain.size() <= longest_key ? plain : key(to_hex(sha256(room)));
}

/// The event that an edit or a deletion changes: its position stands in place of the id. None if it is none.
event_index target_of(const transcript_event& change) {
    const std::string text = change.content.target_event().value_or(event_id{}).str();
    std::int64_t position = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    return is_number ? event_index{position} : event_index::none();
}

import_problem out_of_order(std::int64_t line, event_index expected) {
    import_problem why;
    why.line = line;
    why.field = "n";
    why.reason = "out_of_order";
    why.text = fmt::format("the room's next event is {}", expected.value());
    return why;
}

import_problem different(std::int64_t line, const std::string& room, event_index position) {
    import_problem why;
    why.line = line;
    why.field = "content";
    why.reason = "differs";
    why.text = fmt::format("room '{}' holds something else as event {}", room, position.value());
    return why;
}

import_problem blocked(std::int64_t line, const room_event& event) {
    import_problem why;
    why.line = line;
    why.field = "room";
    why.reason = "blocked";
    why.text = fmt::format("refused by {}: {}", event.blocked_by, event.block_reason);
    return why;
}

}  // namespace

room_import::room_import(const import_target* into, transcript_room room, std::int64_t line)
    : into_(*into), given_(std::move(room)), line_(line), sends_(*into->where) {}

// -- what comes in ---------------------------------------------------------------------------------

awaitable<result<>> room_import::put(transcript_event event, std::int64_t line) {
    while (queue_.size() >= most_queued) {
        const result<> waited = co_await changed_.wait();
        if (!waited) {
            co_return waited;
        }
    }
    queue_.push_back({std::move(event), line});
    changed_.notify_all();
    co_return result<>{};
}

void room_import::end() noexcept {
    has_ended_ = true;
    changed_.notify_all();
}

awaitable<std::optional<room_import::numbered_event>> room_import::take() {
    while (queue_.empty() && !has_ended_) {
        const result<> waited = co_await changed_.wait();
        if (!waited) {
            co_return std::nullopt;
        }
    }
    if (queue_.empty()) {
        co_return std::nullopt;
    }
    numbered_event next = std::move(queue_.front());
    queue_.pop_front();
    changed_.notify_all();
    co_return next;
}

awaitable<void> room_import::run() {
    const auto opened = co_await open();
    if (!opened) {
        give_up(line_, opened.error());
    }
    for (;;) {
        std::optional<numbered_event> next = co_await take();
        if (!next) {
            break;
        }
        if (!has_given_up_ && !into_.stop->is_requested()) {
            co_await import_next(std::move(*next));
        }
    }
    co_await finish();
}

// -- the room --------------------------------------------------------------------------------------

awaitable<outcome<>> room_import::open() {
    auto found = co_await find_or_create();
    if (found && into_.binder != nullptr) {
        found = co_await into_.binder->bind(std::move(*found));
    }
    if (!found) {
        co_return found.error();
    }
    context_ = std::move(*found);
    stored_.emplace(into_.reader, *context_);
    ++(is_new_ ? into_.report->counts.rooms_created : into_.report->counts.rooms_known);
    co_return outcome<>{};
}

awaitable<outcome<room_context>> room_import::find_or_create() {
    auto known = co_await into_.reader->look_up_room(given_.name);
    if (!known) {
        co_return known.error();
    }
    if (*known) {
        co_return std::move(**known);
    }
    room wanted;
    wanted.external_id = given_.name;
    wanted.metadata = given_.metadata;
    is_new_ = true;
    auto created = co_await into_.writer->create_room(std::move(wanted), given_.participants);
    co_return created;
}

/// The room ends as its transcript does. It is never reopened: who closed it since had a reason.
awaitable<void> room_import::finish() {
    if (held_back_) {
        numbered_event last = *std::exchange(held_back_, std::nullopt);
        co_await send(std::move(last), wait_for::delivered);
    }
    co_await sends_.join();
    const bool is_complete = context_ && !has_given_up_ && !into_.stop->is_requested();
    const bool has_to_change = is_complete && given_.status != room_status::active &&
                               context_->room.status == room_status::active;
    if (!has_to_change) {
        co_return;
    }
    const auto changed = co_await into_.writer->set_room_status(context_->room.id, given_.status);
    if (!changed) {
        give_up(line_, changed.error());
    }
}

// -- one event after the other ---------------------------------------------------------------------

awaitable<void> room_import::import_next(numbered_event next) {
    if (next.event.position != expected_) {
        give_up(out_of_order(next.line, expected_));
        co_return;
    }
    expected_ = expected_.next();

    const auto stored = co_await next_stored();
    if (!stored) {
        give_up(next.line, stored.error());
        co_return;
    }
    if (!*stored) {
        std::optional<numbered_event> previous = std::exchange(held_back_, std::move(next));
        if (previous) {
            co_await send(std::move(*previous), wait_for::committed);
        }
        co_return;
    }
    if (is_same_event(**stored, next.event)) {
        ++into_.report->counts.events_known;
        co_return;
    }
    give_up(different(next.line, given_.name, next.event.position));
}

awaitable<outcome<std::optional<transcript_event>>> room_import::next_stored() {
    // A new room holds nothing that was not sent from here.
    if (is_new_ || is_past_stored_) {
        co_return std::optional<transcript_event>{};
    }
    if (stored_page_.empty()) {
        auto page = co_await stored_->next_page();
        if (!page) {
            co_return page.error();
        }
        std::ranges::move(*page, std::back_inserter(stored_page_));
    }
    if (stored_page_.empty()) {
        is_past_stored_ = true;
        co_return std::optional<transcript_event>{};
    }
    std::optional<transcript_event> first = std::move(stored_page_.front());
    stored_page_.pop_front();
    co_return first;
}

awaitable<void> room_import::send(numbered_event next, wait_for until) {
    // What others refer to has to be stored before they are sent.
    const bool refers = next.event.parent || is_change(next.event);
    const std::size_t allowed = refers ? 1 : into_.writer->most_in_flight();
    co_await until_fewer_in_flight_than(allowed);
    auto sent = co_await make_outgoing(std::move(next.event));
    if (!sent) {
        fail_send(next.line, sent.error());
    }
    // What comes behind a message that is missing must not take its place.
    if (has_failed_send_) {
        co_return;
    }
    ++in_flight_;
    sends_.spawn("turn of " + given_.name, send_one(std::move(*sent), next.line, until));
}

/// Positions become the ids that the events got here.
awaitable<outcome<outgoing_event>> room_import::make_outgoing(transcript_event event) {
    outgoing_event sent;
    sent.room = context_->room.id;
    sent.participant = participant_id{event.speaker};
    sent.type = event.type;
    sent.correlation_id = event.correlation_id;
    sent.idempotency_key = key_of(given_.name, event.position);
    sent.visible_to = event.visibility;
    sent.addressed_to = event.addressed_to;
    sent.response_visibility = event.response_visibility;
    sent.metadata = event.metadata;
    sent.content = event.content;
    if (event.parent) {
        const auto parent = co_await stored_->event_at(*event.parent);
        if (!parent) {
            co_return parent.error();
        }
        sent.parent = parent->id;
    }
    if (is_change(event)) {
        const auto target = co_await stored_->event_at(target_of(event));
        if (!target) {
            co_return target.error();
        }
        sent.content = with_target(event.content, target->id.str());
    }
    co_return sent;
}

awaitable<void> room_import::send_one(outgoing_event sent, std::int64_t line, wait_for until) {
    const auto receipt = co_await into_.writer->send_event(std::move(sent), until);
    if (!receipt) {
        fail_send(line, receipt.error());
    } else if (receipt->event.status == event_status::blocked) {
        has_failed_send_ = true;
        give_up(blocked(line, receipt->event));
    } else {
        ++(receipt->is_replay ? into_.report->counts.events_known
                              : into_.report->counts.events_added);
    }
    --in_flight_;
    changed_.notify_all();
}

awaitable<void> room_import::until_fewer_in_flight_than(std::size_t count) {
    while (in_flight_ >= count) {
        const result<> waited = co_await changed_.wait();
        if (!waited) {
            co_return;
        }
    }
}

// -- the end of a room that can't go on ------------------------------------------------------------

void room_import::give_up(import_problem why) {
    if (!std::exchange(has_given_up_, true)) {
        into_.report->add(std::move(why));
    }
}

void room_import::give_up(std::int64_t line, const failure& what) {
    import_problem why;
    why.whose = what.ends_with == exit_code::refused ? import_problem::fault::of_the_line
                                                     : import_problem::fault::of_the_database;
    why.line = line;
    why.field = "room";
    why.reason = what.reason.empty() ? "failed" : what.reason;
    why.text = fmt::format("room '{}': {}", given_.name, what.text);
    give_up(std::move(why));
}

void room_import::fail_send(std::int64_t line, const failure& what) {
    has_failed_send_ = true;
    give_up(line, what);
}

}  // namespace convene
