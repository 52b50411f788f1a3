// SPDX-License-Identifier: Apache-2.0
// The SQL tables: turns, which wait for a runner.
#include <algorithm>
#include <utility>

#include "store/sql/rows.hpp"
#include "store/sql/session_rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

/// The next turn of an organisation that could be run: due, of a format that can be read, the first of its session, whose
/// other turns do not run, and which is neither quarantined nor waits for an approval. `?1` is now, `?3` the newest format.
///
/// What is asked of a turn's session is asked turn by turn, as values: of a condition with EXISTS the planner would make a
/// join, and read all sessions, and all turns that wait, for the one that is first.
std::string next_due(std::string_view organization, std::string_view beyond) {
    std::string text =
        "(SELECT t.number FROM turns t WHERE t.status = 1 AND t.not_before <= ?1 AND t.format <= ?3"
        " AND t.organization_id = ";
    text.append(organization).append(beyond);
    return text +
           " AND t.number = (SELECT e.number FROM turns e WHERE e.room_id = t.room_id AND e.status"
           " = 1 ORDER BY e.not_before, e.number LIMIT 1) AND (SELECT o.number FROM turns o WHERE"
           " o.room_id = t.room_id AND o.status = 2 LIMIT 1) IS NULL AND (SELECT s.status FROM"
           " sessions s WHERE s.room_id = t.room_id) NOT IN (5, 8) ORDER BY t.not_before,"
           " t.number LIMIT 1)";
}

/// Steps from organisation to organisation, then takes the first of each, the second of each, ..., each by one look
/// into an index, and no more than could be among the first `?2`. A number that lies between itself and itself is looked up; one
/// that is equal might be joined by reading the whole table, since the planner expects many to be due.
std::string due_turns() {
    return "WITH RECURSIVE organizations(id) AS (SELECT min(organization_id) FROM turns WHERE"
           " status = 1 UNION ALL SELECT (SELECT min(t.organization_id) FROM turns t WHERE t.status"
           " = 1 AND t.organization_id > o.id) FROM organizations o WHERE o.id IS NOT NULL),"
           " firsts(organization_id, number) AS MATERIALIZED (SELECT o.id, " +
           next_due("o.id", "") +
           " FROM organizations o WHERE o.id IS NOT NULL), due(organization_id, place, number) AS"
           " (SELECT organization_id, 1, number FROM firsts WHERE number IS NOT NULL UNION ALL"
           " SELECT d.organization_id, d.place + 1, " +
           next_due(
               "d.organization_id", " AND (t.not_before, t.number) > (c.not_before, c.number)"
           ) +
           " FROM due d JOIN turns c ON c.number BETWEEN d.number AND d.number WHERE d.place <= ?2 "
           "- (SELECT count(*)"
           " FROM firsts f WHERE f.number IS NOT NULL)) SELECT " +
           std::string{turn_columns} +
           " FROM due d JOIN turns t ON t.number BETWEEN d.number AND d.number ORDER BY d.place, "
           "t.not_before,"
           " t.number LIMIT ?2";
}

std::string abandoned_turns() {
    return select_from(
        "turns t",
        turn_columns,
        "JOIN workers w ON w.incarnation = t.worker JOIN sessions s ON s.room_id = t.room_id WHERE"
        " t.status = 2 AND t.format <= ?1 AND w.state = 3 AND s.status <> 8"
    );
}

}  // namespace

std::optional<session_turn> sql_tables::find_turn(const turn_id& turn) {
    static const std::string text = select_from("turns t", turn_columns, "WHERE t.id = ?1");
    query rows = db_.select(text, turn);
    return rows.next() ? std::optional{read_turn(rows).turn} : std::nullopt;
}

std::optional<sql_tables::locked_turn> sql_tables::lock_turn(const turn_id& turn) {
    // Which session it is of does not change; what else it is, is read once that is locked.
    const std::optional<room_id> room = db_.value_of<room_id>(
        "SELECT room_id FROM turns WHERE id = ?1", turn
    );
    if (!room) {
        return std::nullopt;
    }
    std::optional<agent_session> session = lock_session(*room);
    std::optional<session_turn> current = find_turn(turn);
    if (!session || !current) {
        return std::nullopt;
    }
    return locked_turn{*std::move(session), *std::move(current)};
}

bool sql_tables::is_dead(const incarnation_id& worker) {
    return db_.exists("SELECT 1 FROM workers WHERE incarnation = ?1 AND state = 3", worker);
}

