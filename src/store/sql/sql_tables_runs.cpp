// SPDX-License-Identifier: Apache-2.0
// The SQL tables: runs, the frames of their streams, and the tools they call.
#include <algorithm>
#include <utility>

#include "store/approval_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/session_rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

// -- runs --------------------------------------------------------------------------------------------

std::optional<agent_run_record> sql_tables::end_run(
    const run_id& run,
    run_status status,
    std::string_view reason,
    std::string_view error,
    wall_time now
) {
    static const std::string text =
        "UPDATE runs SET status = ?2, finish_reason = ?3, error_code = ?4, ended_at = ?5 WHERE id ="
        " ?1 AND status = 1 RETURNING " +
        std::string{run_columns};
    query rows = db_.select(text, run, status, reason, error, now);
    return rows.next() ? std::optional{read_run(rows)} : std::nullopt;
}

std::optional<agent_run_record> sql_tables::interrupt_run(const run_id& run, wall_time now) {
    return end_run(run, run_status::interrupted, interrupted_word, {}, now);
}

std::optional<agent_run_record> sql_tables::end_stream(
    const agent_run_record& of, const std::vector<run_frame>& last
) {
    for (const run_frame& frame : last) {
        db_.run(
            "INSERT INTO run_frames (run_id, number, data) VALUES (?1, ?2, ?3)",
            of.id,
            frame.number,
            frame.data
        );
    }
    db_.run(
        "UPDATE runs SET next_frame = next_frame + ?2, is_stream_over = 1 WHERE id = ?1",
        of.id,
        last.size()
    );
    return find_run(of.organization, of.id);
}

std::optional<agent_run_record> sql_tables::find_run(
    const organization_id& organization, const run_id& run
) {
    static const std::string text = select_from(
        "runs", run_columns, "WHERE id = ?1 AND organization_id = ?2"
    );
    query rows = db_.select(text, run, organization);
    return rows.next() ? std::optional{read_run(rows)} : std::nullopt;
}

result<agent_run_record> sql_tables::perform(const ops::get_run& request) {
    std::optional<agent_run_record> known = find_run(request.organization, request.run);
    if (!known) {
        return errc::not_found;
    }
    return *std::move(known);
}

result<agent_run_record> sql_tables::perform(const ops::close_stream& request) {
    const std::optional<agent_session> driven = lock_driven(request.room, request.epoch);
    if (!driven) {
        return errc::driver_fenced;
    }
    const std::optional<agent_run_record> known = find_run(driven->organization, request.run);
    if (!known || known->room != request.room) {
        return errc::not_found;
    }
    if (known->is_stream_over) {
        return *known;
    }
    const auto last = frames_to_add(request.last_frames, known->next_frame);
    if (known->status == run_status::running || !last) {
        return errc::invalid_argument;
    }
    return *end_stream(*known, *last);
}

result<std::vector<agent_run_record>> sql_tables::perform(const ops::list_runs& request) {
    static const std::string text = select_from(
        "runs",
        run_columns,
        "WHERE room_id = ?1 AND organization_id = ?2 ORDER BY epoch DESC LIMIT ?3"
    );
    return collect(db_.select(text, request.room, request.organization, request.limit), read_run);
}

result<agent_run_record> sql_tables::perform(const ops::request_cancel& request) {
    db_.run(
        "UPDATE runs SET is_cancel_requested = 1 WHERE id = ?1 AND organization_id = ?2 AND status"
        " = 1",
        request.run,
        request.organization
    );
    return perform(ops::get_run{request.organization, request.run});
}

// -- frames ------------------------------------------------------------------------------------------

std::vector<run_id> sql_tables::add_frames(const ops::append_frames& request) {
    std::vector<run_id> left_out;
    for (const ops::append_frames::of_run& given : request.runs) {
        const std::int64_t first = given.frames.empty() ? 0 : given.frames.front().number;
        const bool is_moved = are_next_frames(given.frames, first) &&
                              db_.run(
                                  "UPDATE runs SET next_frame = CASE WHEN ?4 = 0 OR next_frame > ?5"
                                  " + ?4 THEN next_frame ELSE ?5 + ?4 END WHERE id = ?1 AND"
                                  " room_id = ?2 AND epoch = ?3 AND status = 1 AND (?4 = 0 OR"
                                  " next_frame >= ?5)",
                                  given.run,
                                  given.room,
                                  given.epoch,
                                  given.frames.size(),
                                  first
                              ) == 1;
        if (!is_moved) {
            left_out.push_back(given.run);
            continue;
        }
        for (const run_frame& frame : given.frames) {
            db_.run(
                "INSERT INTO run_frames (run_id, number, data) VALUES (?1, ?2, ?3) ON CONFLICT"
                " (run_id, number) DO NOTHING",
                given.run,
                frame.number,
                frame.data
            );
        }
    }
    return left_out;
}

result<std::vector<run_id>> sql_tables::perform(const ops::append_frames& request) {
    return add_frames(request);
}

result<ops::list_frames::answer> sql_tables::perform(const ops::list_frames& request) {
    std::optional<agent_run_record> known = find_run(request.organization, request.run);
    if (!known) {
        return errc::not_found;
    }
    ops::list_frames::answer answer;
    answer.run = *std::move(known);
    const bool is_pruned = db_.exists(
        "SELECT 1 FROM runs WHERE id = ?1 AND is_pruned = 1", request.run
    );
    answer.first_kept = is_pruned ? answer.run.next_frame : 0;
    answer.frames = collect(
        db_.select(
            "SELECT number, data FROM run_frames WHERE run_id = ?1 AND number > ?2 ORDER BY number"
            " LIMIT ?3",
            request.run,
            request.after,
            request.limit
        ),
        [](query& row) {
            run_frame frame;
            row.read(frame.number, frame.data);
            return frame;
        }
    );
    return answer;
}

