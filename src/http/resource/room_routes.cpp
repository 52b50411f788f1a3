// SPDX-License-Identifier: Apache-2.0
// Rooms over HTTP: list, create, read, change, delete, and their states.
#include <algorithm>
#include <utility>

#include "base/canonical_json.hpp"
#include "base/field_path.hpp"
#include "channel/channel_registry.hpp"
#include "http/cursor.hpp"
#include "http/resource/bodies.hpp"
#include "http/resource/resources.hpp"
#include "http/room_access.hpp"
#include "http/uri.hpp"
#include "http/view/room_view.hpp"

namespace convene {

namespace {

/// The namespace of ids of rooms that were asked for with a key: the same key makes the same room.
constexpr std::string_view keyed_rooms = "5a1c6c0e-95e0-4a0f-9d0b-3e7c7d1d2f11";

const schema& responses_schema() {
    static const schema made = schema::word(
        "AgentResponsePolicy", {"agent_chain", "addressed_only"}
    );
    return made;
}

schema new_room_schema() {
    return schema::input(
        "NewRoom",
        {optional("id", schema::id(), "Left out: made"),
         optional("external_id", schema::text({0, 256}), "Unique in the organisation"),
         optional("name", schema::text({0, 500}), "The same as `metadata.name`"),
         optional("metadata", schema::any_object()),
         optional("timers", room_timers_schema()),
         optional("responses", responses_schema()),
         optional("channels", schema::list(new_binding_schema(), 100), "Left out: `web`"),
         optional("participants", schema::list(new_participant_schema(), 1000))}
    );
}

schema room_patch_schema() {
    return schema::input(
        "RoomPatch",
        {optional("name", schema::text({0, 500}), "Empty: none"),
         optional(
             "metadata", schema::any_object(), "Keys are replaced, those that are `null` removed"
         ),
         optional("timers", room_timers_schema(), "What is left out stays"),
         optional("responses", responses_schema())}
    );
}

schema room_list_schema() {
    return schema::object(
        "RoomList",
        {required("rooms", schema::list(room_schema())),
         required("next_cursor", schema::text().or_null(), "`null` at the end")}
    );
}

agent_response_policy responses_from(const std::string& word) {
    return word == "agent_chain" ? agent_response_policy::agent_chain
                                 : agent_response_policy::addressed_only;
}

void read_timer(std::optional<seconds>* timer, const read_object& body, std::string_view name) {
    if (const auto value = body.integer(name)) {
        *timer = seconds{*value};
    } else if (body.is_null(name)) {
        timer->reset();
    }
}

room_timers read_timers(const read_object& body, room_timers before) {
    read_timer(&before.inactive_after, body, "inactive_after_seconds");
    read_timer(&before.closed_after, body, "closed_after_seconds");
    return before;
}

/// Metadata with the name in it.
json_text with_name(const json_text& metadata, const std::string& name) {
    json_writer out;
    out.begin_object();
    for (const json_member& member : members_of(metadata.str())) {
        if (member.key != "name") {
            out.key(decode_string('"' + std::string{member.key} + '"').value_or(""));
            out.json(json_text::trusted(std::string{member.value}));
        }
    }
    out.key("name").string(name);
    out.end_object();
    return out.take();
}

/// The channel's own type and kind. *Errors*: `channel_not_registered`, but for `web`, which the server has.
awaitable<or_problem<>> describe_channel(
    room_kit* kit, organization_id organization, binding* attached, std::string field
) {
    const auto known = co_await kit->look_up_channel(attached->channel);
    if (!known) {
        co_return problem_of(known.error());
    }
    const std::shared_ptr<channel>& registered = *known;
    if (registered != nullptr && may_use(*registered, organization)) {
        attached->channel_type = registered->type();
        attached->kind = registered->kind();
        co_return or_problem<>{};
    }
    if (attached->channel != web_channel()) {
        problem what = problem_of(make_error_code(errc::channel_not_registered));
        what.errors.push_back({field, std::string{word_of(boundary_reason::unknown_value)}});
        co_return what;
    }
    attached->channel_type = "websocket";
    co_return or_problem<>{};
}

awaitable<or_problem<std::vector<binding>>> read_channels(
    room_kit* kit, organization_id organization, const read_object* body, wall_time now
) {
    std::vector<binding> bindings;
    if (!body->has("channels")) {
        binding web;
        web.channel = web_channel();
        bindings.push_back(std::move(web));
    }
    const std::vector<read_object> described = body->objects("channels");
    for (std::size_t i = 0; i < described.size(); ++i) {
        binding attached;
        attached.channel = channel_id{described[i].text("channel_id").value_or("")};
        const or_problem<> read = apply_to(&attached, described[i], element_path("channels", i));
        if (!read) {
            co_return read.error();
        }
        bindings.push_back(std::move(attached));
    }
    for (std::size_t i = 0; i < bindings.size(); ++i) {
        bindings[i].attached_at = now;
        std::string field = member_path(element_path("channels", i), "channel_id");
        const or_problem<> known = co_await describe_channel(
            kit, organization, &bindings[i], std::move(field)
        );
        if (!known) {
            co_return known.error();
        }
    }
    co_return bindings;
}

std::vector<participant> read_participants(
    const read_object& body, const principal& who, wall_time now
) {
    std::vector<participant> joined;
    for (const read_object& described : body.objects("participants")) {
        participant one;
        one.id = participant_id{described.text("id").value_or("")};
        apply_to(&one, described);
        joined.push_back(std::move(one));
    }
    if (who.is_user()) {
        auto self = std::ranges::find(joined, participant_id{who.user}, &participant::id);
        if (self == joined.end()) {
            participant owner;
            owner.id = participant_id{who.user};
            owner.display_name = who.display_name;
            self = joined.insert(joined.end(), std::move(owner));
        }
        self->role = participant_role::owner;
        self->status = participant_status::active;
    }
    for (participant& one : joined) {
        one.joined_at = now;
    }
    return joined;
}

handled room_list_answer(const std::vector<room>& rooms, const std::optional<room_id>& last) {
    json_writer out;
    out.begin_object();
    out.key("rooms").begin_array();
    for (const room& one : rooms) {
        write_room(out, one);
    }
    out.end_array();
    out.key("next_cursor");
    if (last) {
        out.string(encode_cursor(last->str()));
    } else {
        out.null();
    }
    out.end_object();
    return json_answer(200, out.take());
}

/// The one room of an external id, or none: also where the caller may not see it.
awaitable<handled> find_by_external_id(resource_parts parts, route_call call) {
    ops::find_room_by_external_id request{
        call.who.organization, call.text("external_id").value_or("")
    };
    const auto named = co_await parts.kit->store().run(std::move(request));
    if (!named) {
        co_return problem_of(named.error());
    }
    std::vector<room> rooms;
    if (*named) {
        const auto around = co_await parts.kit->get_room(call.who.organization, (*named)->id);
        if (!around && around.error() != errc::not_found) {
            co_return problem_of(around.error());
        }
        const std::optional<std::string> status = call.text("status");
        if (around && may_see_room(call.who, *around) &&
            (!status || *status == word_of(around->room.status))) {
            rooms.push_back(around->room);
        }
    }
    co_return room_list_answer(rooms, std::nullopt);
}

awaitable<handled> list_rooms(resource_parts parts, route_call call) {
    if (call.text("external_id")) {
        co_return co_await find_by_external_id(parts, std::move(call));
    }
    ops::list_rooms request;
    request.organization = call.who.organization;
    request.order = call.flag("oldest_first") ? ops::room_order::oldest_first
                                              : ops::room_order::newest_first;
    if (!call.who.sees_every_room()) {
        request.member = participant_id{call.who.user};
    }
    if (const auto status = call.text("status")) {
        request.status = room_status_from(*status);
    }
    if (const auto cursor = call.text("cursor")) {
        const auto position = decode_cursor(*cursor);
        if (!position) {
            co_return validation_problem("cursor", boundary_reason::malformed);
        }
        request.after = room_id{*position};
    }
    const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(50));
    request.limit = limit + 1;
    auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    std::optional<room_id> last;
    if (found->size() > limit) {
        found->resize(limit);
        last = found->back().id;
    }
    co_return room_list_answer(*found, last);
}

/// The answer with a room as it is now.
awaitable<handled> show_room(resource_parts parts, room_id id, route_call call, int status) {
    organization_id organization = call.who.organization;
    auto around = co_await parts.kit->get_room(std::move(organization), std::move(id));
    if (!around) {
        co_return problem_of(around.error());
    }
    json_writer out;
    write_room_detail(out, *around);
    http_response answer = json_answer(status, out.take());
    if (status == 201) {
        parts.inbox->room_changed(*around);
        answer.headers.set("location", "/api/v1/rooms/" + percent_encode(around->room.id.str()));
    }
    co_return answer;
}

awaitable<handled> create_room(resource_parts parts, route_call call) {
    const read_object& body = *call.body;
    const wall_time now = parts.clock->now();
    room wanted;
    wanted.id = room_id{body.text("id").value_or("")};
    wanted.organization = call.who.organization;
    wanted.external_id = body.text("external_id").value_or("");
    wanted.metadata = body.json("metadata").value_or(json_text{});
    if (const auto name = body.text("name"); name && !name->empty()) {
        wanted.metadata = with_name(wanted.metadata, *name);
    }
    if (const auto timers = body.object("timers")) {
        wanted.timers = read_timers(*timers, {});
    }
    if (const auto responses = body.text("responses")) {
        wanted.responses = responses_from(*responses);
    }
    const bool is_keyed = wanted.id.empty() && !call.idempotency_key.empty();
    if (is_keyed) {
        wanted.id = room_id{uuid5(keyed_rooms, call.who.rate_key() + '\n' + call.idempotency_key)};
    }
    or_problem<std::vector<binding>> bindings = co_await read_channels(
        parts.kit, wanted.organization, &body, now
    );
    if (!bindings) {
        co_return bindings.error();
    }
    std::vector<participant> participants = read_participants(body, call.who, now);
    const room described = wanted;
    auto made = co_await parts.kit->create_room(
        std::move(wanted), *std::move(bindings), std::move(participants)
    );
    if (made) {
        co_return co_await show_room(parts, made->id, std::move(call), 201);
    }
    if (made.error() != errc::already_exists || !is_keyed) {
        co_return problem_of(made.error());
    }
    // The key is known, or the external id is another room's.
    ops::get_room known{described.organization, described.id};
    const auto first = co_await parts.kit->store().run(std::move(known));
    if (!first) {
        co_return problem_of(made.error());
    }
    if (first->external_id != described.external_id) {
        co_return problem_of(make_error_code(errc::idempotency_key_reused));
    }
    co_return co_await show_room(parts, described.id, std::move(call), 200);
}

awaitable<handled> get_room(resource_parts, route_call call) {
    json_writer out;
    write_room_detail(out, *call.room);
    co_return json_answer(200, out.take());
}

/// What a merge patch of metadata comes to: keys to set, and keys that go.
void read_metadata(ops::update_room* request, const read_object& body) {
    const std::optional<json_text> metadata = body.json("metadata");
    const std::optional<std::string> name = body.text("name");
    json_writer set;
    set.begin_object();
    const json_text patch = metadata.value_or(json_text{});
    for (const json_member& member : members_of(patch.str())) {
        const std::string key = decode_string('"' + std::string{member.key} + '"').value_or("");
        if (name && key == "name") {
            continue;
        }
        if (member.value == "null") {
            request->metadata_unset.push_back(key);
        } else {
            set.key(key).json(json_text::trusted(std::string{member.value}));
        }
    }
    if (name && name->empty()) {
        request->metadata_unset.emplace_back("name");
    } else if (name) {
        set.key("name").string(*name);
    }
    set.end_object();
    request->metadata_patch = set.take();
}

awaitable<handled> patch_room(resource_parts parts, route_call call) {
    const read_object& body = *call.body;
    ops::update_room request;
    request.organization = call.who.organization;
    request.id = call.room->room.id;
    if (body.has("metadata") || body.has("name")) {
        read_metadata(&request, body);
    }
    if (const auto timers = body.object("timers")) {
        request.timers = read_timers(*timers, call.room->room.timers);
    }
    if (const auto responses = body.text("responses")) {
        request.responses = responses_from(*responses);
    }
    const auto changed = co_await parts.kit->store().run(std::move(request));
    if (!changed) {
        co_return problem_of(changed.error());
    }
    parts.inbox->room_changed(*call.room);
    co_return json_answer(200, room_as_json(*changed));
}

awaitable<handled> delete_room(resource_parts parts, route_call call) {
    const auto gone = co_await parts.kit->delete_room(call.who.organization, call.room->room.id);
    if (!gone) {
        co_return problem_of(gone.error());
    }
    parts.inbox->room_changed(*call.room);
    co_return no_content();
}

awaitable<handled> change_status(resource_parts parts, route_call call, room_status to) {
    // A paused room takes events: what is closed is opened by its own name only.
    if (to == room_status::paused && !is_open(call.room->room.status)) {
        co_return problem_of(make_error_code(errc::room_closed));
    }
    auto changed = co_await parts.kit->set_room_status(
        call.who.organization, call.room->room.id, to
    );
    if (!changed) {
        co_return problem_of(changed.error());
    }
    parts.inbox->room_changed(*call.room);
    co_return json_answer(200, room_as_json(*changed));
}

route status_route(resource_parts parts, std::string word, std::string summary, room_status to) {
    route made;
    made.method = http_method::post;
    made.pattern = "/api/v1/rooms/{room_id}/" + word;
    made.operation = word + "_room";
    made.summary = std::move(summary);
    made.tag = "rooms";
    made.who = permission::room_manager;
    made.answers = {{200, "The room", room_schema()}};
    made.handle = [parts, to](route_call call) {
        return change_status(parts, std::move(call), to);
    };
    return made;
}

}  // namespace

