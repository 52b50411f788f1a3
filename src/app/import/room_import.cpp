// SPDX-License-Identifier: Apache-2.0
// Room import: open the room, pass what it holds, send the rest.
#include "app/import/room_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "app/delivery_files.hpp"
#include "app/room_lookup.hpp"
#include "base/hash.hpp"

namespace convene {

namespace {

/// Enough for one commit to take many; few enough for memory.
constexpr std::size_t most_in_flight = 32;
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

binding file_binding(const room_id& room, const std::filesystem::path& file) {
    binding attached;
    attached.room = room;
    attached.channel = delivery_files::id_of_all();
    attached.channel_type = "file";
    attached.kind = channel_kind::transport;
    attached.address = file.native();
    return attached;
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
    const result<> opened = co_await open();
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

awaitable<result<>> room_import::open() {
    auto found = co_await find_or_create();
    if (!found) {
        co_return found.error();
    }
    auto bound = co_await bind_file(std::move(*found));
    if (!bound) {
        co_return bound.error();
    }
    context_ = std::move(*bound);
    stored_.emplace(&into_.kit->store(), *context_);
    ++(is_new_ ? into_.report->counts.rooms_created : into_.report->counts.rooms_known);
    co_return result<>{};
}

awaitable<result<room_context>> room_import::find_or_create() {
    auto known = co_await look_up_room(&into_.kit->store(), into_.organization, given_.name);
    if (!known) {
        co_return known.error();
    }
    room_id id;
    if (*known) {
        id = (*known)->id;
    } else {
        auto created = co_await create();
        if (!created) {
            co_return created.error();
        }
        is_new_ = true;
        id = created->id;
    }
    auto context = co_await into_.kit->get_room(into_.organization, std::move(id));
    co_return context;
}

awaitable<result<room>> room_import::create() {
    room wanted;
    wanted.organization = into_.organization;
    wanted.external_id = given_.name;
    wanted.metadata = given_.metadata;
    std::vector<binding> bindings;
    if (into_.deliver_to) {
        bindings.push_back(file_binding(room_id{}, *into_.deliver_to));
    }
    auto created = co_await into_.kit->create_room(
        std::move(wanted), std::move(bindings), given_.participants
    );
    co_return created;
}

/// A room that was there before gets the file too, unless it has it.
awaitable<result<room_context>> room_import::bind_file(room_context found) {
    if (!into_.deliver_to) {
        co_return found;
    }
    const binding wanted = file_binding(found.room.id, *into_.deliver_to);
    const binding* const present = found.find_binding(wanted.channel);
    if (present != nullptr && present->address == wanted.address) {
        co_return found;
    }
    const auto attached = co_await into_.kit->attach_channel(into_.organization, wanted);
    if (!attached) {
        co_return attached.error();
    }
    auto context = co_await into_.kit->get_room(into_.organization, found.room.id);
    co_return context;
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
    const auto changed = co_await into_.kit->set_room_status(
        into_.organization, context_->room.id, given_.status
    );
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

awaitable<result<std::optional<transcript_event>>> room_import::next_stored() {
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
    const std::size_t allowed = refers ? 1 : most_in_flight;
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
awaitable<result<outgoing_event>> room_import::make_outgoing(transcript_event event) {
    outgoing_event sent;
    sent.organization = into_.organization;
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
    const auto receipt = co_await into_.kit->send_event(std::move(sent), until);
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

void room_import::give_up(std::int64_t line, error_code code) {
    import_problem why;
    why.whose = code == condition::caller_error ? import_problem::fault::of_the_line
                                                : import_problem::fault::of_the_database;
    why.line = line;
    why.field = "room";
    why.reason = code.category() == convene_category()
                     ? std::string{name_of(static_cast<errc>(code.value()))}
                     : std::string{"failed"};
    why.text = fmt::format("room '{}': {}", given_.name, code.message());
    give_up(std::move(why));
}

void room_import::fail_send(std::int64_t line, error_code code) {
    has_failed_send_ = true;
    give_up(line, code);
}

}  // namespace convene