result<std::size_t> sql_tables::perform(const ops::prune_frames& request) {
    const std::vector<run_id> old = collect(
        db_.select(
            "SELECT id FROM runs r WHERE is_pruned = 0 AND ended_at IS NOT NULL AND ended_at <= ?1"
            " AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.id = r.turn_id AND t.status IN (1, 2,"
            " 5)) ORDER BY ended_at, id LIMIT ?2",
            clock_.now() - request.older_than,
            request.limit
        ),
        [](query& row) {
            run_id id;
            row.read(id);
            return id;
        }
    );
    for (const run_id& run : old) {
        db_.run("DELETE FROM run_frames WHERE run_id = ?1", run);
        db_.run("UPDATE runs SET is_pruned = 1 WHERE id = ?1", run);
    }
    return old.size();
}

result<std::size_t> sql_tables::perform(const ops::prune_runs& request) {
    struct old_run {
        room_id room;
        run_id id;
        turn_id turn;
    };

    std::vector<old_run> old = collect(
        db_.select(
            "SELECT room_id, id, turn_id FROM runs r WHERE is_pruned = 1 AND ended_at <= ?1 AND NOT"
            " EXISTS (SELECT 1 FROM turns t WHERE t.id = r.turn_id AND t.status IN (1, 2, 5)) ORDER"
            " BY ended_at, id LIMIT ?2",
            clock_.now() - request.older_than,
            request.limit
        ),
        [](query& row) {
            old_run one;
            row.read(one.room, one.id, one.turn);
            return one;
        }
    );
    // Sessions are locked in one order, whoever else prunes.
    std::ranges::sort(old, {}, &old_run::room);
    std::size_t gone = 0;
    for (const old_run& run : old) {
        const std::optional<agent_session> locked = lock_session(run.room);
        const std::optional<session_turn> turn = find_turn(run.turn);
        if (!locked || (turn && !has_ended(turn->status))) {
            continue;  // gone, or retried meanwhile
        }
        db_.run("DELETE FROM tool_intents WHERE run_id = ?1", run.id);
        db_.run("DELETE FROM turns WHERE id = ?1 AND run_id = ?2", run.turn, run.id);
        db_.run(
            "UPDATE sessions SET run_id = '' WHERE room_id = ?1 AND run_id = ?2", run.room, run.id
        );
        gone += static_cast<std::size_t>(db_.run("DELETE FROM runs WHERE id = ?1", run.id));
    }
    return gone;
}

// -- tool calls --------------------------------------------------------------------------------------

result<tool_intent> sql_tables::perform(const ops::start_tool_call& request) {
    tool_intent started = request.intent;
    const std::optional<agent_session> driven = lock_driven(started.room, started.epoch);
    if (!driven || driven->run != started.run) {
        return errc::driver_fenced;
    }
    if (db_.exists(
            "SELECT 1 FROM tool_intents WHERE run_id = ?1 AND call_id = ?2",
            started.run,
            started.call_id
        )) {
        return errc::already_exists;
    }
    const wall_time now = clock_.now();
    if (request.allowed_by) {
        std::optional<approval> given = find_approval(request.allowed_by->approval);
        if (!given || given->room != started.room ||
            !use_up(&*given, request.allowed_by->grant, started.tool, now)) {
            return errc::not_authorized;
        }
        save_approval(*given);
    }
    insert_audit(db_, request.audit, now);
    started.state = tool_intent_state::started;
    started.started_at = now;
    started.ended_at.reset();
    db_.run(
        "INSERT INTO tool_intents (room_id, run_id, call_id, tool, arguments_digest, epoch, state,"
        " started_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7)",
        started.room,
        started.run,
        started.call_id,
        started.tool,
        started.arguments_digest,
        started.epoch,
        started.started_at
    );
    return started;
}

result<tool_intent> sql_tables::perform(const ops::end_tool_call& request) {
    if (request.state == tool_intent_state::started) {
        return errc::invalid_argument;
    }
    if (!lock_driven(request.room, request.epoch)) {
        return errc::driver_fenced;
    }
    static const std::string text =
        "UPDATE tool_intents SET state = ?4, ended_at = ?5 WHERE run_id = ?1 AND call_id = ?2 AND"
        " room_id = ?3 AND state = 1 RETURNING " +
        std::string{tool_intent_columns};
    query rows = db_.select(
        text, request.run, request.call_id, request.room, request.state, clock_.now()
    );
    if (!rows.next()) {
        return errc::not_found;
    }
    return read_tool_intent(rows);
}

result<std::vector<tool_intent>> sql_tables::perform(const ops::list_tool_calls& request) {
    if (!find_session(request.organization, request.room)) {
        return std::vector<tool_intent>{};
    }
    static const std::string text = select_from(
        "tool_intents", tool_intent_columns, "WHERE room_id = ?1 ORDER BY number DESC LIMIT ?2"
    );
    return collect(db_.select(text, request.room, request.limit), read_tool_intent);
}

}  // namespace convene::sql
