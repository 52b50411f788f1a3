// SPDX-License-Identifier: Apache-2.0
// Drawing operations: workflows, executions, notifications.
#include "store/random_operations.hpp"

namespace convene {

namespace {

ops::new_session session_in(const room_id& room, const organization_id& of, const turn_id& turn) {
    ops::new_session made;
    made.room = make_room(room.str(), of);
    made.agent = channel_id{"channel0"};
    made.owner = "owner0";
    made.turn.emplace();
    made.turn->id = turn;
    made.turn->room = room;
    made.turn->organization = of;
    return made;
}

}  // namespace

std::vector<task_template> random_operations::any_tasks() {
    std::vector<task_template> tasks;
    for (std::size_t i = below(4); i > 0; --i) {
        task_template& made = tasks.emplace_back();
        made.key = numbered("t", 4);
        made.title = any_key();
        made.tools = {any_key()};
        if (tasks.size() > 1 && happens(60)) {
            made.depends_on = {tasks[tasks.size() - 2].key};
        }
    }
    return tasks;
}

void random_operations::change_workflows() {
    ops::put_workflow request;
    request.workflow.id = workflow_id{numbered("w", 3)};
    request.workflow.organization = acme();
    request.workflow.created_by = "owner0";
    const auto known = oracle_.run(ops::get_workflow{acme(), request.workflow.id});
    if (known && happens(80)) {
        request.workflow = *known;
    }
    request.workflow.name = any_key();
    request.workflow.tasks = any_tasks();
    if (happens(30)) {
        const room_id room = any_room();
        request.session = session_in(
            room, organization_of(room), turn_id{"turn" + std::to_string(++last_turn_)}
        );
    }
    const auto put = both(request);
    if (put && happens(50)) {
        both(ops::publish_workflow{acme(), put->id, put->revision, any_key()});
    }
    const room_id room = any_room();
    both(ops::put_draft{room, epoch_of(room), any_key(), any_tasks()});
    if (happens(10)) {
        both(ops::delete_workflow{acme(), workflow_id{numbered("w", 3)}});
    }
}

void random_operations::execute() {
    ops::create_execution request;
    request.execution.room = any_room();
    request.execution.organization = organization_of(request.execution.room);
    request.execution.workflow = workflow_id{numbered("w", 3)};
    request.execution.initiator = numbered("owner", 2);
    request.tasks = any_tasks();
    request.session = session_in(
        request.execution.room,
        request.execution.organization,
        turn_id{"turn" + std::to_string(++last_turn_)}
    );
    both(request);
}

void random_operations::work_on_tasks() {
    const room_id room = any_room();
    for (int i = 0; i < 4; ++i) {
        ops::change_task request{room, epoch_of(room), {}};
        request.change.key = numbered("t", 4);
        request.change.to = one_up_to(execution_task_status::skipped);
        request.change.result = any_key();
        request.change.error = any_key();
        both(request);
    }
    ops::note_invocation note;
    note.invocation.room = room;
    note.invocation.tool = any_key();
    note.epoch = epoch_of(room);
    both(note);
    if (happens(10)) {
        both(ops::cancel_execution{organization_of(room), room, {}});
    }
}

void random_operations::read_workflows() {
    const room_id room = any_room();
    const organization_id of = organization_of(room);
    both(ops::list_workflows{of, {}, below(4)});
    both(ops::list_workflow_versions{acme(), workflow_id{numbered("w", 3)}, below(4)});
    both(ops::find_session_work{of, room});
    both(ops::list_executions{of, {}, {}, {}, {}, below(4)});
    both(ops::list_invocations{of, room, {}, below(4)});
    const auto told = both(ops::list_notifications{of, numbered("owner", 2), happens(50)});
    if (told && !told->empty()) {
        const notification& one = told->front().told;
        both(ops::mark_notification{of, one.user, one.id, happens(50)});
    }
}

}  // namespace convene
