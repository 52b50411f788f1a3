// SPDX-License-Identifier: Apache-2.0
// Channels of a room over HTTP: attach, change, mute, detach.
#include <utility>

#include "http/resource/bodies.hpp"
#include "http/resource/resources.hpp"
#include "http/view/binding_view.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

schema binding_list_schema() {
    return schema::object("BindingList", {required("channels", schema::list(binding_schema()))});
}

handled show(const result<binding>& stored, int status) {
    if (!stored) {
        return problem_of(stored.error());
    }
    return json_answer(status, binding_as_json(*stored));
}

/// The binding of the path; null if the room has none.
const binding* find_bound(const route_call& call) {
    return call.room->find_binding(channel_id{call.at("channel_id")});
}

awaitable<handled> list_bindings(resource_parts, route_call call) {
    json_writer out;
    out.begin_object();
    out.key("channels").begin_array();
    for (const binding& bound : call.room->bindings) {
        write_binding(out, bound);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> attach(resource_parts parts, route_call call) {
    binding attached;
    attached.room = call.room->room.id;
    attached.channel = channel_id{call.body->text("channel_id").value_or("")};
    attached.attached_at = parts.clock->now();
    if (call.room->find_binding(attached.channel) != nullptr) {
        co_return problem_of(make_error_code(errc::already_exists));
    }
    const or_problem<> read = apply_to(&attached, *call.body, "");
    if (!read) {
        co_return read.error();
    }
    const auto stored = co_await parts.kit->attach_channel(
        call.who.organization, std::move(attached)
    );
    co_return show(stored, 201);
}

awaitable<handled> change(resource_parts parts, route_call call) {
    const binding* const bound = find_bound(call);
    if (bound == nullptr) {
        co_return not_found_problem();
    }
    ops::put_binding request{call.who.organization, *bound};
    const or_problem<> read = apply_to(&request.binding, *call.body, "");
    if (!read) {
        co_return read.error();
    }
    const auto stored = co_await parts.kit->store().run(std::move(request));
    co_return show(stored, 200);
}

awaitable<handled> detach(resource_parts parts, route_call call) {
    const binding* const bound = find_bound(call);
    if (bound == nullptr) {
        co_return not_found_problem();
    }
    const auto gone = co_await parts.kit->detach_channel(
        call.who.organization, call.room->room.id, bound->channel
    );
    if (!gone) {
        co_return problem_of(gone.error());
    }
    co_return no_content();
}

awaitable<handled> mute(resource_parts parts, route_call call) {
    channel_id channel{call.at("channel_id")};
    const auto stored = co_await parts.kit->mute_channel(
        call.who.organization, call.room->room.id, std::move(channel)
    );
    co_return show(stored, 200);
}

awaitable<handled> unmute(resource_parts parts, route_call call) {
    channel_id channel{call.at("channel_id")};
    const auto stored = co_await parts.kit->unmute_channel(
        call.who.organization, call.room->room.id, std::move(channel)
    );
    co_return show(stored, 200);
}

route binding_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/rooms/{room_id}/channels" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "channels";
    made.who = permission::room_manager;
    made.answers = {{200, "The channel in this room", binding_schema()}};
    return made;
}

}  // namespace

std::vector<route> binding_routes(resource_parts parts) {
    std::vector<route> routes;

    route listing = binding_route(http_method::get, "", "list_channels", "Channels of a room");
    listing.who = permission::room_member;
    listing.answers = {{200, "By id", binding_list_schema()}};
    listing.handle = on(parts, list_bindings);
    routes.push_back(std::move(listing));

    route attaching = binding_route(
        http_method::post, "", "attach_channel", "Attaches a registered channel"
    );
    attaching.body = new_binding_schema();
    attaching.answers = {{201, "The channel in this room", binding_schema()}};
    attaching.handle = on(parts, attach);
    routes.push_back(std::move(attaching));

    route changing = binding_route(
        http_method::patch, "/{channel_id}", "update_channel", "Changes what is named"
    );
    changing.body = binding_patch_schema();
    changing.handle = on(parts, change);
    routes.push_back(std::move(changing));

    route detaching = binding_route(
        http_method::delete_, "/{channel_id}", "detach_channel", "Takes a channel out of a room"
    );
    detaching.answers = {{204, "It is gone", {}}};
    detaching.handle = on(parts, detach);
    routes.push_back(std::move(detaching));

    route muting = binding_route(
        http_method::post, "/{channel_id}/mute", "mute_channel", "It may not write"
    );
    muting.handle = on(parts, mute);
    routes.push_back(std::move(muting));

    route unmuting = binding_route(
        http_method::post, "/{channel_id}/unmute", "unmute_channel", "It may write again"
    );
    unmuting.handle = on(parts, unmute);
    routes.push_back(std::move(unmuting));
    return routes;
}

}  // namespace convene
