// SPDX-License-Identifier: Apache-2.0
// Server conversations: a route for each question.
#include "app/remote/server_conversations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/remote/server_feed.hpp"
#include "app/remote/shapes.hpp"
#include "base/json_writer.hpp"
#include "base/uuid.hpp"
#include "http/uri.hpp"

namespace convene {

namespace {

constexpr std::size_t rooms_page = 200;
constexpr std::size_t most_events_page = 500;
constexpr std::size_t most_remembered = 50'000;

std::string path_of(const room_id& room, std::string_view rest = "") {
    return fmt::format("/api/v1/rooms/{}{}", percent_encode(room.str()), rest);
}

api_request post(std::string path, json_text body) {
    api_request request;
    request.method = http_method::post;
    request.path = std::move(path);
    request.body = body.str();
    return request;
}

api_request get(std::string path) {
    api_request request;
    request.path = std::move(path);
    return request;
}

bool is_refused_as(const outcome<api_answer>& answer, std::string_view code) {
    return answer && answer->problem && answer->problem->code == code;
}

/// What an answer holds, or how the command ends.
template <class Value>
outcome<Value> read_answer(
    const outcome<api_answer>& answer,
    const server_address& server,
    std::string_view doing,
    checked<Value> (*read)(std::string_view object)
) {
    if (!answer) {
        return answer.error();
    }
    if (answer->problem) {
        return failure_of(*answer->problem, doing);
    }
    checked<Value> value = read(answer->body);
    if (!value) {
        return unknown_answer(value.error().field, server);
    }
    return std::move(*value);
}

checked<ops::dedupe_event_indices::answer> read_dedupe(std::string_view object) {
    answer_fields fields{object};
    ops::dedupe_event_indices::answer read;
    read.action = fields.text("action");
    read.duplicate_rows = fields.integer("duplicate_rows");
    read.affected_rooms = fields.integer("affected_rooms");
    read.now_unique = fields.flag("now_unique");
    if (fields.fault()) {
        return boundary_error{*fields.fault(), boundary_reason::malformed};
    }
    return read;
}

checked<std::string> read_version(std::string_view object) {
    answer_fields document{object};
    const json_text info = document.object("info");
    answer_fields fields{info.str()};
    std::string version = fields.text("version");
    if (document.fault() || fields.fault()) {
        return boundary_error{"info.version", boundary_reason::malformed};
    }
    return checked<std::string>{boost::system::in_place_value, std::move(version)};
}

std::string_view word_for(room_status to) {
    switch (to) {
        case room_status::active:
            return "/reopen";
        case room_status::paused:
            return "/pause";
        case room_status::closed:
            return "/close";
        case room_status::archived:
            break;
    }
    return "/archive";
}

}  // namespace

server_conversations::server_conversations(loop& where, server_address server)
    : client_(where, std::move(server)) {}

// -- reading ---------------------------------------------------------------------------------------

awaitable<outcome<room_page>> server_conversations::list_rooms(
    std::optional<room_status> status, std::string from
) {
    std::string path = fmt::format("/api/v1/rooms?oldest_first=true&limit={}", rooms_page);
    if (status) {
        path += fmt::format("&status={}", word_of(*status));
    }
    if (!from.empty()) {
        path += fmt::format("&cursor={}", percent_encode(from));
    }
    const auto answer = co_await client_.ask(get(std::move(path)));
    co_return read_answer(answer, client_.server(), "listing the rooms", read_room_page);
}

awaitable<outcome<room_context>> server_conversations::get_room(room_id id) {
    const auto answer = co_await client_.ask(get(path_of(id)));
    co_return read_answer(answer, client_.server(), "reading a room", read_room_context);
}

awaitable<outcome<std::optional<room_context>>> server_conversations::find_room_at(std::string path
) {
    const auto answer = co_await client_.ask(get(std::move(path)));
    if (is_refused_as(answer, "NOT_FOUND")) {
        co_return std::optional<room_context>{};
    }
    auto found = read_answer(answer, client_.server(), "looking for the room", read_room_context);
    if (!found) {
        co_return found.error();
    }
    co_return std::optional<room_context>{std::move(*found)};
}

awaitable<outcome<std::optional<room_context>>> server_conversations::look_up_room(std::string name
) {
    std::string path = "/api/v1/rooms?external_id=" + percent_encode(name);
    const auto answer = co_await client_.ask(get(std::move(path)));
    const auto named = read_answer(
        answer, client_.server(), "looking for the room", read_room_page
    );
    if (!named) {
        co_return named.error();
    }
    const room_id id = named->rooms.empty() ? room_id{std::move(name)} : named->rooms.front().id;
    auto found = co_await find_room_at(path_of(id));
    co_return found;
}

awaitable<outcome<event_page>> server_conversations::list_events(
    room_id of, event_index after, std::size_t limit
) {
    // Smaller from turn to turn: one event fits.
    for (std::size_t asked = std::min(limit, most_events_page);; asked = (asked + 1) / 2) {
        std::string path = path_of(
            of, fmt::format("/events?after_index={}&limit={}", after.value(), asked)
        );
        const auto answer = co_await client_.ask(get(std::move(path)));
        const bool is_too_large = !answer &&
                                  answer.error().reason == name_of(errc::payload_too_large);
        if (is_too_large && asked > 1) {
            continue;
        }
        auto page = read_answer(answer, client_.server(), "reading the room", read_event_page);
        if (page) {
            std::ranges::for_each(page->events, [this](const room_event& e) { remember(e); });
        }
        co_return page;
    }
}

awaitable<outcome<index_map>> server_conversations::find_indexes(
    room_id of, std::vector<event_id> ids
) {
    index_map known;
    for (const event_id& id : ids) {
        if (const place* const seen = recall(id)) {
            if (seen->room == of) {
                known.insert_or_assign(id.str(), seen->index);
            }
            continue;
        }
        const auto found = co_await find_index(of, id);
        if (!found) {
            co_return found.error();
        }
        if (*found) {
            known.insert_or_assign(id.str(), **found);
        }
    }
    co_return known;
}

awaitable<outcome<std::optional<event_index>>> server_conversations::find_index(
    room_id of, event_id id
) {
    std::string path = path_of(of, "/events/" + percent_encode(id.str()));
    const auto answer = co_await client_.ask(get(std::move(path)));
    if (is_refused_as(answer, "NOT_FOUND")) {
        co_return std::optional<event_index>{};
    }
    const auto event = read_answer(answer, client_.server(), "reading the room", read_event);
    if (!event) {
        co_return event.error();
    }
    remember(*event);
    co_return std::optional{event->index};
}

std::unique_ptr<event_feed> server_conversations::follow(const room& followed, event_index after) {
    return std::make_unique<server_feed>(client_, path_of(followed.id, "/stream"), followed, after);
}

awaitable<void> server_conversations::close() { co_return; }

void server_conversations::remember(const room_event& seen) {
    if (recent_.size() >= most_remembered) {
        older_ = std::exchange(recent_, {});
    }
    recent_.insert_or_assign(seen.id, place{seen.room, seen.index});
}

const server_conversations::place* server_conversations::recall(const event_id& id) const {
    for (const auto* remembered : {&recent_, &older_}) {
        if (const auto found = remembered->find(id); found != remembered->end()) {
            return &found->second;
        }
    }
    return nullptr;
}

// -- writing ---------------------------------------------------------------------------------------

awaitable<outcome<room_context>> server_conversations::create_room(
    room wanted, std::vector<participant> participants
) {
    const std::string name = wanted.external_id;
    const auto answer = co_await client_.ask(post("/api/v1/rooms", body_of(wanted, participants)));
    // The name is what makes the request repeatable: a room that has it is the one that an answer that got lost
    // was about, or one that somebody else made at this moment.
    if (is_refused_as(answer, "ALREADY_EXISTS") && !name.empty()) {
        auto found = co_await look_up_room(name);
        if (!found) {
            co_return found.error();
        }
        if (*found) {
            co_return std::move(**found);
        }
    }
    co_return read_answer(answer, client_.server(), "making the room", read_room_context);
}

awaitable<outcome<>> server_conversations::add_participant(participant joining) {
    std::string path = path_of(joining.room, "/participants");
    const auto answer = co_await client_.ask(post(std::move(path), body_of(joining)));
    if (!answer) {
        co_return answer.error();
    }
    if (answer->problem && answer->problem->code != "ALREADY_EXISTS") {
        co_return failure_of(*answer->problem, "adding the speaker to the room");
    }
    co_return outcome<>{};
}

awaitable<outcome<send_receipt>> server_conversations::send_event(
    outgoing_event sent, wait_for until
) {
    if (sent.idempotency_key.empty()) {
        sent.idempotency_key = make_uuid7(system_wall_clock().now(), client_.random());
    }
    const std::string_view wait = until == wait_for::committed ? "committed" : "delivered";
    std::string path = path_of(sent.room, fmt::format("/events?wait={}", wait));
    const auto answer = co_await client_.ask(post(std::move(path), body_of(sent)));
    co_return read_answer(answer, client_.server(), "sending", read_receipt);
}

awaitable<outcome<>> server_conversations::set_room_status(room_id id, room_status to) {
    api_request request;
    request.method = http_method::post;
    request.path = path_of(id, word_for(to));
    const auto answer = co_await client_.ask(std::move(request));
    if (!answer) {
        co_return answer.error();
    }
    if (answer->problem) {
        co_return failure_of(*answer->problem, "changing the room's status");
    }
    co_return outcome<>{};
}

awaitable<outcome<>> server_conversations::start() { co_return outcome<>{}; }

awaitable<outcome<std::int64_t>> server_conversations::settle() { co_return std::int64_t{0}; }

awaitable<void> server_conversations::stop() { co_return; }

// -- operation -------------------------------------------------------------------------------------

awaitable<outcome<ops::dedupe_event_indices::answer>> server_conversations::repair_indexes(
    repair_mode mode
) {
    json_writer body;
    body.begin_object();
    body.key("dry_run").boolean(mode == repair_mode::dry_run);
    body.end_object();
    api_request request = post("/api/v1/admin/events/dedupe", body.take());
    // A second repair would find nothing to do, and say so.
    request.lost = mode == repair_mode::apply ? when_lost::give_up : when_lost::repeat;
    const auto answer = co_await client_.ask(std::move(request));
    co_return read_answer(answer, client_.server(), "looking for duplicates", read_dedupe);
}

awaitable<outcome<std::string>> server_conversations::version() {
    const auto answer = co_await client_.ask(get("/api/openapi.json"));
    co_return read_answer(answer, client_.server(), "asking for the version", read_version);
}

}  // namespace convene
