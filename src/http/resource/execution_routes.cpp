// SPDX-License-Identifier: Apache-2.0
// Executions over HTTP: who sees the room of one sees it; its initiator and admins drive and end it.
#include <string>
#include <utility>

#include "base/enumerator_of.hpp"
#include "http/audit.hpp"
#include "http/page.hpp"
#include "http/resource/workflow_routes.hpp"
#include "http/room_access.hpp"
#include "http/view/words.hpp"
#include "http/view/workflow_view.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

struct seen_execution {
    ops::get_execution::answer work;
    room_context around;
};

/// The execution of the path. *Errors*: 404 as well for one whose room the caller may not see.
awaitable<or_problem<seen_execution>> find_execution(
    workflow_route_parts parts, const route_call* call
) {
    ops::get_execution request{call->who.organization, room_id{call->at("execution_id")}};
    auto found = co_await parts.runs.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    auto around = co_await read_seen_room(parts.runs.kit, call->who, found->execution.room);
    if (!around) {
        co_return around.error();
    }
    co_return seen_execution{*std::move(found), *std::move(around)};
}

/// The same for whoever may end it. *Errors*: 403.
awaitable<or_problem<room_id>> find_own_execution(
    workflow_route_parts parts, const route_call* call
) {
    const auto found = co_await find_execution(parts, call);
    if (!found) {
        co_return found.error();
    }
    const workflow_execution& execution = found->work.execution;
    const bool is_own = execution.initiator == call->who.name() ||
                        call->who.role >= user_role::admin;
    if (!is_own) {
        co_return forbidden_problem("this needs whoever started it, or an admin");
    }
    co_return execution.room;
}

awaitable<or_problem<room_context>> enter_execution(
    workflow_route_parts parts, const route_call* call
) {
    auto found = co_await find_execution(parts, call);
    if (!found) {
        co_return found.error();
    }
    co_return std::move(found->around);
}

awaitable<handled> list_executions(workflow_route_parts parts, route_call call) {
    const or_problem<std::string> position = page_position(call);
    if (!position) {
        co_return position.error();
    }
    ops::list_executions request;
    request.organization = call.who.organization;
    if (!position->empty()) {
        request.before = room_id{*position};
    }
    if (auto workflow = call.text("workflow_id")) {
        request.workflow = workflow_id{*std::move(workflow)};
    }
    if (const auto status = call.text("status")) {
        request.status = enumerator_of(*status, execution_status::running);
    }
    if (!call.who.sees_every_room()) {
        request.initiator = call.who.user;
    }
    request.limit = page_limit(call) + 1;
    const auto found = co_await parts.runs.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    co_return page_answer(
        "executions",
        *found,
        page_limit(call),
        write_execution,
        [](const workflow_execution& last) { return last.room.str(); }
    );
}

awaitable<handled> get_execution(workflow_route_parts parts, route_call call) {
    const auto found = co_await find_execution(parts, &call);
    if (!found) {
        co_return found.error();
    }
    co_return json_answer(200, as_json(write_execution, found->work.execution));
}

