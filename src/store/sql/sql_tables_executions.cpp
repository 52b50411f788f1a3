// SPDX-License-Identifier: Apache-2.0
// The SQL tables: executions of workflows, their tasks, and the tool calls that were decided.
//
// Whatever changes an execution first locks the row of its session.
#include <utility>

#include "store/sql/rows.hpp"
#include "store/sql/session_rows.hpp"
#include "store/sql/sql_tables.hpp"
#include "store/sql/workflow_rows.hpp"

namespace convene::sql {

std::optional<workflow_execution> sql_tables::find_execution(const room_id& room) {
    static const std::string text = select_from(
        "workflow_executions", execution_columns, "WHERE room_id = ?1"
    );
    query rows = db_.select(text, room);
    return rows.next() ? std::optional{read_execution(rows)} : std::nullopt;
}

bool sql_tables::is_over(const room_id& room) {
    return db_.exists("SELECT 1 FROM workflow_executions WHERE room_id = ?1 AND status <> 1", room);
}

std::vector<execution_task> sql_tables::tasks_in(const room_id& room) {
    static const std::string text = select_from(
        "execution_tasks", execution_task_columns, "WHERE room_id = ?1 ORDER BY position"
    );
    return collect(db_.select(text, room), [this](query& row) {
        return read_execution_task(row, db_);
    });
}

void sql_tables::save_tasks(
    const room_id& room,
    const std::vector<execution_task>& tasks,
    const std::vector<std::size_t>& changed
) {
    for (const std::size_t position : changed) {
        const execution_task& task = tasks[position];
        db_.run(
            "UPDATE execution_tasks SET status = ?3, error_kind = ?4, error = ?5, result = ?6,"
            " started_at = ?7, ended_at = ?8 WHERE room_id = ?1 AND position = ?2",
            room,
            position,
            task.status,
            task.error_kind,
            task.error,
            task.result,
            task.started_at,
            task.ended_at
        );
    }
}

void sql_tables::end_execution(workflow_execution& ending, execution_status how, wall_time now) {
    ending.status = how;
    ending.finished_at = now;
    db_.run(
        "UPDATE workflow_executions SET status = ?2, finished_at = ?3 WHERE room_id = ?1",
        ending.room,
        ending.status,
        now
    );
    db_.run(
        "UPDATE turns SET status = 3, last_error = ?2 WHERE room_id = ?1 AND status = 1",
        ending.room,
        execution_ended_word
    );
}

result<workflow_execution> sql_tables::perform(const ops::create_execution& request) {
    if (find_task_fault(request.tasks)) {
        return errc::invalid_argument;
    }
    workflow_execution made = request.execution;
    if (std::optional<workflow_execution> known = find_execution(made.room)) {
        if (known->organization != made.organization || known->initiator != made.initiator ||
            known->workflow != made.workflow) {
            return errc::already_exists;
        }
        return *std::move(known);
    }
    const result<> opened = add_session(request.session);
    if (!opened) {
        return opened.error();
    }
    made.status = execution_status::running;
    made.created_at = clock_.now();
    made.finished_at.reset();
    db_.run(
        "INSERT INTO workflow_executions (room_id, organization_id, workflow_id, version, name,"
        " description, skill, skill_commit, initiator, status, created_at) VALUES (?1, ?2, ?3, ?4,"
        " ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        made.room,
        made.organization,
        made.workflow,
        made.version,
        made.name,
        made.description,
        made.skill,
        made.skill_commit,
        made.initiator,
        made.status,
        made.created_at
    );
    for (std::size_t position = 0; position < request.tasks.size(); ++position) {
        const task_template& task = request.tasks[position];
        db_.run(
            "INSERT INTO execution_tasks (room_id, position, key, title, instructions, depends_on,"
            " tools, mocks, status, error, result) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, '',"
            " '')",
            made.room,
            position,
            task.key,
            task.title,
            task.instructions,
            text_of_list(task.depends_on),
            text_of_list(task.tools),
            task.mocks
        );
    }
    const auto pinned = perform(ops::pin_skill{pin_of(made)});
    static_cast<void>(pinned);  // no skill, or one that has nothing to be kept any more
    insert_audit(db_, request.audit, made.created_at);
    return made;
}

result<ops::get_execution::answer> sql_tables::perform(const ops::get_execution& request) {
    std::optional<workflow_execution> known = find_execution(request.room);
    if (!known || known->organization != request.organization) {
        return errc::not_found;
    }
    return ops::get_execution::answer{*std::move(known), tasks_in(request.room)};
}

result<std::vector<workflow_execution>> sql_tables::perform(const ops::list_executions& request) {
    std::string text = select_from(
        "workflow_executions",
        execution_columns,
        "WHERE organization_id = ?1 AND (?2 IS NULL OR number < (SELECT number FROM"
        " workflow_executions WHERE room_id = ?2))"
    );
    // Each is found by an index of its own.
    text += request.workflow ? " AND workflow_id = ?4" : " AND ?4 IS NULL";
    text += request.status ? " AND status = ?5" : " AND ?5 IS NULL";
    text += request.initiator ? " AND initiator = ?6" : " AND ?6 IS NULL";
    text += " ORDER BY number DESC LIMIT ?3";
    return collect(
        db_.select(
            text,
            request.organization,
            request.before,
            request.limit,
            request.workflow,
            request.status,
            request.initiator
        ),
        read_execution
    );
}

result<ops::find_session_work::answer> sql_tables::perform(const ops::find_session_work& request) {
    ops::find_session_work::answer work;
    if (auto known = perform(ops::get_execution{request.organization, request.room})) {
        work.execution = *std::move(known);
        return work;
    }
    static const std::string text = select_from(
        "workflows",
        workflow_columns,
        "WHERE room_id = ?1 AND room_id <> '' AND organization_id = ?2"
    );
    query rows = db_.select(text, request.room, request.organization);
    if (rows.next()) {
        work.design = read_workflow(rows, db_);
    }
    return work;
}

result<ops::change_task::answer> sql_tables::perform(const ops::change_task& request) {
    if (!lock_driven(request.room, request.epoch)) {
        return errc::driver_fenced;
    }
    std::optional<workflow_execution> execution = find_execution(request.room);
    if (!execution) {
        return errc::not_found;
    }
    if (execution->status != execution_status::running) {
        return errc::execution_ended;
    }
    const wall_time now = clock_.now();
    ops::change_task::answer answer;
    answer.tasks = tasks_in(request.room);
    answer.verdict = take_step(answer.tasks, request.change, now);
    save_tasks(request.room, answer.tasks, answer.verdict.changed);
    if (const auto how = settled_status(answer.tasks)) {
        end_execution(*execution, *how, now);
        add_notification(notice_of(*execution, answer.tasks, now));
    }
    answer.execution = *std::move(execution);
    return answer;
}

result<workflow_execution> sql_tables::perform(const ops::cancel_execution& request) {
    const std::optional<agent_session> session = lock_session(request.room);
    std::optional<workflow_execution> known = find_execution(request.room);
    if (!known || known->organization != request.organization || !session) {
        return errc::not_found;
    }
    if (known->status != execution_status::running) {
        return *std::move(known);
    }
    const wall_time now = clock_.now();
    std::vector<execution_task> tasks = tasks_in(request.room);
    const std::vector<std::size_t> changed = skip_open(tasks, now);
    save_tasks(request.room, tasks, changed);
    end_execution(*known, execution_status::cancelled, now);
    cancel_approvals(request.room, now);
    db_.run("UPDATE runs SET is_cancel_requested = 1 WHERE id = ?1 AND status = 1", session->run);
    if (session->status != session_status::running &&
        session->status != session_status::quarantined) {
        settle_session(*session, session_status::idle, now);
    }
    insert_audit(db_, request.audit, now);
    return *std::move(known);
}

// -- tool calls --------------------------------------------------------------------------------------------

result<tool_invocation> sql_tables::perform(const ops::note_invocation& request) {
    tool_invocation noted = request.invocation;
    if (!lock_driven(noted.room, request.epoch)) {
        return errc::driver_fenced;
    }
    if (!find_execution(noted.room)) {
        return errc::not_found;
    }
    noted.at = clock_.now();
    noted.number = db_.value_of<std::int64_t>(
                          "INSERT INTO tool_invocations (room_id, task, tool, decision, reason,"
                          " arguments_digest, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING"
                          " number",
                          noted.room,
                          noted.task,
                          noted.tool,
                          noted.decision,
                          noted.reason,
                          noted.arguments_digest,
                          noted.at
    )
                       .value_or(0);
    return noted;
}

result<std::vector<tool_invocation>> sql_tables::perform(const ops::list_invocations& request) {
    const std::optional<workflow_execution> known = find_execution(request.room);
    if (!known || known->organization != request.organization) {
        return std::vector<tool_invocation>{};
    }
    static const std::string text = select_from(
        "tool_invocations",
        invocation_columns,
        "WHERE room_id = ?1 AND (?2 IS NULL OR number < ?2) ORDER BY number DESC LIMIT ?3"
    );
    return collect(db_.select(text, request.room, request.before, request.limit), read_invocation);
}

}  // namespace convene::sql
