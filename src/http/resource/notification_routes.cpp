// SPDX-License-Identifier: Apache-2.0
// Notifications over HTTP: the caller's own.
#include <string>
#include <utility>

#include "http/page.hpp"
#include "http/resource/workflow_routes.hpp"
#include "http/view/workflow_view.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

awaitable<handled> list_notifications(workflow_route_parts parts, route_call call) {
    const auto before = page_number(call);
    if (!before) {
        co_return before.error();
    }
    ops::list_notifications request;
    request.organization = call.who.organization;
    request.user = call.who.name();
    request.only_unread = call.flag("unread");
    request.before = *before;
    request.limit = page_limit(call) + 1;
    const auto found = co_await parts.runs.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    co_return page_answer(
        "notifications",
        *found,
        page_limit(call),
        [](json_writer& out, const ops::numbered_notification& one) {
            write_notification(out, one.told);
        },
        [](const ops::numbered_notification& last) { return std::to_string(last.number); }
    );
}

awaitable<handled> mark_notification(workflow_route_parts parts, route_call call) {
    ops::mark_notification request;
    request.organization = call.who.organization;
    request.user = call.who.name();
    request.notification = notification_id{call.at("notification_id")};
    request.is_read = *call.body->boolean("read");
    const auto marked = co_await parts.runs.kit->store().run(std::move(request));
    if (!marked) {
        co_return problem_of(marked.error());
    }
    co_return json_answer(200, as_json(write_notification, *marked));
}

}  // namespace

std::vector<route> notification_routes(workflow_route_parts parts) {
    std::vector<route> routes;

    route listing;
    listing.method = http_method::get;
    listing.pattern = "/api/v1/notifications";
    listing.operation = "list_notifications";
    listing.summary = "What the caller was told, newest first";
    listing.tag = "notifications";
    listing.parameters = page_parameters();
    listing.parameters.push_back(query_parameter("unread", schema::boolean(), "Unread ones alone"));
    listing.answers = {
        {200,
         "Notifications",
         page_schema("NotificationList", "notifications", notification_schema())},
    };
    listing.handle = on(parts, list_notifications);
    routes.push_back(std::move(listing));

    route marking;
    marking.method = http_method::patch;
    marking.pattern = "/api/v1/notifications/{notification_id}";
    marking.operation = "mark_notification";
    marking.summary = "Says whether it was read";
    marking.tag = "notifications";
    marking.body = schema::input("NotificationPatch", {required("read", schema::boolean())});
    marking.answers = {{200, "The notification", notification_schema()}};
    marking.handle = on(parts, mark_notification);
    routes.push_back(std::move(marking));
    return routes;
}

}  // namespace convene
