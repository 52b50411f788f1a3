// SPDX-License-Identifier: Apache-2.0
// The operator's view of turns: what waits, runs, failed or was set aside, and running one again (N4).
#include <optional>
#include <string>
#include <utility>

#include "http/audit.hpp"
#include "http/resource/session_routes.hpp"
#include "http/view/turn_view.hpp"
#include "http/view/words.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

awaitable<handled> list_turns(session_route_parts parts, route_call call) {
    ops::list_turns request;
    request.organization = call.who.organization;
    if (auto room = call.text("room_id")) {
        request.room = room_id{*std::move(room)};
    }
    if (const auto status = call.text("status")) {
        request.status = turn_status_of(*status);
    }
    request.limit = static_cast<std::size_t>(call.integer("limit").value_or(50));
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    const wall_time now = parts.clock->now();
    json_writer out;
    out.begin_object().key("turns").begin_array();
    for (const session_turn& turn : *found) {
        write_turn(out, turn, now);
    }
    out.end_array().end_object();
    co_return json_answer(200, out.take());
}

/// It is not one that can be run again; which it is instead tells why.
awaitable<problem> describe_refusal(session_route_parts parts, ops::get_turn which) {
    const auto turn = co_await parts.kit->store().run(std::move(which));
    if (!turn) {
        co_return problem_of(turn.error());
    }
    const std::string status{word_of(turn->status)};
    problem refused = conflict_problem(
        "TURN_NOT_RETRYABLE",
        "only a turn that failed or is quarantined can be run again: this one is " + status
    );
    refused.members = {{"turn_status", status}};
    co_return refused;
}

awaitable<handled> retry_turn(session_route_parts parts, route_call call) {
    json_writer details;
    details.begin_object();
    if (call.body) {
        if (const auto reason = call.body->text("reason")) {
            details.key("reason").string(*reason);
        }
    }
    details.end_object();
    ops::retry_turn request;
    request.organization = call.who.organization;
    request.turn = turn_id{call.at("turn_id")};
    request.audit = audit_of(call, "turn.retried", call.at("turn_id"), details.take());
    ops::get_turn same{request.organization, request.turn};
    const auto queued = co_await parts.sessions->retry(std::move(request));
    if (!queued && queued.error() == errc::room_changed) {
        problem refused = co_await describe_refusal(parts, std::move(same));
        co_return refused;
    }
    if (!queued) {
        co_return problem_of(queued.error());
    }
    json_writer out;
    write_turn(out, *queued, parts.clock->now());
    co_return json_answer(200, out.take());
}

}  // namespace

std::vector<route> turn_routes(session_route_parts parts) {
    std::vector<route> routes;

    route listing;
    listing.pattern = "/api/v1/admin/turns";
    listing.operation = "list_turns";
    listing.summary = "Turns of agent sessions, newest first";
    listing.tag = "admin";
    listing.who = permission::operator_;
    listing.parameters = {
        query_parameter("status", words_of("TurnStatus", turn_status::queued), "Only these"),
        query_parameter("room_id", schema::id(), "Only those of this session"),
        query_parameter("limit", schema::integer({1, 500}), "At most", "50"),
    };
    listing.answers = {
        {200,
         "The turns",
         schema::object("TurnList", {required("turns", schema::list(turn_schema()))})},
    };
    listing.handle = [parts](route_call call) { return list_turns(parts, std::move(call)); };
    routes.push_back(std::move(listing));

    route again;
    again.method = http_method::post;
    again.pattern = "/api/v1/admin/turns/{turn_id}/retry";
    again.operation = "retry_turn";
    again.summary = "Runs a turn again that failed or is quarantined, from its first attempt";
    again.tag = "admin";
    again.who = permission::operator_;
    again.body = schema::input(
        "TurnRetry", {optional("reason", schema::text({1, 1024}), "For the audit trail")}
    );
    again.body_presence = presence::optional;
    again.answers = {{200, "It waits for a worker", turn_schema()}};
    again.handle = [parts](route_call call) { return retry_turn(parts, std::move(call)); };
    routes.push_back(std::move(again));
    return routes;
}

}  // namespace convene