bool sql_tables::may_be_run(const session_turn& turn, const agent_session& of, wall_time now) {
    if (of.status == session_status::quarantined) {
        return false;
    }
    if (turn.status == turn_status::running) {
        return is_dead(turn.worker);
    }
    return turn.status == turn_status::queued && turn.not_before <= now &&
           of.status != session_status::waiting_for_approval;
}

waiting_turns sql_tables::waiting_in(const room_id& room, wall_time now) {
    waiting_turns waiting;
    query counts = db_.select(
        "SELECT coalesce(sum(CASE WHEN not_before <= ?2 THEN 1 ELSE 0 END), 0), coalesce(sum(CASE"
        " WHEN not_before > ?2 THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN kind = 4 THEN 1 ELSE "
        "0"
        " END), 0) FROM turns WHERE room_id = ?1 AND status = 1",
        room,
        now
    );
    if (counts.next()) {
        counts.read(waiting.due, waiting.later, waiting.wakes);
    }
    return waiting;
}

void sql_tables::settle_session(const agent_session& of, session_status quiet, wall_time now) {
    db_.run(
        "UPDATE sessions SET status = ?2, updated_at = ?3 WHERE room_id = ?1",
        of.room,
        status_at_rest(quiet, waiting_in(of.room, now)),
        now
    );
}

void sql_tables::insert_turn(const session_turn& queued) {
    db_.run(
        "INSERT INTO turns (id, room_id, organization_id, kind, input, acting_for, status,"
        " attempts, epoch, worker, run_id, is_input_consumed, not_before, last_error, queued_at,"
        " format) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, 0, 0, '', '', 0, ?7, '', ?8, ?9)",
        queued.id,
        queued.room,
        queued.organization,
        queued.kind,
        queued.input,
        queued.acting_for,
        queued.not_before,
        queued.queued_at,
        queued.format
    );
}

void sql_tables::save_turn(const session_turn& changed) {
    db_.run(
        "UPDATE turns SET status = ?2, attempts = ?3, not_before = ?4, last_error = ?5 WHERE id ="
        " ?1",
        changed.id,
        changed.status,
        changed.attempts,
        changed.not_before,
        changed.last_error
    );
}

result<session_turn> sql_tables::perform(const ops::queue_turn& request) {
    session_turn queued = request.turn;
    const std::optional<agent_session> session = lock_session(queued.room);
    if (!session || session->organization != queued.organization) {
        return errc::not_found;
    }
    if (request.epoch && session->driver_epoch != *request.epoch) {
        return errc::driver_fenced;
    }
    if (find_turn(queued.id)) {
        return errc::already_exists;
    }
    if (is_over(queued.room)) {
        return errc::execution_ended;
    }
    const wall_time now = clock_.now();
    if (!waiting_in(queued.room, now).has_room_for(queued.kind)) {
        return errc::overloaded;
    }
    queued = as_queued(std::move(queued), now, request.delay);
    insert_turn(queued);
    if (session->status != session_status::running) {
        settle_session(*session, session->status, now);
    }
    return queued;
}

result<session_turn> sql_tables::perform(const ops::cancel_wake& request) {
    std::optional<locked_turn> locked = lock_turn(request.turn);
    const bool is_there = locked && locked->turn.organization == request.organization &&
                          locked->turn.room == request.room && locked->turn.kind == turn_kind::wake;
    if (!is_there) {
        return errc::not_found;
    }
    if (!is_wake_ahead(locked->turn)) {
        return errc::room_changed;
    }
    const wall_time now = clock_.now();
    db_.run("DELETE FROM turns WHERE id = ?1", request.turn);
    if (locked->session.status != session_status::running) {
        settle_session(locked->session, status_without_turns(locked->session.status), now);
    }
    insert_audit(db_, request.audit, now);
    return std::move(locked->turn);
}

result<std::vector<session_turn>> sql_tables::perform(const ops::list_due_turns& request) {
    static const std::string waiting = due_turns();
    static const std::string abandoned = abandoned_turns();
    std::vector<numbered_turn> due = collect(
        db_.select(waiting, clock_.now(), request.limit, request.format), read_turn
    );
    std::ranges::move(
        collect(db_.select(abandoned, request.format), read_turn), std::back_inserter(due)
    );
    return take_in_turn(std::move(due), request.limit);
}

result<std::optional<wall_time>> sql_tables::perform(const ops::next_turn_at&) {
    return db_
        .value_of<std::optional<wall_time>>(
            "SELECT min(not_before) FROM turns WHERE status = 1 AND not_before > ?1", clock_.now()
        )
        .value_or(std::nullopt);
}

