// SPDX-License-Identifier: Apache-2.0
// Delivery lanes: how they stand, and what operators do to one by hand.
#include <algorithm>
#include <map>
#include <utility>

#include "base/json_writer.hpp"
#include "http/audit.hpp"
#include "http/resource/resources.hpp"
#include "http/view/words.hpp"
#include "store/operations/operating.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// How long a request waits for the set that runs while its lane is being stopped.
constexpr std::chrono::seconds patience{5};

/// Lanes in one answer: this worker's, and at most as many that are stopped and that it does not have.
constexpr std::size_t most_paused = 500;

schema lane_list_schema() {
    const schema lane = schema::object(
        "Lane",
        {required("room_id", schema::id()),
         required("queued", schema::integer({0}), "Sets waiting"),
         required("delivered_index", schema::integer({-1})),
         required("latest_index", schema::integer({-1}), "As far as this worker knows"),
         required("lag", schema::integer({0}), "Committed and not delivered"),
         required("holds_claim", schema::boolean(), "This worker delivers the room"),
         required("paused_at", schema::time().or_null(), "Since when an operator has it stopped")}
    );
    return schema::object(
        "LaneList",
        {required("worker", schema::id(), "The worker that answered"),
         required("lanes", schema::list(lane), "By room id")}
    );
}

/// A lane as the worker and the store together know it.
struct lane_line {
    room_kit::lane_figures figures;
    std::optional<wall_time> paused_at;
};

void write_lane(json_writer& out, const lane_line& line) {
    const room_kit::lane_figures& lane = line.figures;
    const std::int64_t lag = lane.latest_known.value() - lane.delivered.value();
    out.begin_object();
    out.key("room_id").string(lane.room.str());
    out.key("queued").integer(static_cast<std::int64_t>(lane.queued));
    out.key("delivered_index").integer(lane.delivered.value());
    out.key("latest_index").integer(lane.latest_known.value());
    out.key("lag").integer(std::max<std::int64_t>(lag, 0));
    out.key("holds_claim").boolean(lane.holds_claim);
    out.key("paused_at");
    if (line.paused_at) {
        write_time(out, *line.paused_at);
    } else {
        out.null();
    }
    out.end_object();
}

