// SPDX-License-Identifier: Apache-2.0
// Approval routes: listing, looking, deciding once.
#include "http/resource/approval_routes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/session/approval_answer.hpp"
#include "http/approval_access.hpp"
#include "http/cursor.hpp"
#include "http/view/approval_view.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

awaitable<handled> list_approvals(session_route_parts parts, route_call call) {
    ops::list_approvals request;
    request.organization = call.who.organization;
    if (!call.who.sees_every_room()) {
        request.member = participant_id{call.who.user};
    }
    if (const auto status = call.text("status")) {
        request.state = approval_state_from(*status);
    }
    if (auto room = call.text("room_id")) {
        request.room = room_id{*std::move(room)};
    }
    if (const auto cursor = call.text("cursor")) {
        const auto position = decode_cursor(*cursor);
        if (!position) {
            co_return validation_problem("cursor", boundary_reason::malformed);
        }
        request.before = approval_id{*position};
    }
    const auto limit = static_cast<std::size_t>(call.integer("limit").value_or(50));
    request.limit = limit + 1;
    auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    const bool has_more = found->size() > limit;
    found->resize(std::min(found->size(), limit));
    const std::string last = found->empty() ? std::string{} : found->back().id.str();
    const auto shown = co_await show_approvals(parts.kit, call.who, *std::move(found));
    if (!shown) {
        co_return shown.error();
    }
    json_writer out;
    out.begin_object().key("approvals").begin_array();
    for (const shown_approval& one : *shown) {
        write_approval(out, one);
    }
    out.end_array();
    out.key("next_cursor");
    if (has_more) {
        out.string(encode_cursor(last));
    } else {
        out.null();
    }
    out.end_object();
    co_return json_answer(200, out.take());
}

struct found_approval {
    approval asked;
    asking_session asking;
};

/// 404 as well for what belongs to a room that may not be seen.
awaitable<or_problem<found_approval>> find_approval(
    session_route_parts parts, const route_call* call
) {
    ops::get_approval look{call->who.organization, approval_id{call->at("approval_id")}};
    auto known = co_await parts.kit->store().run(std::move(look));
    if (!known) {
        co_return problem_of(known.error());
    }
    auto asking = co_await read_asking(parts.kit, call->who, known->room);
    if (!asking) {
        co_return asking.error();
    }
    co_return found_approval{*std::move(known), *std::move(asking)};
}

json_text shown_as_json(const route_call& call, const asking_session& asking, approval asked) {
    return approval_as_json(shown_to(call.who, asking, std::move(asked)));
}

awaitable<handled> get_approval(session_route_parts parts, route_call call) {
    const auto found = co_await find_approval(parts, &call);
    if (!found) {
        co_return found.error();
    }
    co_return json_answer(200, shown_as_json(call, found->asking, found->asked));
}

awaitable<handled> decide_approval(session_route_parts parts, route_call call) {
    const auto found = co_await find_approval(parts, &call);
    if (!found) {
        co_return found.error();
    }
    if (!may_decide(call.who, found->asking.around, found->asked)) {
        co_return forbidden_problem("this is for others to decide");
    }
    const auto state = approval_state_from(*call.body->text("status"));
    json_text response = call.body->json("response").value_or(json_text{});
    const auto decision = read_decision(found->asked, *state, std::move(response), "response");
    if (!decision) {
        co_return refusal_of(decision.error());
    }
    session_service::answers given = answers_of(call, {found->asked}, {*decision});
    session_service::answers sent = given;
    const room_id room = found->asked.room;
    const auto decided = co_await parts.sessions->decide(
        call.who.organization, room, std::move(sent)
    );
    if (!decided) {
        problem refused = co_await describe_refusal(
            parts.kit, call.who.organization, room, std::move(given), decided.error()
        );
        co_return refused;
    }
    co_return json_answer(200, shown_as_json(call, found->asking, decided->decided.front()));
}

using approval_handler = awaitable<handled> (*)(session_route_parts parts, route_call call);

route approval_route(
    http_method method,
    std::string path,
    std::string operation,
    std::string summary,
    session_route_parts parts,
    approval_handler handle
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/approvals" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "agents";
    made.who = permission::signed_in;
    made.handle = [parts, handle](route_call call) { return handle(parts, std::move(call)); };
    return made;
}

}  // namespace

std::vector<route> approval_routes(session_route_parts parts) {
    std::vector<route> routes;

    route listing = approval_route(
        http_method::get,
        "",
        "list_approvals",
        "What agents ask in rooms that one may see, the last one first",
        parts,
        list_approvals
    );
    listing.parameters = {
        query_parameter("limit", schema::integer({1, 200}), "Approvals in a page", "50"),
        query_parameter("cursor", schema::text({1, 1024}), "`next_cursor` of the page before"),
        query_parameter("status", approval_state_schema(), "Only in this state"),
        query_parameter("room_id", schema::id(), "Only of this session"),
    };
    listing.answers = {
        {200,
         "A page of approvals",
         schema::object(
             "ApprovalList",
             {required("approvals", schema::list(approval_schema())),
              required("next_cursor", schema::text().or_null())}
         )},
    };
    routes.push_back(std::move(listing));

    route looking = approval_route(
        http_method::get, "/{approval_id}", "get_approval", "One of them", parts, get_approval
    );
    looking.answers = {{200, "The approval", approval_schema()}};
    routes.push_back(std::move(looking));

    route deciding = approval_route(
        http_method::patch,
        "/{approval_id}",
        "decide_approval",
        "Decides, once; the session goes on when nothing is open any more",
        parts,
        decide_approval
    );
    deciding.body = schema::input(
        "ApprovalDecision",
        {required("status", schema::word("ApprovalVerdict", {"approved", "rejected", "returned"})),
         optional("response", schema::any(), "For the agent; of an input: the answer")}
    );
    deciding.answers = {{200, "The approval", approval_schema()}};
    routes.push_back(std::move(deciding));
    return routes;
}

}  // namespace convene
