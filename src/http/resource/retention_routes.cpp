// SPDX-License-Identifier: Apache-2.0
// How long a room and an organisation keep things, over HTTP.
#include <utility>

#include "base/json_writer.hpp"
#include "http/audit.hpp"
#include "http/resource/resources.hpp"
#include "store/operations/retention.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::int64_t longest_days = 36'500;

struct policy_field {
    const char* name;
    std::optional<std::int32_t> retention_policy::* days;
    const char* description;
};

constexpr policy_field policy_fields[] = {
    {"events_max_age_days",
     &retention_policy::events_max_age_days,
     "Older events are erased, from the first on; left out or `null`: never"},
    {"attachments_max_age_days",
     &retention_policy::attachments_max_age_days,
     "Older files are erased; messages that name them stay"},
    {"room_delete_after_closed_days",
     &retention_policy::room_delete_after_closed_days,
     "A room that is closed or archived for so long is deleted with all it has"},
};

const schema& policy_schema() {
    static const schema made = [] {
        std::vector<schema_field> fields;
        for (const policy_field& field : policy_fields) {
            fields.push_back(optional(
                field.name, schema::integer({1, longest_days}).or_null(), field.description
            ));
        }
        return schema::input("RetentionPolicy", std::move(fields));
    }();
    return made;
}

schema retention_schema() {
    return schema::object(
        "Retention",
        {required("own", policy_schema()),
         required("effective", policy_schema(), "Of a room's and its organisation's the shorter")}
    );
}

void write_policy(json_writer& out, const retention_policy& shown) {
    out.begin_object();
    for (const policy_field& field : policy_fields) {
        out.key(field.name);
        if (const std::optional<std::int32_t>& days = shown.*field.days) {
            out.integer(*days);
        } else {
            out.null();
        }
    }
    out.end_object();
}

json_text policy_as_json(const retention_policy& shown) {
    json_writer out;
    write_policy(out, shown);
    return out.take();
}

retention_policy read_policy(const read_object& body) {
    retention_policy read;
    for (const policy_field& field : policy_fields) {
        if (const auto days = body.integer(field.name)) {
            read.*field.days = static_cast<std::int32_t>(*days);
        }
    }
    return read;
}

/// Of the room in the path, or of the organisation.
room_id room_of(const route_call& call) { return call.room ? call.room->room.id : room_id{}; }

awaitable<handled> show_retention(resource_parts parts, route_call call) {
    ops::get_retention request{call.who.organization, room_of(call)};
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object();
    write_policy(out.key("own"), found->own);
    write_policy(out.key("effective"), found->effective);
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> put_retention(resource_parts parts, route_call call) {
    ops::put_retention request;
    request.organization = call.who.organization;
    request.room = room_of(call);
    request.policy = read_policy(*call.body);
    const std::string& target = request.room.empty() ? call.who.organization.str()
                                                     : request.room.str();
    request.audit = audit_of(call, "retention.changed", target, policy_as_json(request.policy));
    const auto put = co_await parts.kit->store().run(std::move(request));
    if (!put) {
        co_return problem_of(put.error());
    }
    co_return co_await show_retention(parts, std::move(call));
}

route retention_route(http_method method, std::string of, std::string operation) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/" + of + "/retention";
    made.operation = std::move(operation);
    made.tag = "retention";
    made.answers = {{200, "The policies", retention_schema()}};
    return made;
}

route reading(resource_parts parts, std::string of, std::string operation, permission who) {
    route made = retention_route(http_method::get, std::move(of), std::move(operation));
    made.summary = "How long things are kept";
    made.who = who;
    made.handle = on(parts, show_retention);
    return made;
}

route putting(resource_parts parts, std::string of, std::string operation, permission who) {
    route made = retention_route(http_method::put, std::move(of), std::move(operation));
    made.summary = "Says how long things are kept; what is left out is kept for ever";
    made.who = who;
    made.body = policy_schema();
    made.handle = on(parts, put_retention);
    return made;
}

}  // namespace

std::vector<route> retention_routes(resource_parts parts) {
    using enum permission;
    std::vector<route> routes;
    routes.push_back(reading(parts, "rooms/{room_id}", "get_room_retention", room_member));
    routes.push_back(putting(parts, "rooms/{room_id}", "put_room_retention", room_manager));
    routes.push_back(reading(parts, "organization", "get_organization_retention", signed_in));
    routes.push_back(putting(parts, "organization", "put_organization_retention", admin));
    return routes;
}

}  // namespace convene
