// SPDX-License-Identifier: Apache-2.0
// What operators look at and repair: framework events, skips, workers, duplicate indexes.
#include <algorithm>
#include <utility>

#include "base/json_writer.hpp"
#include "http/resource/resources.hpp"
#include "http/view/delivery_view.hpp"
#include "http/view/notice_view.hpp"
#include "http/view/words.hpp"
#include "store/operations/subscriptions.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// Store pages that one request reads at most: records that it did not ask for lie between.
constexpr int max_rounds = 10;

schema framework_event_list_schema() {
    return schema::object(
        "FrameworkEventList",
        {required("framework_events", schema::list(framework_event_schema())),
         required("next_after", schema::integer({0}), "What to send as `after` next time")}
    );
}

schema skip_list_schema() {
    return schema::object(
        "DeliverySkipList",
        {required("skips", schema::list(skip_schema())),
         required("next_after", schema::integer({0}), "What to send as `after` next time")}
    );
}

std::string_view word_for(ops::worker_state state) {
    switch (state) {
        case ops::worker_state::live:
            return "live";
        case ops::worker_state::draining:
            return "draining";
        case ops::worker_state::dead:
            return "dead";
    }
    return "";
}

schema worker_list_schema() {
    const schema worker = schema::object(
        "Worker",
        {required("incarnation", schema::id(), "One start of a worker"),
         required("state", schema::word("WorkerState", {"live", "draining", "dead"})),
         required("host", schema::text()),
         required("version", schema::text()),
         required("started_at", schema::time()),
         required("is_self", schema::boolean(), "It is the one that answered")}
    );
    return schema::object("WorkerList", {required("workers", schema::list(worker))});
}

schema dedupe_schema() {
    return schema::input(
        "DedupeRequest", {optional("dry_run", schema::boolean(), "Left out: true")}
    );
}

schema dedupe_answer_schema() {
    return schema::object(
        "DedupeAnswer",
        {required("action", schema::word("DedupeAction", {"dry_run", "noop", "repaired"})),
         required("duplicate_rows", schema::integer({0})),
         required("affected_rooms", schema::integer({0})),
         required("now_unique", schema::boolean())}
    );
}

awaitable<handled> list_framework_events(resource_parts parts, route_call call) {
    const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(50));
    const std::optional<std::string> type = call.text("type");
    const std::optional<std::string> of_room = call.text("room_id");
    std::int64_t after = call.integer("after").value_or(0);
    std::size_t written = 0;
    json_writer out;
    out.begin_object();
    out.key("framework_events").begin_array();
    for (int round = 0; round < max_rounds && written < limit; ++round) {
        ops::list_notices_of request{call.who.organization, after, 500};
        const auto page = co_await parts.kit->store().run(std::move(request));
        if (!page) {
            co_return problem_of(page.error());
        }
        for (const framework_event& event : *page) {
            if (written == limit) {
                break;
            }
            after = event.sequence;
            const bool is_wanted = (!type || event.type == *type) &&
                                   (!of_room || event.room.str() == *of_room);
            if (is_wanted) {
                write_framework_event(out, event);
                ++written;
            }
        }
        if (page->size() < 500) {
            break;
        }
    }
    out.end_array();
    out.key("next_after").integer(after);
    out.end_object();
    co_return json_answer(200, out.take());
}

/// Whether a room is the caller's organisation's. A room that is gone is nobody's.
awaitable<bool> is_ours(resource_parts parts, organization_id organization, room_id room) {
    ops::find_organization request{std::move(room)};
    const auto whose = co_await parts.kit->store().run(std::move(request));
    co_return whose && *whose == organization;
}

