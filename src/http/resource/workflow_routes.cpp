// SPDX-License-Identifier: Apache-2.0
// Workflows over HTTP: operators make them, everybody of the organisation executes what is published.
#include "http/resource/workflow_routes.hpp"

#include <string>
#include <utility>

#include "http/audit.hpp"
#include "http/page.hpp"
#include "http/room_access.hpp"
#include "http/uri.hpp"
#include "http/view/workflow_view.hpp"
#include "store/store.hpp"
#include "store/workflow_rules.hpp"

namespace convene {

namespace {

constexpr std::size_t longest_name = 200;
constexpr std::size_t longest_description = 16'000;
constexpr std::size_t longest_prompt = 32'000;

std::vector<schema_field> changeable_fields() {
    return {
        optional("description", schema::text({0, longest_description})),
        optional("skill", schema::text({0, 256}), "The skill's id; empty: none"),
        optional("skill_commit", schema::text({0, 64}), "The revision that is pinned"),
        optional("tasks", schema::list(task_template_schema(), task_limits::tasks)),
    };
}

schema new_workflow_schema() {
    std::vector<schema_field> fields = changeable_fields();
    fields.push_back(required("name", schema::text({1, longest_name})));
    fields.push_back(optional("agent", schema::id(), "The channel that designs and executes it"));
    fields.push_back(optional(
        "prompt", schema::text({1, longest_prompt}), "What the agent is to make a draft of"
    ));
    return schema::input("NewWorkflow", std::move(fields));
}

schema workflow_patch_schema() {
    std::vector<schema_field> fields = changeable_fields();
    fields.push_back(optional("name", schema::text({1, longest_name})));
    fields.push_back(optional("agent", schema::id(), "That executes it"));
    fields.push_back(
        optional("revision", schema::integer({1}), "Only if that is the workflow's; else 409")
    );
    return schema::input("WorkflowPatch", std::move(fields));
}

/// The tasks in a body; none: they stay. *Errors*: 422, with a sentence for people.
or_problem<std::optional<std::vector<task_template>>> read_tasks(const read_object& body) {
    const std::optional<json_text> given = body.json("tasks");
    if (!given) {
        return std::optional<std::vector<task_template>>{};
    }
    auto tasks = templates_of_text(given->str(), "tasks");
    if (!tasks) {
        return problem_of(tasks.error());
    }
    if (const auto fault = find_task_fault(*tasks)) {
        problem refused = validation_problem(fault->field, fault->reason);
        refused.detail = fault->text;
        return refused;
    }
    return std::optional{*std::move(tasks)};
}

/// Puts what the body names into a workflow; the rest stays.
void apply_to(
    workflow& changed,
    const read_object& body,
    const std::optional<std::vector<task_template>>& tasks
) {
    changed.name = body.text("name").value_or(changed.name);
    changed.description = body.text("description").value_or(changed.description);
    changed.skill = body.text("skill").value_or(changed.skill);
    changed.skill_commit = body.text("skill_commit").value_or(changed.skill_commit);
    changed.agent = channel_id{body.text("agent").value_or(changed.agent.str())};
    changed.tasks = tasks.value_or(changed.tasks);
}

problem problem_of_workflow(error_code code) {
    if (code == errc::invalid_argument) {
        return validation_problem("tasks", boundary_reason::missing_field);
    }
    if (code == errc::room_changed) {
        return conflict_problem(
            "WORKFLOW_CHANGED", "the workflow has another revision by now: read it and decide again"
        );
    }
    return problem_of(code);
}

http_response show(const workflow& shown, int status) {
    http_response answer = json_answer(status, as_json(write_workflow, shown));
    if (status == 201) {
        answer.headers.set("location", "/api/v1/workflows/" + percent_encode(shown.id.str()));
    }
    return answer;
}

awaitable<handled> list_workflows(workflow_route_parts parts, route_call call) {
    const or_problem<std::string> position = page_position(call);
    if (!position) {
        co_return position.error();
    }
    ops::list_workflows request;
    request.organization = call.who.organization;
    if (!position->empty()) {
        request.before = workflow_id{*position};
    }
    request.limit = page_limit(call) + 1;
    const auto found = co_await parts.runs.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    co_return page_answer(
        "workflows",
        *found,
        page_limit(call),
        write_workflow,
        [](const workflow& last) { return last.id.str(); }
    );
}

awaitable<handled> create_workflow(workflow_route_parts parts, route_call call) {
    const read_object& body = *call.body;
    const auto tasks = read_tasks(body);
    if (!tasks) {
        co_return tasks.error();
    }
    if (body.has("prompt") && !body.has("agent")) {
        co_return validation_problem("agent", boundary_reason::missing_field);
    }
    workflow wanted;
    apply_to(wanted, body, *tasks);
    const auto made = co_await parts.workflows->create(
        std::move(wanted),
        body.text("prompt").value_or(""),
        actor_of(call),
        audit_of(call, "workflow.created", "")
    );
    if (!made) {
        co_return problem_of_workflow(made.error());
    }
    co_return show(*made, 201);
}

awaitable<handled> get_workflow(workflow_route_parts parts, route_call call) {
    ops::get_workflow request{call.who.organization, workflow_id{call.at("workflow_id")}};
    const auto found = co_await parts.runs.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    co_return show(*found, 200);
}

awaitable<handled> update_workflow(workflow_route_parts parts, route_call call) {
    const auto tasks = read_tasks(*call.body);
    if (!tasks) {
        co_return tasks.error();
    }
    auto apply = [body = *call.body, given = *tasks](workflow& changed) {
        apply_to(changed, body, given);
    };
    workflow_id id{call.at("workflow_id")};
    const auto changed = co_await parts.workflows->change(
        std::move(id),
        std::move(apply),
        call.body->integer("revision"),
        audit_of(call, "workflow.changed", "")
    );
    if (!changed) {
        co_return problem_of_workflow(changed.error());
    }
    co_return show(*changed, 200);
}

awaitable<handled> delete_workflow(workflow_route_parts parts, route_call call) {
    workflow_id id{call.at("workflow_id")};
    const result<> removed = co_await parts.workflows->remove(
        std::move(id), audit_of(call, "workflow.deleted", "")
    );
    if (!removed) {
        co_return problem_of(removed.error());
    }
    co_return no_content();
}

awaitable<handled> publish_workflow(workflow_route_parts parts, route_call call) {
    workflow_id id{call.at("workflow_id")};
    const auto published = co_await parts.workflows->publish(
        std::move(id), actor_of(call), audit_of(call, "workflow.published", "")
    );
    if (!published) {
        co_return problem_of_workflow(published.error());
    }
    co_return json_answer(200, as_json(write_workflow_version, *published));
}

awaitable<handled> list_versions(workflow_route_parts parts, route_call call) {
    ops::get_workflow look{call.who.organization, workflow_id{call.at("workflow_id")}};
    const auto known = co_await parts.runs.kit->store().run(std::move(look));
    if (!known) {
        co_return problem_of(known.error());
    }
    ops::list_workflow_versions request{known->organization, known->id};
    request.limit = page_limit(call);
    const auto found = co_await parts.runs.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object().key("versions").begin_array();
    for (const workflow_version& one : *found) {
        write_workflow_version(out, one);
    }
    out.end_array().end_object();
    co_return json_answer(200, out.take());
}

awaitable<handled> execute_workflow(workflow_route_parts parts, route_call call) {
    const std::optional<read_object>& body = call.body;
    const bool is_draft = body && body->boolean("draft").value_or(false);
    if (is_draft && call.who.role < user_role::operator_) {
        co_return forbidden_problem("drafts are executed by operators");
    }
    workflow_id id{call.at("workflow_id")};
    const executed_form form = is_draft ? executed_form::draft : executed_form::published;
    std::string name = body ? body->text("name").value_or("") : std::string{};
    const auto made = co_await parts.workflows->execute(
        std::move(id),
        form,
        std::move(name),
        actor_of(call),
        audit_of(call, "execution.started", "")
    );
    if (!made) {
        co_return problem_of_workflow(made.error());
    }
    http_response answer = json_answer(201, as_json(write_execution, *made));
    answer.headers.set(
        "location", "/api/v1/workflow-executions/" + percent_encode(made->room.str())
    );
    co_return answer;
}

/// The room in which the workflow of the path is designed.
awaitable<or_problem<room_context>> enter_design(
    workflow_route_parts parts, const route_call* call
) {
    ops::get_workflow look{call->who.organization, workflow_id{call->at("workflow_id")}};
    const auto known = co_await parts.runs.kit->store().run(std::move(look));
    if (!known) {
        co_return problem_of(known.error());
    }
    auto around = co_await read_seen_room(parts.runs.kit, call->who, known->room);
    co_return around;
}

route workflow_route(
    http_method method, std::string path, std::string operation, std::string summary
) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/workflows" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "workflows";
    made.who = permission::operator_;
    return made;
}

}  // namespace

