// SPDX-License-Identifier: Apache-2.0
// The routes of what is live: a room's stream, realtime events, the socket of a tab.
#include <memory>
#include <utility>

#include "base/uuid.hpp"
#include "http/room_access.hpp"
#include "http/stream/notice_stream.hpp"
#include "http/stream/principal_view.hpp"
#include "http/stream/sse.hpp"
#include "http/stream/stream_parts.hpp"
#include "http/stream/tab_socket.hpp"
#include "http/stream/tail_frames.hpp"

namespace convene {

namespace {

// ---- a room's stream -------------------------------------------------------------------------------------

bool has_ended(const tail_page& page) {
    return !page.items.empty() && std::holds_alternative<tail_end>(page.items.back());
}

/// Writes what comes until the reader leaves, access ends, or the worker goes away.
awaitable<void> follow(
    stream_parts parts, std::shared_ptr<tail_reader> reader, http_body_sink* sink
) {
    std::string first = sse_retry(*parts.random);
    result<> written = co_await sink->write(std::move(first));
    while (written) {
        const deadline heartbeat{parts.where->now() + parts.heartbeat};
        const auto page = co_await reader->next(heartbeat);
        if (!page && page.error() == errc::cancelled) {
            co_return;
        }
        // When the store is away for a while the reader waits on: its position is its own.
        const bool is_silent = !page || page->items.empty();
        std::string frames{is_silent ? std::string{sse_heartbeat()} : sse_frames_of(*page)};
        written = co_await sink->write(std::move(frames));
        if (page && has_ended(*page)) {
            co_return;
        }
        if (!page) {
            const result<> rested = co_await sleep_until(heartbeat);
            if (!rested) {
                co_return;
            }
        }
    }
}

/// Where to go on: `Last-Event-ID` of a browser that reconnects wins over the query it was opened with.
or_problem<std::optional<tail_position>> position_of(const route_call& call) {
    for (const char* name : {"last-event-id", "after"}) {
        const std::optional<std::string> text = call.text(name);
        if (!text) {
            continue;
        }
        const auto position = tail_position::parse(*text);
        if (!position) {
            return validation_problem(name, boundary_reason::malformed);
        }
        return position;
    }
    return std::optional<tail_position>{};
}

awaitable<handled> open_stream(stream_parts parts, route_call call) {
    or_problem<std::optional<tail_position>> after = position_of(call);
    if (!after) {
        co_return after.error();
    }
    tail_request request;
    request.organization = call.who.organization;
    request.room = call.room->room.id;
    request.after = *after;
    request.view = make_principal_view(&parts.kit->store(), parts.who, std::move(call.who));
    auto reader = co_await parts.tails->open(std::move(request));
    if (!reader) {
        co_return problem_of(reader.error());
    }
    std::shared_ptr<tail_reader> shared = *std::move(reader);

    http_stream stream = sse_stream();
    stream.produce = [parts, shared](http_body_sink* sink) { return follow(parts, shared, sink); };
    co_return http_answer{std::move(stream)};
}

// ---- realtime --------------------------------------------------------------------------------------------

schema realtime_schema() {
    return schema::input(
        "NewRealtimeEvent",
        {required(
             "type",
             schema::word(
                 "RealtimeType", {"typing", "presence", "reaction", "read_receipt", "custom"}
             )
         ),
         optional("data", schema::any_object(), "For `typing`: `{\"is_typing\": true}`"),
         optional("participant_id", schema::id(), "For tokens: who; a user is itself")}
    );
}

awaitable<handled> publish(stream_parts parts, route_call call) {
    const std::string who = call.body->text("participant_id").value_or(call.who.user);
    if (call.who.is_user() && who != call.who.user) {
        co_return forbidden_problem("a user speaks in its own name: leave out `participant_id`");
    }
    if (who.empty()) {
        co_return validation_problem("participant_id", boundary_reason::missing_field);
    }
    realtime_event event;
    event.organization = call.who.organization;
    event.room = call.room->room.id;
    event.type = realtime_type_from(*call.body->text("type")).value_or(realtime_type::custom);
    event.participant = participant_id{who};
    event.data = call.body->json("data").value_or(json_text{});
    event.at = parts.clock->now();
    parts.realtime->publish(std::move(event));
    http_response accepted;
    accepted.status = 202;
    co_return http_answer{std::move(accepted)};
}

// ---- the socket of a tab ---------------------------------------------------------------------------------

/// A page of another origin may open a socket to us, and the browser adds the cookie: what it may not do is lie
/// about where it comes from.
bool is_our_page(const http_request& request) {
    const auto origin = request.headers.find("origin");
    const auto host = request.headers.find("host");
    if (!origin || !host) {
        return false;
    }
    const std::size_t scheme = origin->find("://");
    return scheme != std::string_view::npos && origin->substr(scheme + 3) == *host;
}

awaitable<void> talk_in_tab(stream_parts parts, principal who, std::string id, websocket* socket) {
    tab_socket tab{parts, std::move(who), std::move(id), socket};
    co_await tab.run();
}

awaitable<handled> open_tab(stream_parts parts, route_call call) {
    if (!call.who.session.empty() && !is_our_page(call.request)) {
        co_return forbidden_problem("a browser opens this from the page of this server");
    }
    websocket_upgrade upgrade;
    upgrade.talk = [parts, who = std::move(call.who), id = std::move(call.request_id)](
                       websocket* socket
                   ) { return talk_in_tab(parts, who, id, socket); };
    co_return http_answer{std::move(upgrade)};
}

using stream_handler = awaitable<handled> (*)(stream_parts parts, route_call call);

route_handler on(stream_parts parts, stream_handler handle) {
    return [parts, handle](route_call call) { return handle(parts, std::move(call)); };
}

}  // namespace

std::vector<route> stream_routes(stream_parts parts) {
    std::vector<route> routes;

    route stream;
    stream.pattern = "/api/v1/rooms/{room_id}/stream";
    stream.operation = "stream_room";
    stream.summary = "What is committed in the room, as it happens (SSE)";
    stream.tag = "streams";
    stream.who = permission::room_member;
    stream.parameters = {
        query_parameter(
            "after", schema::text({1, 64}), "A position: the id of a frame; `-1` from the beginning"
        ),
        header_parameter("last-event-id", schema::text({1, 64}), "The same, as a browser sends it"),
    };
    stream.answers = {{200, "Frames", std::nullopt, "text/event-stream"}};
    stream.handle = on(parts, open_stream);
    routes.push_back(std::move(stream));
    routes.push_back(notice_stream_route(parts));

    route realtime;
    realtime.method = http_method::post;
    realtime.pattern = "/api/v1/rooms/{room_id}/realtime";
    realtime.operation = "publish_realtime";
    realtime.summary = "Shows something to who is there; it is not stored";
    realtime.tag = "streams";
    realtime.who = permission::room_member;
    realtime.body = realtime_schema();
    realtime.answers = {{202, "Shown", std::nullopt, ""}};
    realtime.handle = on(parts, publish);
    routes.push_back(std::move(realtime));

    route tab;
    tab.pattern = "/api/v1/ws";
    tab.operation = "open_socket";
    tab.summary = "The one socket of a browser tab (WebSocket)";
    tab.tag = "streams";
    tab.answers = {{101, "The socket is open", std::nullopt, ""}};
    tab.handle = on(parts, open_tab);
    routes.push_back(std::move(tab));
    return routes;
}

}  // namespace convene
