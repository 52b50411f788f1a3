// SPDX-License-Identifier: Apache-2.0
// The SQL tables: approvals. Whatever changes one first locks its session's row.
#include <algorithm>
#include <utility>

#include "store/approval_rules.hpp"
#include "store/decider_rules.hpp"
#include "store/notification_facts.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/session_rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

/// All users who may, in the order of their ids.
std::vector<std::string> deciders_of(
    session& db, const room_context& around, const approval& asked
) {
    // A member sees the rooms of which it is an active participant; all others see every room.
    query rows = db.select(
        "SELECT id, role FROM users WHERE organization_id = ?1 AND is_active = 1 AND (role > 1 OR"
        " id IN (SELECT id FROM participants WHERE room_id = ?2 AND status = 1)) ORDER BY id",
        asked.organization,
        asked.room
    );
    std::vector<std::string> found;
    while (rows.next()) {
        decider who;
        rows.read(who.user, who.role);
        if (may_decide(who, around, asked)) {
            found.push_back(std::move(who.user));
        }
    }
    return found;
}

/// It is open no more: whoever has not read that it was need not.
void settle_notices(session& db, const approval& ended, wall_time now) {
    const notification_facts facts = facts_of(ended);
    db.run(
        "UPDATE notifications SET read_at = ?4 WHERE organization_id = ?1 AND kind = ?2 AND link ="
        " ?3 AND read_at IS NULL",
        ended.organization,
        facts.kind,
        link_of(facts),
        now
    );
}

}  // namespace

std::optional<approval> sql_tables::find_approval(const approval_id& id) {
    static const std::string text = select_from("approvals", approval_columns, "WHERE id = ?1");
    query rows = db_.select(text, id);
    return rows.next() ? std::optional{read_approval(rows)} : std::nullopt;
}

void sql_tables::insert_approval(const approval& added) {
    db_.run(
        "INSERT INTO approvals (id, organization_id, room_id, run_id, call_id, kind, title,"
        " description, grants, response_schema, deciders, state, decided_by, response, decided_at,"
        " expires_at, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, '',"
        " '{}', NULL, ?13, ?14)",
        added.id,
        added.organization,
        added.room,
        added.run,
        added.call_id,
        added.kind,
        added.title,
        added.description,
        text_of_grants(added.grants),
        added.response_schema,
        text_of_deciders(added.deciders),
        added.state,
        added.expires_at,
        added.created_at
    );
    const auto around = perform(ops::load_room_context{added.organization, added.room});
    if (!around) {
        return;
    }
    for (std::string& user : deciders_of(db_, *around, added)) {
        add_notification(
            notice_of(facts_of(added), added.organization, std::move(user), added.created_at)
        );
    }
}

void sql_tables::save_approval(const approval& changed) {
    db_.run(
        "UPDATE approvals SET state = ?2, decided_by = ?3, response = ?4, decided_at = ?5, grants ="
        " ?6 WHERE id = ?1",
        changed.id,
        changed.state,
        changed.decided_by,
        changed.response,
        changed.decided_at,
        text_of_grants(changed.grants)
    );
}

bool sql_tables::has_open_approvals(const room_id& room) {
    return db_.exists("SELECT 1 FROM approvals WHERE room_id = ?1 AND state = 1", room);
}

std::vector<approval> sql_tables::approvals_of_calls(const agent_session& of) {
    static const std::string text = select_from(
        "approvals", approval_columns, "WHERE room_id = ?1 AND call_id = ?2 ORDER BY id"
    );
    std::vector<approval> found;
    for (const open_call& call : of.open_calls) {
        std::ranges::move(
            collect(db_.select(text, of.room, call.id), read_approval), std::back_inserter(found)
        );
    }
    return found;
}

void sql_tables::cancel_approvals(const room_id& room, wall_time now) {
    static const std::string text =
        "UPDATE approvals SET state = 6, decided_at = ?2 WHERE room_id = ?1 AND state = 1"
        " RETURNING " +
        std::string{approval_columns};
    for (const approval& one : collect(db_.select(text, room, now), read_approval)) {
        settle_notices(db_, one, now);
    }
}

