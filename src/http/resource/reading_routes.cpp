// SPDX-License-Identifier: Apache-2.0
// How far somebody has read: markers and unread counts.
#include <algorithm>
#include <utility>

#include "base/json_writer.hpp"
#include "http/resource/resources.hpp"
#include "http/unread.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

const schema& marker_schema() {
    static const schema made = schema::object(
        "ReadMarker",
        {required("thread", schema::text(), "The thread's root; empty: the room"),
         required("reader", schema::text(), "A participant"),
         required("index", schema::integer({-1}), "-1: nothing read")}
    );
    return made;
}

schema marker_list_schema() {
    return schema::object("ReadMarkerList", {required("markers", schema::list(marker_schema()))});
}

schema new_marker_schema() {
    return schema::input(
        "NewReadMarker",
        {required("index", schema::integer({-1}), "The last event that was read"),
         optional("thread", schema::id()),
         optional("explicit", schema::boolean(), "true: may move back (\"mark as unread\")"),
         optional("reader", schema::id(), "For tokens: whose marker")}
    );
}

schema unread_schema() {
    return schema::object(
        "Unread",
        {required("unread", schema::integer({0}), "Visible messages by others, behind the marker"),
         required("mentions", schema::integer({0}), "Those among them that name the reader"),
         required("latest_index", schema::integer({-1}), "Of the room")}
    );
}

parameter reader_parameter() {
    return query_parameter("reader", schema::id(), "For tokens: which participant");
}

/// A user reads for itself; a token says for whom.
or_problem<std::string> reader_of(const principal& who, const std::optional<std::string>& named) {
    if (!who.is_user()) {
        if (!named) {
            return validation_problem("reader", boundary_reason::missing_field);
        }
        return *named;
    }
    if (named && *named != who.user) {
        return forbidden_problem("a user's markers are its own: leave out `reader`");
    }
    return who.user;
}

void write_marker(json_writer& out, const ops::read_marker& shown) {
    out.begin_object();
    out.key("thread").string(shown.thread);
    out.key("reader").string(shown.reader);
    out.key("index").integer(shown.index.value());
    out.end_object();
}

awaitable<handled> list_markers(resource_parts parts, route_call call) {
    const std::optional<std::string> named = call.text("reader");
    ops::list_read_markers request;
    request.organization = call.who.organization;
    request.room = call.room->room.id;
    if (call.who.is_user() || named) {
        const or_problem<std::string> reader = reader_of(call.who, named);
        if (!reader) {
            co_return reader.error();
        }
        request.reader = *reader;
    }
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object();
    out.key("markers").begin_array();
    for (const ops::read_marker& marker : *found) {
        write_marker(out, marker);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> put_marker(resource_parts parts, route_call call) {
    const read_object& body = *call.body;
    const or_problem<std::string> reader = reader_of(call.who, body.text("reader"));
    if (!reader) {
        co_return reader.error();
    }
    ops::put_read_marker request;
    request.organization = call.who.organization;
    request.room = call.room->room.id;
    request.marker.thread = body.text("thread").value_or("");
    request.marker.reader = *reader;
    request.marker.index = event_index{body.integer("index").value_or(-1)};
    request.may_rewind = body.boolean("explicit").value_or(false);
    const auto stored = co_await parts.kit->store().run(std::move(request));
    if (!stored) {
        co_return problem_of(stored.error());
    }
    parts.inbox->has_read(
        call.who.organization, call.room->room.id, participant_id{stored->reader}
    );
    json_writer out;
    write_marker(out, *stored);
    co_return json_answer(200, out.take());
}

awaitable<handled> count_unread(resource_parts parts, route_call call) {
    const or_problem<std::string> reader = reader_of(call.who, call.text("reader"));
    if (!reader) {
        co_return reader.error();
    }
    ops::count_unread request = unread_of(*reader, *call.room);
    request.thread = call.text("thread").value_or("");
    const auto counted = co_await parts.kit->store().run(std::move(request));
    if (!counted) {
        co_return problem_of(counted.error());
    }
    json_writer out;
    out.begin_object();
    out.key("unread").integer(counted->unread);
    out.key("mentions").integer(counted->mentions);
    out.key("latest_index").integer(call.room->room.latest_index.value());
    out.end_object();
    co_return json_answer(200, out.take());
}

route reading_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/rooms/{room_id}" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "reading";
    made.who = permission::room_member;
    return made;
}

}  // namespace

std::vector<route> reading_routes(resource_parts parts) {
    std::vector<route> routes;

    route listing = reading_route(
        http_method::get, "/read-markers", "list_read_markers", "How far one has read"
    );
    listing.parameters = {reader_parameter()};
    listing.answers = {{200, "By thread and reader", marker_list_schema()}};
    listing.handle = on(parts, list_markers);
    routes.push_back(std::move(listing));

    route putting = reading_route(
        http_method::put, "/read-markers", "put_read_marker", "Moves a marker, only forward"
    );
    putting.body = new_marker_schema();
    putting.answers = {{200, "Where it is now", marker_schema()}};
    putting.handle = on(parts, put_marker);
    routes.push_back(std::move(putting));

    route counting = reading_route(
        http_method::get, "/unread", "count_unread", "What one has not read"
    );
    counting.parameters = {
        query_parameter("thread", schema::id(), "Only in this thread"), reader_parameter()
    };
    counting.answers = {{200, "The counts", unread_schema()}};
    counting.handle = on(parts, count_unread);
    routes.push_back(std::move(counting));
    return routes;
}

}  // namespace convene