awaitable<handled> list_tasks(workflow_route_parts parts, route_call call) {
    const auto found = co_await find_execution(parts, &call);
    if (!found) {
        co_return found.error();
    }
    json_writer out;
    out.begin_object().key("tasks").begin_array();
    for (const execution_task& task : found->work.tasks) {
        write_execution_task(out, task);
    }
    out.end_array().end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> list_invocations(workflow_route_parts parts, route_call call) {
    const auto known = co_await find_execution(parts, &call);
    if (!known) {
        co_return known.error();
    }
    const auto before = page_number(call);
    if (!before) {
        co_return before.error();
    }
    ops::list_invocations request{call.who.organization, known->work.execution.room, *before};
    request.limit = page_limit(call) + 1;
    const auto found = co_await parts.runs.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    co_return page_answer(
        "invocations",
        *found,
        page_limit(call),
        write_invocation,
        [](const tool_invocation& last) { return std::to_string(last.number); }
    );
}

awaitable<handled> cancel_execution(workflow_route_parts parts, route_call call) {
    const auto room = co_await find_own_execution(parts, &call);
    if (!room) {
        co_return room.error();
    }
    const auto cancelled = co_await parts.workflows->cancel(
        *room, audit_of(call, "execution.cancelled", "")
    );
    if (!cancelled) {
        co_return problem_of(cancelled.error());
    }
    co_return json_answer(200, as_json(write_execution, *cancelled));
}

/// It ends first, so that whoever drives it stops.
awaitable<handled> delete_execution(workflow_route_parts parts, route_call call) {
    const auto room = co_await find_own_execution(parts, &call);
    if (!room) {
        co_return room.error();
    }
    const auto cancelled = co_await parts.workflows->cancel(
        *room, audit_of(call, "execution.cancelled", "")
    );
    if (!cancelled) {
        co_return problem_of(cancelled.error());
    }
    ops::append_audit line{audit_of(call, "execution.deleted", room->str())};
    const auto noted = co_await parts.runs.kit->store().run(std::move(line));
    if (!noted) {
        co_return problem_of(noted.error());
    }
    const auto gone = co_await parts.runs.kit->delete_room(call.who.organization, *room);
    if (!gone) {
        co_return problem_of(gone.error());
    }
    co_return no_content();
}

route execution_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/workflow-executions" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "workflows";
    return made;
}

}  // namespace

std::vector<route> execution_routes(workflow_route_parts parts) {
    std::vector<route> routes;

    route listing = execution_route(
        http_method::get, "", "list_executions", "Executions, newest first; a member's own"
    );
    listing.parameters = page_parameters();
    listing.parameters.push_back(query_parameter("workflow_id", schema::id(), "Of this workflow"));
    listing.parameters.push_back(query_parameter(
        "status", words_of("ExecutionStatus", execution_status::running), "In this state"
    ));
    listing.answers = {
        {200, "Executions", page_schema("ExecutionList", "executions", execution_schema())}
    };
    listing.handle = on(parts, list_executions);
    routes.push_back(std::move(listing));

    route getting = execution_route(
        http_method::get, "/{execution_id}", "get_execution", "What an execution is at"
    );
    getting.answers = {{200, "The execution", execution_schema()}};
    getting.handle = on(parts, get_execution);
    routes.push_back(std::move(getting));

    route removing = execution_route(
        http_method::delete_,
        "/{execution_id}",
        "delete_execution",
        "Ends an execution and removes it with its room"
    );
    removing.answers = {{204, "It is gone", std::nullopt}};
    removing.handle = on(parts, delete_execution);
    routes.push_back(std::move(removing));

    route cancelling = execution_route(
        http_method::post,
        "/{execution_id}/cancel",
        "cancel_execution",
        "Ends an execution; what is open is skipped"
    );
    cancelling.answers = {{200, "The execution", execution_schema()}};
    cancelling.handle = on(parts, cancel_execution);
    routes.push_back(std::move(cancelling));

    route tasks = execution_route(
        http_method::get, "/{execution_id}/tasks", "list_execution_tasks", "Its tasks, in order"
    );
    tasks.answers = {
        {200,
         "Tasks",
         schema::object(
             "ExecutionTaskList", {required("tasks", schema::list(execution_task_schema()))}
         )},
    };
    tasks.handle = on(parts, list_tasks);
    routes.push_back(std::move(tasks));

    route invocations = execution_route(
        http_method::get,
        "/{execution_id}/tool-invocations",
        "list_tool_invocations",
        "Tool calls that were decided, newest first"
    );
    invocations.parameters = page_parameters();
    invocations.answers = {
        {200, "Calls", page_schema("ToolInvocationList", "invocations", invocation_schema())}
    };
    invocations.handle = on(parts, list_invocations);
    routes.push_back(std::move(invocations));

    run_place running;
    running.path = "/api/v1/workflow-executions/{execution_id}";
    running.operation = "_of_execution";
    running.enter = [parts](const route_call* call) { return enter_execution(parts, call); };
    for (route& one : run_routes(parts.runs, running)) {
        routes.push_back(std::move(one));
    }
    return routes;
}

}  // namespace convene