result<session_turn> sql_tables::queue_resume(
    const agent_session& locked, session_turn turn, wall_time now
) {
    if (find_turn(turn.id)) {
        return errc::already_exists;
    }
    turn.organization = locked.organization;
    turn.room = locked.room;
    session_turn queued = as_queued(std::move(turn), now);
    insert_turn(queued);
    settle_session(locked, status_once_decided(locked.status), now);
    return queued;
}

result<approval> sql_tables::perform(const ops::get_approval& request) {
    std::optional<approval> known = find_approval(request.id);
    if (!known || known->organization != request.organization) {
        return errc::not_found;
    }
    return *std::move(known);
}

result<std::vector<approval>> sql_tables::perform(const ops::list_approvals& request) {
    std::string condition = "WHERE organization_id = ?1";
    condition += request.room ? " AND room_id = ?2" : "";
    condition += request.state ? " AND state = ?3" : "";
    condition += request.before.empty() ? "" : " AND id < ?4";
    condition += request.member ? " AND room_id IN (SELECT room_id FROM participants WHERE id = ?5"
                                  " AND status = 1)"
                                : "";
    return collect(
        db_.select(
            select_from("approvals", approval_columns, condition + " ORDER BY id DESC LIMIT ?6"),
            request.organization,
            request.room,
            request.state,
            request.before,
            request.member,
            request.limit
        ),
        read_approval
    );
}

result<ops::decide_approvals::answer> sql_tables::perform(const ops::decide_approvals& request) {
    if (!are_decisions(request.decisions)) {
        return errc::invalid_argument;
    }
    const std::optional<agent_session> session = lock_session(request.room);
    if (!session || session->organization != request.organization) {
        return errc::not_found;
    }
    const wall_time now = clock_.now();
    ops::decide_approvals::answer answer;
    for (const ops::decide_approvals::decision& one : request.decisions) {
        std::optional<approval> known = find_approval(one.id);
        if (const result<> open = may_be_decided(known ? &*known : nullptr, request.room, now);
            !open) {
            return open.error();
        }
        known->state = one.state;
        known->decided_by = request.decided_by;
        known->response = one.response;
        known->decided_at = now;
        save_approval(*known);
        settle_notices(db_, *known, now);
        insert_audit(db_, one.audit, now);
        answer.decided.push_back(*std::move(known));
    }
    if (has_open_approvals(request.room)) {
        if (request.which == ops::decide_approvals::reach::all) {
            return errc::session_awaiting_approval;
        }
        return answer;
    }
    result<session_turn> queued = queue_resume(*session, request.turn, now);
    if (!queued) {
        return queued.error();
    }
    answer.queued = *std::move(queued);
    return answer;
}

result<std::vector<ops::find_expired_approvals::item>> sql_tables::perform(
    const ops::find_expired_approvals& request
) {
    // BETWEEN: see `due_turns`.
    return collect(
        db_.select(
            "SELECT s.organization_id, s.room_id, s.owner FROM (SELECT room_id, min(expires_at) AS"
            " due FROM approvals WHERE state = 1 AND expires_at <= ?1 GROUP BY room_id) a JOIN"
            " sessions s ON s.room_id BETWEEN a.room_id AND a.room_id ORDER BY a.due, a.room_id "
            "LIMIT ?2",
            clock_.now(),
            request.limit
        ),
        [](query& row) {
            ops::find_expired_approvals::item item;
            row.read(item.organization, item.room, item.owner);
            return item;
        }
    );
}

result<ops::expire_approvals::answer> sql_tables::perform(const ops::expire_approvals& request) {
    const std::optional<agent_session> session = lock_session(request.room);
    if (!session) {
        return ops::expire_approvals::answer{};
    }
    static const std::string late = select_from(
        "approvals",
        approval_columns,
        "WHERE room_id = ?1 AND state = 1 AND expires_at <= ?2 ORDER BY id"
    );
    const wall_time now = clock_.now();
    ops::expire_approvals::answer answer;
    answer.expired = collect(db_.select(late, request.room, now), read_approval);
    for (approval& one : answer.expired) {
        one.state = approval_state::expired;
        one.decided_at = now;
        save_approval(one);
        settle_notices(db_, one, now);
    }
    if (answer.expired.empty() || has_open_approvals(request.room)) {
        return answer;
    }
    result<session_turn> queued = queue_resume(*session, request.turn, now);
    if (!queued) {
        return queued.error();
    }
    answer.queued = *std::move(queued);
    return answer;
}

}  // namespace convene::sql