awaitable<handled> list_lanes(resource_parts parts, route_call call) {
    ops::list_paused_lanes stopped{call.who.organization, room_id{}, most_paused};
    const auto paused = co_await parts.kit->store().run(std::move(stopped));
    if (!paused) {
        co_return problem_of(paused.error());
    }
    std::map<room_id, lane_line> lines;
    for (const room_kit::lane_figures& lane : parts.kit->lanes()) {
        if (lane.organization == call.who.organization) {
            lines[lane.room].figures = lane;
        }
    }
    for (const ops::list_paused_lanes::item& lane : *paused) {
        lane_line& line = lines[lane.room];
        line.paused_at = lane.paused_at;
        line.figures.room = lane.room;
        line.figures.delivered = lane.delivered;
        line.figures.latest_known = lane.latest;
    }
    json_writer out;
    out.begin_object();
    out.key("worker").string(parts.kit->incarnation().str());
    out.key("lanes").begin_array();
    for (const auto& [room, line] : lines) {
        write_lane(out, line);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

// ---- by hand ---------------------------------------------------------------------------------------------

problem moved_problem(event_index head) {
    return conflict_problem(
        "LANE_MOVED", "the lane has moved on: its head is index " + std::to_string(head.value())
    );
}

/// The reason, where one was given, and what was done to what.
awaitable<or_problem<>> note(
    resource_parts parts, const route_call* call, std::string action, event_id event
) {
    json_writer details;
    details.begin_object();
    if (!event.empty()) {
        details.key("event_id").string(event.str());
    }
    if (const auto reason = call->body->text("reason")) {
        details.key("reason").string(*reason);
    }
    details.end_object();
    ops::append_audit line{audit_of(*call, action, call->at("room_id"), details.take())};
    const auto noted = co_await shielded(parts.kit->store().run(std::move(line)));
    if (!noted) {
        co_return problem_of(noted.error());
    }
    co_return or_problem<>{};
}

schema state_schema() {
    return schema::object(
        "LaneState",
        {required("room_id", schema::id()),
         required(
             "state",
             schema::word("LaneStateWord", {"running", "pausing", "paused"}),
             "`pausing`: no set is started any more, and one still runs"
         ),
         required("delivered_index", schema::integer({-1}))}
    );
}

handled answer_of_state(
    int status, const room_id& room, std::string_view state, event_index delivered
) {
    json_writer out;
    out.begin_object();
    out.key("room_id").string(room.str());
    out.key("state").string(state);
    out.key("delivered_index").integer(delivered.value());
    out.end_object();
    return json_answer(status, out.take());
}

awaitable<handled> pause_lane(resource_parts parts, route_call call) {
    const coroutine_context context = co_await this_context();
    const room_id room{call.at("room_id")};
    const deadline until{context.where->now() + patience};
    const auto paused = co_await parts.kit->pause_lane(call.who.organization, room, until);
    if (!paused) {
        co_return problem_of(paused.error());
    }
    if (paused->verdict == lane_verdict::already_so) {
        co_return conflict_problem("LANE_PAUSED", "the lane is stopped already");
    }
    event_id no_event;
    const or_problem<> noted = co_await note(parts, &call, "lane.paused", std::move(no_event));
    if (!noted) {
        co_return noted.error();
    }
    const event_index delivered = paused->cursor.delivered;
    co_return paused->is_settled ? answer_of_state(200, room, "paused", delivered)
                                 : answer_of_state(202, room, "pausing", delivered);
}

awaitable<handled> resume_lane(resource_parts parts, route_call call) {
    const room_id room{call.at("room_id")};
    const auto running = co_await parts.kit->resume_lane(call.who.organization, room);
    if (!running) {
        co_return problem_of(running.error());
    }
    if (running->verdict == lane_verdict::already_so) {
        co_return conflict_problem("LANE_NOT_PAUSED", "the lane is not stopped");
    }
    event_id no_event;
    const or_problem<> noted = co_await note(parts, &call, "lane.resumed", std::move(no_event));
    if (!noted) {
        co_return noted.error();
    }
    co_return answer_of_state(200, room, "running", running->cursor.delivered);
}

schema skipped_schema() {
    return schema::object(
        "LaneSkip",
        {required("room_id", schema::id()),
         required("event_id", schema::id()),
         required("index", schema::integer({0})),
         required("skipped", schema::integer({0}), "Deliveries that were passed over")}
    );
}

awaitable<handled> skip_head(resource_parts parts, route_call call) {
    const room_id room{call.at("room_id")};
    std::optional<event_index> expected;
    if (const auto index = call.body->integer("index")) {
        expected = event_index{*index};
    }
    const auto skipped = co_await parts.kit->skip_head(call.who.organization, room, expected);
    if (!skipped) {
        co_return problem_of(skipped.error());
    }
    if (skipped->verdict == lane_verdict::nothing_waits) {
        co_return conflict_problem(
            "LANE_EMPTY", "everything is delivered: there is nothing to pass over"
        );
    }
    if (skipped->verdict == lane_verdict::head_moved) {
        co_return moved_problem(skipped->head);
    }
    const or_problem<> noted = co_await note(parts, &call, "lane.skipped", skipped->event);
    if (!noted) {
        co_return noted.error();
    }
    json_writer out;
    out.begin_object();
    out.key("room_id").string(room.str());
    out.key("event_id").string(skipped->event.str());
    out.key("index").integer(skipped->head.value());
    out.key("skipped").integer(static_cast<std::int64_t>(skipped->skipped));
    out.end_object();
    co_return json_answer(200, out.take());
}

schema redelivered_schema() {
    return schema::object(
        "LaneRedelivery",
        {required("room_id", schema::id()),
         required("event_id", schema::id()),
         required("queued", schema::integer({0}), "Deliveries that wait in the outbound queue now"),
         required("reopened", schema::integer({0}), "What the lane makes up for now"),
         required("left", schema::integer({0}), "Out of reach: they stay as they are")}
    );
}

awaitable<handled> redeliver(resource_parts parts, route_call call) {
    const room_id room{call.at("room_id")};
    std::optional<event_id> named;
    if (auto event = call.body->text("event_id")) {
        named = event_id{*std::move(event)};
    }
    const auto again = co_await parts.kit->redeliver(call.who.organization, room, named);
    if (!again) {
        co_return problem_of(again.error());
    }
    if (again->verdict == lane_verdict::nothing_missed) {
        co_return conflict_problem(
            "NOTHING_TO_REDELIVER",
            "nothing of the event failed or was skipped that can still be reached"
        );
    }
    const or_problem<> noted = co_await note(parts, &call, "lane.redelivered", again->event);
    if (!noted) {
        co_return noted.error();
    }
    json_writer out;
    out.begin_object();
    out.key("room_id").string(room.str());
    out.key("event_id").string(again->event.str());
    out.key("queued").integer(static_cast<std::int64_t>(again->queued));
    out.key("reopened").integer(static_cast<std::int64_t>(again->reopened));
    out.key("left").integer(static_cast<std::int64_t>(again->left));
    out.end_object();
    co_return json_answer(200, out.take());
}

schema_field reason_field() {
    return optional("reason", schema::text({1, 1024}), "For the audit trail");
}

route lane_route(std::string verb, std::string operation, std::string summary) {
    route made;
    made.method = http_method::post;
    made.pattern = "/api/v1/admin/lanes/{room_id}/" + verb;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "admin";
    made.who = permission::operator_;
    made.body_presence = presence::optional;
    return made;
}

}  // namespace

std::vector<route> lane_routes(resource_parts parts) {
    std::vector<route> routes;

    route listing;
    listing.pattern = "/api/v1/admin/lanes";
    listing.operation = "list_lanes";
    listing.summary = "Delivery lanes of the worker that answers, and all that are stopped";
    listing.tag = "admin";
    listing.who = permission::operator_;
    listing.answers = {{200, "The lanes", lane_list_schema()}};
    listing.handle = on(parts, list_lanes);
    routes.push_back(std::move(listing));

    const schema why = schema::input("LaneReason", {reason_field()});
    route pausing = lane_route(
        "pause", "pause_lane", "Starts no more deliveries of the room, by any worker"
    );
    pausing.body = why;
    pausing.answers = {
        {200, "Nothing runs any more", state_schema()},
        {202, "No set is started any more, and one still runs", state_schema()},
    };
    pausing.handle = on(parts, pause_lane);
    routes.push_back(std::move(pausing));

    route resuming = lane_route("resume", "resume_lane", "Lets a stopped lane go on");
    resuming.body = why;
    resuming.answers = {{200, "It goes on", state_schema()}};
    resuming.handle = on(parts, resume_lane);
    routes.push_back(std::move(resuming));

    route skipping = lane_route(
        "skip", "skip_lane_head", "Passes over the event that holds the lane up, on record"
    );
    skipping.body = schema::input(
        "LaneSkipRequest",
        {optional("index", schema::integer({0}), "Only if this is still the head"), reason_field()}
    );
    skipping.answers = {{200, "What was passed over", skipped_schema()}};
    skipping.handle = on(parts, skip_head);
    routes.push_back(std::move(skipping));

    route again = lane_route(
        "redeliver", "redeliver_event", "Delivers again what failed or was skipped of an event"
    );
    again.body = schema::input(
        "LaneRedeliveryRequest",
        {optional(
             "event_id",
             schema::id(),
             "Left out: the head, or, where nothing waits, the event that was delivered last"
         ),
         reason_field()}
    );
    again.answers = {{200, "What is under way", redelivered_schema()}};
    again.handle = on(parts, redeliver);
    routes.push_back(std::move(again));
    return routes;
}

}  // namespace convene