awaitable<handled> list_skips(resource_parts parts, route_call call) {
    const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(50));
    std::int64_t after = call.integer("after").value_or(0);
    std::size_t written = 0;
    json_writer out;
    out.begin_object();
    out.key("skips").begin_array();
    for (int round = 0; round < max_rounds && written < limit; ++round) {
        ops::list_skips request;
        if (auto room = call.text("room_id")) {
            request.room = room_id{*std::move(room)};
        }
        request.after = after;
        request.limit = limit;
        const auto page = co_await parts.kit->store().run(std::move(request));
        if (!page) {
            co_return problem_of(page.error());
        }
        for (const delivery_skip& skip : *page) {
            if (written == limit) {
                break;
            }
            after = skip.id;
            const bool is_shown = co_await is_ours(parts, call.who.organization, skip.room);
            if (is_shown) {
                write_skip(out, skip);
                ++written;
            }
        }
        if (page->size() < limit) {
            break;
        }
    }
    out.end_array();
    out.key("next_after").integer(after);
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> list_workers(resource_parts parts, route_call call) {
    ops::list_workers request;
    const auto workers = co_await parts.kit->store().run(std::move(request));
    if (!workers) {
        co_return problem_of(workers.error());
    }
    const std::optional<std::string> state = call.text("state");
    json_writer out;
    out.begin_object();
    out.key("workers").begin_array();
    for (const ops::worker_row& worker : *workers) {
        if (state && word_for(worker.state) != *state) {
            continue;
        }
        out.begin_object();
        out.key("incarnation").string(worker.incarnation.str());
        out.key("state").string(word_for(worker.state));
        out.key("host").string(worker.host);
        out.key("version").string(worker.version);
        write_time(out.key("started_at"), worker.started_at);
        out.key("is_self").boolean(worker.incarnation == parts.kit->incarnation());
        out.end_object();
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> dedupe(resource_parts parts, route_call call) {
    ops::dedupe_event_indices request{call.body->boolean("dry_run").value_or(true)};
    const auto done = co_await parts.kit->store().run(std::move(request));
    if (!done) {
        co_return problem_of(done.error());
    }
    json_writer out;
    out.begin_object();
    out.key("action").string(done->action);
    out.key("duplicate_rows").integer(done->duplicate_rows);
    out.key("affected_rooms").integer(done->affected_rooms);
    out.key("now_unique").boolean(done->now_unique);
    out.end_object();
    co_return json_answer(200, out.take());
}

route admin_route(std::string path, std::string operation, std::string summary) {
    route made;
    made.pattern = "/api/v1/" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "admin";
    made.who = permission::operator_;
    return made;
}

parameter limit_parameter() {
    return query_parameter("limit", schema::integer({1, 500}), "Records in a page", "50");
}

parameter after_parameter() {
    return query_parameter("after", schema::integer({0}), "Only records behind this one", "0");
}

}  // namespace

std::vector<route> admin_routes(resource_parts parts) {
    std::vector<route> routes;
    const parameter of_room = query_parameter("room_id", schema::id(), "Only of this room");

    route notices = admin_route(
        "framework-events", "list_framework_events", "Notices about the engine"
    );
    notices.parameters = {
        after_parameter(),
        limit_parameter(),
        query_parameter("type", schema::text({1, 256}), "Only of this type"),
        of_room,
    };
    notices.answers = {{200, "In order", framework_event_list_schema()}};
    notices.handle = on(parts, list_framework_events);
    routes.push_back(std::move(notices));

    route skips = admin_route("admin/skips", "list_skips", "Events that delivery passed over");
    skips.parameters = {after_parameter(), limit_parameter(), of_room};
    skips.answers = {{200, "In order", skip_list_schema()}};
    skips.handle = on(parts, list_skips);
    routes.push_back(std::move(skips));

    route workers = admin_route("admin/workers", "list_workers", "Every start of a worker");
    workers.parameters = {query_parameter(
        "state", schema::word("WorkerState", {"live", "draining", "dead"}), "Only in this state"
    )};
    workers.answers = {{200, "By incarnation", worker_list_schema()}};
    workers.handle = on(parts, list_workers);
    routes.push_back(std::move(workers));

    route repair = admin_route(
        "admin/events/dedupe", "dedupe_events", "Finds duplicate indexes, and repairs them"
    );
    repair.method = http_method::post;
    repair.who = permission::admin;
    repair.body = dedupe_schema();
    repair.body_presence = presence::optional;
    repair.answers = {{200, "What was found or done", dedupe_answer_schema()}};
    repair.handle = on(parts, dedupe);
    routes.push_back(std::move(repair));
    return routes;
}

}  // namespace convene
