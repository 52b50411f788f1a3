// SPDX-License-Identifier: Apache-2.0
// The SQL tables: workflows, their versions, and the sessions in which they are designed.
#include <utility>

#include "store/sql/rows.hpp"
#include "store/sql/session_rows.hpp"
#include "store/sql/sql_tables.hpp"
#include "store/sql/workflow_rows.hpp"

namespace convene::sql {

std::optional<workflow> sql_tables::find_workflow(
    const organization_id& organization, const workflow_id& id
) {
    static const std::string text = select_from(
        "workflows", workflow_columns, "WHERE id = ?1 AND organization_id = ?2"
    );
    query rows = db_.select(text, id, organization);
    return rows.next() ? std::optional{read_workflow(rows, db_)} : std::nullopt;
}

void sql_tables::save_workflow(const workflow& changed) {
    db_.run(
        "UPDATE workflows SET name = ?2, description = ?3, skill = ?4, skill_commit = ?5, agent ="
        " ?6, tasks = ?7, status = ?8, error = ?9, published = ?10, revision = ?11, updated_at ="
        " ?12 WHERE id = ?1",
        changed.id,
        changed.name,
        changed.description,
        changed.skill,
        changed.skill_commit,
        changed.agent,
        text_of_templates(changed.tasks),
        changed.status,
        changed.error,
        changed.published,
        changed.revision,
        changed.updated_at
    );
}

result<> sql_tables::add_session(const ops::new_session& added) {
    if (!can_create(added.room)) {
        return errc::already_exists;
    }
    const room made = add_room(added.room, added.bindings, added.participants);
    const auto opened = perform(
        ops::open_session{made.organization, made.id, added.agent, added.owner}
    );
    if (!opened || !added.turn) {
        return opened ? result<>{} : opened.error();
    }
    const auto queued = perform(ops::queue_turn{*added.turn});
    return queued ? result<>{} : queued.error();
}

result<workflow> sql_tables::perform(const ops::put_workflow& request) {
    workflow wanted = request.workflow;
    if (find_task_fault(wanted.tasks)) {
        return errc::invalid_argument;
    }
    const wall_time now = clock_.now();
    std::optional<workflow> known = find_workflow(wanted.organization, wanted.id);
    if (wanted.revision > 0) {
        if (!known) {
            return errc::not_found;
        }
        if (known->revision != wanted.revision) {
            return errc::room_changed;
        }
        wanted = changed_workflow(*known, std::move(wanted), now);
        save_workflow(wanted);
        insert_audit(db_, request.audit, now);
        return wanted;
    }
    if (known && known->created_by == wanted.created_by) {
        return *std::move(known);
    }
    if (db_.exists("SELECT 1 FROM workflows WHERE id = ?1", wanted.id)) {
        return errc::already_exists;
    }
    if (request.session) {
        const result<> opened = add_session(*request.session);
        if (!opened) {
            return opened.error();
        }
    }
    wanted = new_workflow(std::move(wanted), request.session, now);
    db_.run(
        "INSERT INTO workflows (id, organization_id, name, description, skill, skill_commit, agent,"
        " tasks, status, error, room_id, created_by, published, revision, created_at, updated_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, '', ?10, ?11, 0, ?12, ?13, ?13)",
        wanted.id,
        wanted.organization,
        wanted.name,
        wanted.description,
        wanted.skill,
        wanted.skill_commit,
        wanted.agent,
        text_of_templates(wanted.tasks),
        wanted.status,
        wanted.room,
        wanted.created_by,
        wanted.revision,
        wanted.created_at
    );
    insert_audit(db_, request.audit, now);
    return wanted;
}

result<workflow> sql_tables::perform(const ops::get_workflow& request) {
    std::optional<workflow> known = find_workflow(request.organization, request.workflow);
    if (!known) {
        return errc::not_found;
    }
    return *std::move(known);
}

result<std::vector<workflow>> sql_tables::perform(const ops::list_workflows& request) {
    static const std::string newest = " ORDER BY number DESC LIMIT ?2";
    static const std::string first = select_from(
        "workflows", workflow_columns, "WHERE organization_id = ?1" + newest
    );
    static const std::string next = select_from(
        "workflows",
        workflow_columns,
        "WHERE organization_id = ?1 AND number < (SELECT number FROM workflows WHERE id = ?3)" +
            newest
    );
    return collect(
        db_.select(
            request.before ? next : first, request.organization, request.limit, request.before
        ),
        [this](query& row) { return read_workflow(row, db_); }
    );
}

result<bool> sql_tables::perform(const ops::delete_workflow& request) {
    const bool is_gone = db_.run(
                             "DELETE FROM workflows WHERE id = ?1 AND organization_id = ?2",
                             request.workflow,
                             request.organization
                         ) > 0;
    if (is_gone) {
        db_.run("DELETE FROM workflow_versions WHERE workflow_id = ?1", request.workflow);
        insert_audit(db_, request.audit, clock_.now());
    }
    return is_gone;
}

void sql_tables::add_version(const organization_id& of, const workflow_version& added) {
    db_.run(
        "INSERT INTO workflow_versions (workflow_id, organization_id, number, name, description,"
        " skill, skill_commit, agent, tasks, published_by, published_at) VALUES (?1, ?2, ?3, ?4,"
        " ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        added.workflow,
        of,
        added.number,
        added.name,
        added.description,
        added.skill,
        added.skill_commit,
        added.agent,
        text_of_templates(added.tasks),
        added.published_by,
        added.published_at
    );
}

result<workflow_version> sql_tables::perform(const ops::publish_workflow& request) {
    std::optional<workflow> draft = find_workflow(request.organization, request.workflow);
    if (!draft) {
        return errc::not_found;
    }
    const wall_time now = clock_.now();
    if (draft->published > 0) {
        auto last = perform(
            ops::get_workflow_version{draft->organization, draft->id, draft->published}
        );
        if (last && is_same_content(*draft, *last)) {
            mark_published(*draft, draft->published, now);
            save_workflow(*draft);
            return last;
        }
    }
    if (draft->revision != request.revision) {
        return errc::room_changed;
    }
    if (draft->tasks.empty() || draft->status == workflow_status::generating) {
        return errc::invalid_argument;
    }
    workflow_version next = next_version(*draft, request.by, now);
    add_version(draft->organization, next);
    mark_published(*draft, next.number, now);
    save_workflow(*draft);
    insert_audit(db_, request.audit, now);
    return next;
}

result<workflow_version> sql_tables::perform(const ops::get_workflow_version& request) {
    static const std::string text = select_from(
        "workflow_versions",
        workflow_version_columns,
        "WHERE workflow_id = ?1 AND number = ?2 AND organization_id = ?3"
    );
    query rows = db_.select(text, request.workflow, request.number, request.organization);
    if (!rows.next()) {
        return errc::not_found;
    }
    return read_workflow_version(rows, db_);
}

result<std::vector<workflow_version>> sql_tables::perform(const ops::list_workflow_versions& request
) {
    static const std::string text = select_from(
        "workflow_versions",
        workflow_version_columns,
        "WHERE workflow_id = ?1 AND organization_id = ?2 ORDER BY number DESC LIMIT ?3"
    );
    return collect(
        db_.select(text, request.workflow, request.organization, request.limit),
        [this](query& row) { return read_workflow_version(row, db_); }
    );
}

// -- design ------------------------------------------------------------------------------------------------

std::optional<workflow> sql_tables::lock_design(const room_id& room) {
    query rows = db_.select(
        select_from("workflows", workflow_columns, "WHERE room_id = ?1 AND room_id <> ''")
            .append(row_lock()),
        room
    );
    return rows.next() ? std::optional{read_workflow(rows, db_)} : std::nullopt;
}

result<workflow> sql_tables::perform(const ops::put_draft& request) {
    if (request.tasks && find_task_fault(*request.tasks)) {
        return errc::invalid_argument;
    }
    if (!lock_driven(request.room, request.epoch)) {
        return errc::driver_fenced;
    }
    const std::optional<workflow> known = lock_design(request.room);
    if (!known) {
        return errc::not_found;
    }
    workflow wanted = *known;
    wanted.description = request.description.value_or(known->description);
    wanted.tasks = request.tasks.value_or(known->tasks);
    workflow changed = changed_workflow(*known, std::move(wanted), clock_.now());
    save_workflow(changed);
    return changed;
}

void sql_tables::settle_generation(const room_id& room, std::string_view error, wall_time now) {
    std::optional<workflow> design = lock_design(room);
    if (design && design->status == workflow_status::generating) {
        const workflow settled = after_generation(*std::move(design), error, now);
        save_workflow(settled);
        add_notification(notice_of(settled, now));
    }
}

}  // namespace convene::sql