std::vector<route> room_routes(resource_parts parts) {
    std::vector<route> routes;
    routes.push_back({
        .method = http_method::get,
        .pattern = "/api/v1/rooms",
        .operation = "list_rooms",
        .summary = "Rooms that one may see, newest first",
        .tag = "rooms",
        .who = permission::signed_in,
        .parameters =
            {query_parameter("limit", schema::integer({1, 200}), "Rooms in a page", "50"),
             query_parameter("cursor", schema::text({1, 1024}), "`next_cursor` of the page before"),
             query_parameter("status", room_status_schema(), "Only rooms in this state"),
             query_parameter("oldest_first", schema::boolean(), "By creation instead", "false"),
             query_parameter("external_id", schema::text({1, 256}), "Only the room that has it")},
        .body = {},
        .answers = {{200, "A page of rooms", room_list_schema()}},
        .handle = on(parts, list_rooms),
    });
    routes.push_back({
        .method = http_method::post,
        .pattern = "/api/v1/rooms",
        .operation = "create_room",
        .summary = "Makes a room; a user becomes its owner",
        .tag = "rooms",
        .who = permission::signed_in,
        .parameters = {},
        .body = new_room_schema(),
        .answers =
            {{201, "The room", room_detail_schema()},
             {200, "The room that this key made before", room_detail_schema()}},
        .handle = on(parts, create_room),
        .body_presence = presence::optional,
        .key = key_rule::honoured,
    });
    routes.push_back({
        .method = http_method::get,
        .pattern = "/api/v1/rooms/{room_id}",
        .operation = "get_room",
        .summary = "A room with its channels and participants",
        .tag = "rooms",
        .who = permission::room_member,
        .parameters = {},
        .body = {},
        .answers = {{200, "The room", room_detail_schema()}},
        .handle = on(parts, get_room),
    });
    routes.push_back({
        .method = http_method::patch,
        .pattern = "/api/v1/rooms/{room_id}",
        .operation = "update_room",
        .summary = "Changes what is named",
        .tag = "rooms",
        .who = permission::room_manager,
        .parameters = {},
        .body = room_patch_schema(),
        .answers = {{200, "The room", room_schema()}},
        .handle = on(parts, patch_room),
    });
    routes.push_back({
        .method = http_method::delete_,
        .pattern = "/api/v1/rooms/{room_id}",
        .operation = "delete_room",
        .summary = "Removes a room and all that belongs to it",
        .tag = "rooms",
        .who = permission::room_manager,
        .parameters = {},
        .body = {},
        .answers = {{204, "It is gone", {}}},
        .handle = on(parts, delete_room),
    });
    routes.push_back(status_route(parts, "close", "Takes no more events", room_status::closed));
    routes.push_back(status_route(parts, "pause", "Rests until the next event", room_status::paused)
    );
    routes.push_back(status_route(parts, "archive", "Puts it away", room_status::archived));
    routes.push_back(status_route(parts, "reopen", "Takes events again", room_status::active));
    return routes;
}

}  // namespace convene