workflow_actor actor_of(const route_call& call) {
    workflow_actor by;
    by.organization = call.who.organization;
    by.name = call.who.name();
    by.display_name = call.who.display_name;
    by.is_user = call.who.is_user();
    by.key = call.idempotency_key;
    return by;
}

std::vector<route> workflow_routes(workflow_route_parts parts) {
    std::vector<route> routes;

    route listing = workflow_route(
        http_method::get, "", "list_workflows", "Workflows, newest first"
    );
    listing.who = permission::signed_in;
    listing.parameters = page_parameters();
    listing.answers = {
        {200, "Workflows", page_schema("WorkflowList", "workflows", workflow_schema())}
    };
    listing.handle = on(parts, list_workflows);
    routes.push_back(std::move(listing));

    route creating = workflow_route(
        http_method::post, "", "create_workflow", "Makes a workflow, by hand or by its agent"
    );
    creating.body = new_workflow_schema();
    creating.answers = {{201, "The workflow; `generating` while the agent works", workflow_schema()}
    };
    creating.key = key_rule::honoured;
    creating.handle = on(parts, create_workflow);
    routes.push_back(std::move(creating));

    route getting = workflow_route(
        http_method::get, "/{workflow_id}", "get_workflow", "One workflow with its draft"
    );
    getting.who = permission::signed_in;
    getting.answers = {{200, "The workflow", workflow_schema()}};
    getting.handle = on(parts, get_workflow);
    routes.push_back(std::move(getting));

    route changing = workflow_route(
        http_method::patch,
        "/{workflow_id}",
        "update_workflow",
        "Changes what is named of the draft"
    );
    changing.body = workflow_patch_schema();
    changing.answers = {{200, "The workflow", workflow_schema()}};
    changing.handle = on(parts, update_workflow);
    routes.push_back(std::move(changing));

    route removing = workflow_route(
        http_method::delete_,
        "/{workflow_id}",
        "delete_workflow",
        "Removes a workflow, its versions and the room in which it was designed"
    );
    removing.answers = {{204, "It is gone; its executions stay", std::nullopt}};
    removing.handle = on(parts, delete_workflow);
    routes.push_back(std::move(removing));

    route publishing = workflow_route(
        http_method::post,
        "/{workflow_id}/publish",
        "publish_workflow",
        "Makes the draft the next version; the same draft again is the same version"
    );
    publishing.answers = {{200, "The version", workflow_version_schema()}};
    publishing.handle = on(parts, publish_workflow);
    routes.push_back(std::move(publishing));

    route versions = workflow_route(
        http_method::get,
        "/{workflow_id}/versions",
        "list_workflow_versions",
        "Versions, newest first"
    );
    versions.who = permission::signed_in;
    versions.parameters = {query_parameter("limit", schema::integer({1, 200}), "At most", "50")};
    versions.answers = {
        {200,
         "Versions",
         schema::object(
             "WorkflowVersionList", {required("versions", schema::list(workflow_version_schema()))}
         )},
    };
    versions.handle = on(parts, list_versions);
    routes.push_back(std::move(versions));

    route executing = workflow_route(
        http_method::post,
        "/{workflow_id}/execute",
        "execute_workflow",
        "Starts an execution of the last version, or of the draft"
    );
    executing.who = permission::signed_in;
    executing.body = schema::input(
        "ExecuteWorkflow",
        {optional("name", schema::text({1, longest_name}), "Left out: the workflow's"),
         optional("draft", schema::boolean(), "Tries the draft; its tools answer what it says")}
    );
    executing.body_presence = presence::optional;
    executing.answers = {
        {201, "The execution; its first turn waits for a worker", execution_schema()}
    };
    executing.key = key_rule::honoured;
    executing.handle = on(parts, execute_workflow);
    routes.push_back(std::move(executing));

    run_place designing;
    designing.path = "/api/v1/workflows/{workflow_id}";
    designing.operation = "_of_design";
    designing.enter = [parts](const route_call* call) { return enter_design(parts, call); };
    for (route& one : run_routes(parts.runs, designing)) {
        routes.push_back(std::move(one));
    }
    return routes;
}

}  // namespace convene
