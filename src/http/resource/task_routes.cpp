// SPDX-License-Identifier: Apache-2.0
// Tasks and observations of a room over HTTP.
#include <utility>

#include "http/resource/resources.hpp"
#include "http/view/task_view.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// The namespace of ids of tasks that were asked for with a key.
constexpr std::string_view keyed_tasks = "f0b3a2a4-4b2c-4a75-8f6f-6a0f6b1f6f52";

schema task_list_schema() {
    return schema::object("TaskList", {required("tasks", schema::list(task_schema()))});
}

schema observation_list_schema() {
    return schema::object(
        "ObservationList", {required("observations", schema::list(observation_schema()))}
    );
}

schema new_task_schema() {
    return schema::input(
        "NewTask",
        {optional("id", schema::id(), "Left out: made"),
         required("title", schema::text({1, 500})),
         optional("description", schema::text()),
         optional("assigned_to", schema::text({0, 256}), "A participant or channel"),
         optional("status", task_status_schema(), "Left out: `pending`"),
         optional("metadata", schema::any_object())}
    );
}

schema task_patch_schema() {
    return schema::input(
        "TaskPatch",
        {optional("status", task_status_schema()),
         optional("assigned_to", schema::text({0, 256}), "Empty: nobody")}
    );
}

awaitable<handled> list_tasks(resource_parts parts, route_call call) {
    ops::list_tasks request;
    request.organization = call.who.organization;
    request.room = call.room->room.id;
    if (const auto status = call.text("status")) {
        request.status = task_status_from(*status);
    }
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object();
    out.key("tasks").begin_array();
    for (const room_task& task : *found) {
        write_task(out, task);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

task_id new_task_id(const resource_parts& parts, const route_call& call) {
    if (auto given = call.body->text("id")) {
        return task_id{*std::move(given)};
    }
    if (call.idempotency_key.empty()) {
        return parts.ids->next<task_id>();
    }
    return task_id{uuid5(keyed_tasks, call.who.rate_key() + '\n' + call.idempotency_key)};
}

awaitable<handled> add_task(resource_parts parts, route_call call) {
    const read_object& body = *call.body;
    room_task task;
    task.room = call.room->room.id;
    task.id = new_task_id(parts, call);
    task.title = body.text("title").value_or("");
    task.description = body.text("description").value_or("");
    task.assigned_to = body.text("assigned_to").value_or("");
    task.metadata = body.json("metadata").value_or(json_text{});
    if (const auto status = body.text("status")) {
        task.status = task_status_from(*status).value_or(task.status);
    }
    const room_task wanted = task;
    ops::add_task request{call.who.organization, std::move(task)};
    const auto added = co_await parts.kit->store().run(std::move(request));
    if (added) {
        co_return json_answer(201, task_as_json(*added));
    }
    const bool is_keyed = !body.has("id") && !call.idempotency_key.empty();
    if (added.error() != errc::already_exists || !is_keyed) {
        co_return problem_of(added.error());
    }
    ops::list_tasks all;
    all.organization = call.who.organization;
    all.room = call.room->room.id;
    const auto known = co_await parts.kit->store().run(std::move(all));
    if (!known) {
        co_return problem_of(known.error());
    }
    for (const room_task& first : *known) {
        if (first.id == wanted.id && first.title == wanted.title) {
            co_return json_answer(200, task_as_json(first));
        }
    }
    co_return problem_of(make_error_code(errc::idempotency_key_reused));
}

awaitable<handled> change_task(resource_parts parts, route_call call) {
    ops::update_task request;
    request.organization = call.who.organization;
    request.room = call.room->room.id;
    request.id = task_id{call.at("task_id")};
    if (const auto status = call.body->text("status")) {
        request.status = task_status_from(*status);
    }
    request.assigned_to = call.body->text("assigned_to");
    const auto changed = co_await parts.kit->store().run(std::move(request));
    if (!changed) {
        co_return problem_of(changed.error());
    }
    co_return json_answer(200, task_as_json(*changed));
}

awaitable<handled> list_observations(resource_parts parts, route_call call) {
    ops::list_observations request{call.who.organization, call.room->room.id};
    const auto found = co_await parts.kit->store().run(std::move(request));
    if (!found) {
        co_return problem_of(found.error());
    }
    json_writer out;
    out.begin_object();
    out.key("observations").begin_array();
    for (const observation& one : *found) {
        write_observation(out, one);
    }
    out.end_array();
    out.end_object();
    co_return json_answer(200, out.take());
}

route task_route(http_method method, std::string path, std::string operation, std::string summary) {
    route made;
    made.method = method;
    made.pattern = "/api/v1/rooms/{room_id}" + path;
    made.operation = std::move(operation);
    made.summary = std::move(summary);
    made.tag = "tasks";
    made.who = permission::room_member;
    return made;
}

}  // namespace

std::vector<route> task_routes(resource_parts parts) {
    std::vector<route> routes;

    route listing = task_route(http_method::get, "/tasks", "list_tasks", "Tasks of a room");
    listing.parameters = {query_parameter("status", task_status_schema(), "Only in this state")};
    listing.answers = {{200, "By id", task_list_schema()}};
    listing.handle = on(parts, list_tasks);
    routes.push_back(std::move(listing));

    route adding = task_route(http_method::post, "/tasks", "add_task", "Adds a task");
    adding.body = new_task_schema();
    adding.answers = {
        {201, "The task", task_schema()},
        {200, "The task that this key made before", task_schema()},
    };
    adding.key = key_rule::honoured;
    adding.handle = on(parts, add_task);
    routes.push_back(std::move(adding));

    route changing = task_route(
        http_method::patch, "/tasks/{task_id}", "update_task", "Changes what is named"
    );
    changing.body = task_patch_schema();
    changing.answers = {{200, "The task", task_schema()}};
    changing.handle = on(parts, change_task);
    routes.push_back(std::move(changing));

    route observing = task_route(
        http_method::get, "/observations", "list_observations", "What agents noticed"
    );
    observing.answers = {{200, "By id", observation_list_schema()}};
    observing.handle = on(parts, list_observations);
    routes.push_back(std::move(observing));
    return routes;
}

}  // namespace convene
