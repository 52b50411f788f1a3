// SPDX-License-Identifier: Apache-2.0
// Participants of a room over HTTP: invite, change, leave, identify.
#include <utility>

#include "http/resource/bodies.hpp"
#include "http/resource/resources.hpp"
#include "http/room_access.hpp"
#include "http/view/participant_view.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

schema participant_list_schema() {
    return schema::object(
        "ParticipantList", {required("participants", schema::list(participant_schema()))}
    );
}

schema resolution_schema() {
    return schema::input(
        "Resolution", {required("identity_id", schema::id(), "The person behind it")}
    );
}

/// Those who were there, and the one who came, changed or left.
void tell_all(const resource_parts& parts, const route_call& call, const participant& changed) {
    parts.inbox->room_changed(*call.room);
    parts.inbox->room_changed(call.who.organization, changed.room, changed.id);
}

awaitable<handled> store_participant(
    resource_parts parts, route_call call, participant changed, int status
) {
    const auto stored = co_await parts.kit->put_participant(
        call.who.organization, std::move(changed)
    );
    if (!stored) {
        co_return problem_of(stored.error());
    }
    tell_all(parts, call, *stored);
    co_return json_answer(status, participant_as_json(*stored));
}

const participant* find_one(const route_call& call) {
    return call.room->find_participant(participant_id{call.at("participant_id")});
}

awaitable<handled> list_participants(resource_parts, route_call call) {
    json_writer out;
    out.begin_object();
    out.key("participants").begin_array();
    for (const participant& one : call.room->participants) {
        write_participant(out, one);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> add_participant(resource_parts parts, route_call call) {
    participant joined;
    joined.room = call.room->room.id;
    joined.id = participant_id{call.body->text("id").value_or("")};
    joined.joined_at = parts.clock->now();
    const participant* const known = call.room->find_participant(joined.id);
    const bool is_back = known != nullptr && known->status == participant_status::left;
    if (known != nullptr && !is_back) {
        co_return problem_of(make_error_code(errc::already_exists));
    }
    if (joined.id.empty()) {
        joined.id = parts.ids->next<participant_id>();
    }
    apply_to(&joined, *call.body);
    co_return co_await store_participant(parts, std::move(call), std::move(joined), 201);
}

/// Everybody may change how it is called, and leave; the rest is for who manages the room.
or_problem<> check_self_service(const route_call& call) {
    if (may_manage_room(call.who, *call.room)) {
        return {};
    }
    const bool is_self = call.who.is_user() && call.at("participant_id") == call.who.user;
    if (!is_self) {
        return forbidden_problem("this needs an owner of the room, or an operator");
    }
    for (const char* field : {"role", "status", "identity_id", "external_id"}) {
        if (call.body && call.body->has(field)) {
            return forbidden_problem("one may change one's own `display_name` and `metadata`");
        }
    }
    return {};
}

awaitable<handled> change_participant(resource_parts parts, route_call call) {
    const participant* const found = find_one(call);
    if (found == nullptr) {
        co_return not_found_problem();
    }
    const or_problem<> allowed = check_self_service(call);
    if (!allowed) {
        co_return allowed.error();
    }
    participant changed = *found;
    apply_to(&changed, *call.body);
    co_return co_await store_participant(parts, std::move(call), std::move(changed), 200);
}

awaitable<handled> remove_participant(resource_parts parts, route_call call) {
    const participant* const found = find_one(call);
    if (found == nullptr) {
        co_return not_found_problem();
    }
    const or_problem<> allowed = check_self_service(call);
    if (!allowed) {
        co_return allowed.error();
    }
    // What it said keeps its author.
    participant gone = *found;
    gone.status = participant_status::left;
    const auto stored = co_await parts.kit->put_participant(call.who.organization, std::move(gone));
    if (!stored) {
        co_return problem_of(stored.error());
    }
    tell_all(parts, call, *stored);
    co_return no_content();
}

awaitable<handled> resolve_participant(resource_parts parts, route_call call) {
    const participant* const found = find_one(call);
    if (found == nullptr) {
        co_return not_found_problem();
    }
    participant known = *found;
    known.identity = identity_id{call.body->text("identity_id").value_or("")};
    ops::get_identity request{call.who.organization, known.identity};
    const auto person = co_await parts.kit->store().run(std::move(request));
    if (!person && person.error() == errc::not_found) {
        co_return validation_problem("identity_id", boundary_reason::unknown_value);
    }
    if (!person) {
        co_return problem_of(person.error());
    }
    if (known.display_name.empty()) {
        known.display_name = person->display_name;
    }
    co_return co_await store_participant(parts, std::move(call), std::move(known), 200);
}

route participant_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/rooms/{room_id}/participants" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "participants";
    made.who = permission::room_member;
    made.answers = {{200, "The participant", participant_schema()}};
    return made;
}

}  // namespace

std::vector<route> participant_routes(resource_parts parts) {
    std::vector<route> routes;

    route listing = participant_route(
        http_method::get, "", "list_participants", "Who is, or was, in a room"
    );
    listing.answers = {{200, "By id", participant_list_schema()}};
    listing.handle = on(parts, list_participants);
    routes.push_back(std::move(listing));

    route adding = participant_route(http_method::post, "", "add_participant", "Takes one in");
    adding.who = permission::room_manager;
    adding.body = new_participant_schema();
    adding.answers = {{201, "The participant", participant_schema()}};
    adding.handle = on(parts, add_participant);
    routes.push_back(std::move(adding));

    route changing = participant_route(
        http_method::patch, "/{participant_id}", "update_participant", "Changes what is named"
    );
    changing.body = participant_patch_schema();
    changing.handle = on(parts, change_participant);
    routes.push_back(std::move(changing));

    route removing = participant_route(
        http_method::delete_, "/{participant_id}", "remove_participant", "It has left the room"
    );
    removing.answers = {{204, "It has left", {}}};
    removing.handle = on(parts, remove_participant);
    routes.push_back(std::move(removing));

    route resolving = participant_route(
        http_method::post,
        "/{participant_id}/resolve",
        "resolve_participant",
        "Says which person it is"
    );
    resolving.who = permission::room_manager;
    resolving.body = resolution_schema();
    resolving.handle = on(parts, resolve_participant);
    routes.push_back(std::move(resolving));
    return routes;
}

}  // namespace convene
