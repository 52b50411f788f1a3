// SPDX-License-Identifier: Apache-2.0
// Notifications over HTTP: the caller's own.
#include <algorithm>
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

/// How many one request marks: it answers well before a client gives up.
constexpr std::size_t most_marked = 1'000;
constexpr std::size_t marked_at_once = 200;

/// Each by itself, from the newest on: whoever is cut off in the middle asks again. What is told meanwhile is newer than
/// the first page, and stays unread.
awaitable<handled> mark_notifications(workflow_route_parts parts, route_call call) {
    if (!*call.body->boolean("read")) {
        co_return validation_problem("read", boundary_reason::unknown_value);
    }
    ops::list_notifications unread;
    unread.organization = call.who.organization;
    unread.user = call.who.name();
    unread.only_unread = true;
    std::size_t marked = 0;
    bool has_more = true;
    while (has_more && marked < most_marked) {
        unread.limit = std::min(marked_at_once, most_marked - marked) + 1;
        ops::list_notifications look = unread;
        const auto page = co_await parts.runs.kit->store().run(std::move(look));
        if (!page) {
            co_return problem_of(page.error());
        }
        has_more = page->size() == unread.limit;
        const std::size_t count = std::min(page->size(), unread.limit - 1);
        for (std::size_t i = 0; i < count; ++i) {
            ops::mark_notification request;
            request.organization = unread.organization;
            request.user = unread.user;
            request.notification = (*page)[i].told.id;
            const auto done = co_await parts.runs.kit->store().run(std::move(request));
            if (!done) {
                co_return problem_of(done.error());
            }
            unread.before = (*page)[i].number;
        }
        marked += count;
    }
    json_writer out;
    out.begin_object();
    out.key("marked").integer(static_cast<std::int64_t>(marked));
    out.key("has_more").boolean(has_more);
    out.end_object();
    co_return json_answer(200, out.take());
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

    route marking_all;
    marking_all.method = http_method::patch;
    marking_all.pattern = "/api/v1/notifications";
    marking_all.operation = "mark_notifications";
    marking_all.summary = "All that the caller has not read is read";
    marking_all.tag = "notifications";
    marking_all.body = schema::input(
        "NotificationsPatch", {required("read", schema::boolean(), "`true`: nothing else is done")}
    );
    marking_all.answers = {
        {200,
         "How many were marked",
         schema::object(
             "NotificationsRead",
             {required("marked", schema::integer({0})),
              required("has_more", schema::boolean(), "More than one request marks are unread")}
         )},
    };
    marking_all.handle = on(parts, mark_notifications);
    routes.push_back(std::move(marking_all));
    return routes;
}

}  // namespace convene