result<session_turn> sql_tables::perform(const ops::requeue_turn& request) {
    std::optional<locked_turn> locked = lock_turn(request.turn);
    if (!locked || locked->turn.status != turn_status::running ||
        locked->turn.epoch != request.epoch || locked->session.driver_epoch != request.epoch) {
        return errc::driver_fenced;
    }
    const wall_time now = clock_.now();
    session_turn& turn = locked->turn;
    turn.status = turn_status::queued;
    turn.attempts -= request.is_handed_over ? 1 : 0;
    turn.last_error = request.error;
    if (request.delay.count() > 0) {
        turn.not_before = now + request.delay;
    }
    save_turn(turn);
    settle_session(locked->session, session_status::idle, now);
    return std::move(turn);
}

result<session_turn> sql_tables::perform(const ops::quarantine_turn& request) {
    std::optional<locked_turn> locked = lock_turn(request.turn);
    if (!locked) {
        return errc::not_found;
    }
    session_turn& turn = locked->turn;
    const bool was_running = turn.status == turn_status::running;
    if (turn.status != turn_status::queued && !(was_running && is_dead(turn.worker))) {
        return errc::room_changed;
    }
    const wall_time now = clock_.now();
    const auto run = find_run(locked->session.organization, locked->session.run);
    if (run && run->status == run_status::running) {
        const auto last = frames_to_add(request.last_frames, run->next_frame);
        if (!last) {
            return errc::invalid_argument;
        }
        interrupt_run(run->id, now);
        end_stream(*run, *last);
    }
    turn.status = turn_status::quarantined;
    turn.last_error = request.reason;
    save_turn(turn);
    db_.run(
        "UPDATE sessions SET status = 8, driver_epoch = driver_epoch + 1, updated_at = ?2 WHERE"
        " room_id = ?1",
        turn.room,
        now
    );
    settle_generation(turn.room, request.reason, now);
    return std::move(turn);
}

result<session_turn> sql_tables::perform(const ops::retry_turn& request) {
    std::optional<locked_turn> locked = lock_turn(request.turn);
    if (!locked || locked->turn.organization != request.organization) {
        return errc::not_found;
    }
    session_turn& turn = locked->turn;
    if (turn.status != turn_status::failed && turn.status != turn_status::quarantined) {
        return errc::room_changed;
    }
    if (is_over(turn.room)) {
        return errc::execution_ended;
    }
    const wall_time now = clock_.now();
    turn.status = turn_status::queued;
    turn.attempts = 0;
    turn.not_before = now;
    turn.last_error.clear();
    save_turn(turn);
    if (locked->session.status != session_status::running) {
        settle_session(locked->session, status_for_retry(locked->session.status), now);
    }
    insert_audit(db_, request.audit, now);
    return std::move(turn);
}

result<session_turn> sql_tables::perform(const ops::get_turn& request) {
    std::optional<session_turn> known = find_turn(request.turn);
    if (!known || known->organization != request.organization) {
        return errc::not_found;
    }
    return *std::move(known);
}

result<ops::count_turns::answer> sql_tables::perform(const ops::count_turns&) {
    // Each from an index that has these alone.
    ops::count_turns::answer counts;
    query rows = db_.select(
        "SELECT (SELECT count(*) FROM turns WHERE status = 1), (SELECT count(*) FROM turns WHERE"
        " status = 2), (SELECT count(*) FROM turns WHERE status = 5)"
    );
    if (rows.next()) {
        rows.read(counts.queued, counts.running, counts.quarantined);
    }
    return counts;
}

result<std::vector<session_turn>> sql_tables::perform(const ops::list_turns& request) {
    static const std::string newest = " ORDER BY t.number DESC LIMIT ?4";
    static const std::string of_room = select_from(
        "turns t",
        turn_columns,
        "WHERE t.room_id = ?2 AND t.organization_id = ?1 AND (?3 IS NULL OR t.status = ?3)" + newest
    );
    static const std::string in_status = select_from(
        "turns t", turn_columns, "WHERE t.organization_id = ?1 AND t.status = ?3" + newest
    );
    static const std::string all = select_from(
        "turns t", turn_columns, "WHERE t.organization_id = ?1" + newest
    );
    const std::string& text = request.room ? of_room : request.status ? in_status : all;
    return collect(
        db_.select(text, request.organization, request.room, request.status, request.limit),
        [](query& row) { return read_turn(row).turn; }
    );
}

}  // namespace convene::sql
