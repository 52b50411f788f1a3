// SPDX-License-Identifier: Apache-2.0
// The SQL tables: agent sessions, who drives them, and their state.
//
// Whatever changes a session, its run's status, its calls or its turns first locks the session's row and keeps it to
// the end of the transaction. State that is shared is locked behind it, user before app, and only where it changes.
#include <algorithm>
#include <utility>

#include "store/approval_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/session_rows.hpp"
#include "store/sql/sql_tables.hpp"
#include "store/sql/writes.hpp"

namespace convene::sql {

std::optional<agent_session> sql_tables::lock_session(const room_id& room) {
    query rows = db_.select(
        select_from("sessions", session_columns, "WHERE room_id = ?1").append(row_lock()), room
    );
    return rows.next() ? std::optional{read_session(rows)} : std::nullopt;
}

std::optional<agent_session> sql_tables::lock_driven(const room_id& room, std::int64_t epoch) {
    std::optional<agent_session> locked = lock_session(room);
    return locked && locked->driver_epoch == epoch ? std::move(locked) : std::nullopt;
}

std::optional<agent_session> sql_tables::find_session(
    const organization_id& organization, const room_id& room
) {
    static const std::string text = select_from(
        "sessions", session_columns, "WHERE room_id = ?1 AND organization_id = ?2"
    );
    query rows = db_.select(text, room, organization);
    return rows.next() ? std::optional{read_session(rows)} : std::nullopt;
}

session_state sql_tables::state_of(const agent_session& of) {
    session_state state;
    state.session = of.state;
    state.user = db_.value_of<json_text>(
                        "SELECT state FROM user_state WHERE organization_id = ?1 AND owner = ?2",
                        of.organization,
                        of.owner
    )
                     .value_or(json_text{});
    state.app = db_.value_of<json_text>(
                       "SELECT state FROM app_state WHERE organization_id = ?1", of.organization
    )
                    .value_or(json_text{});
    return state;
}

/// *Requires*: the session's row is locked.
void sql_tables::append_to(
    const agent_session& locked, std::int64_t count, const state_delta& delta, wall_time now
) {
    if (delta.user != json_text{}) {
        // A row that is not there yet could not be locked.
        db_.run(
            "INSERT INTO user_state (organization_id, owner, state) VALUES (?1, ?2, '{}') ON"
            " CONFLICT (organization_id, owner) DO NOTHING",
            locked.organization,
            locked.owner
        );
        const std::optional<json_text> user = db_.value_of<json_text>(
            std::string{"SELECT state FROM user_state WHERE organization_id = ?1 AND owner = ?2"}
                .append(row_lock()),
            locked.organization,
            locked.owner
        );
        db_.run(
            "UPDATE user_state SET state = ?3 WHERE organization_id = ?1 AND owner = ?2",
            locked.organization,
            locked.owner,
            merge_state(user.value_or(json_text{}), delta.user)
        );
    }
    if (delta.app != json_text{}) {
        db_.run(
            "INSERT INTO app_state (organization_id, state) VALUES (?1, '{}') ON CONFLICT"
            " (organization_id) DO NOTHING",
            locked.organization
        );
        const std::optional<json_text> app = db_.value_of<json_text>(
            std::string{"SELECT state FROM app_state WHERE organization_id = ?1"}.append(row_lock()
            ),
            locked.organization
        );
        db_.run(
            "UPDATE app_state SET state = ?2 WHERE organization_id = ?1",
            locked.organization,
            merge_state(app.value_or(json_text{}), delta.app)
        );
    }
    db_.run(
        "UPDATE sessions SET sequence = sequence + ?2, state = ?3, updated_at = ?4 WHERE room_id ="
        " ?1",
        locked.room,
        count,
        merge_state(locked.state, delta.session),
        now
    );
}

// -- sessions ----------------------------------------------------------------------------------------

result<agent_session> sql_tables::perform(const ops::open_session& request) {
    if (!has_room(request.organization, request.room)) {
        return errc::not_found;
    }
    if (std::optional<agent_session> known = find_session(request.organization, request.room)) {
        return *std::move(known);
    }
    agent_session opened;
    opened.room = request.room;
    opened.organization = request.organization;
    opened.agent = request.agent;
    opened.owner = request.owner;
    opened.created_at = clock_.now();
    opened.updated_at = opened.created_at;
    db_.run(
        "INSERT INTO sessions (room_id, organization_id, agent, owner, status, driver_epoch,"
        " sequence, state, run_id, open_calls, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5,"
        " 0, 0, '{}', '', '[]', ?6, ?6)",
        opened.room,
        opened.organization,
        opened.agent,
        opened.owner,
        opened.status,
        opened.created_at
    );
    return opened;
}

result<ops::get_session::answer> sql_tables::perform(const ops::get_session& request) {
    std::optional<agent_session> known = find_session(request.organization, request.room);
    if (!known) {
        return errc::not_found;
    }
    session_state state = state_of(*known);
    return ops::get_session::answer{*std::move(known), std::move(state)};
}

result<ops::append_state::answer> sql_tables::perform(const ops::append_state& request) {
    if (!is_delta(request.delta)) {
        return errc::invalid_argument;
    }
    const std::optional<agent_session> driven = lock_driven(request.room, request.epoch);
    if (!driven) {
        return errc::driver_fenced;
    }
    append_to(*driven, 1, request.delta, clock_.now());
    return ops::append_state::answer{driven->sequence + 1};
}

// -- a commit's part ---------------------------------------------------------------------------------

result<> sql_tables::append_to_session(const ops::commit& batch, wall_time now) {
    if (batch.session.empty()) {
        return {};
    }
    for (const ops::commit::session_append& append : batch.session) {
        if (!is_delta(append.delta)) {
            return errc::invalid_argument;
        }
    }
    const std::optional<agent_session> locked = lock_session(batch.room);
    for (const ops::commit::session_append& append : batch.session) {
        if (!locked || locked->driver_epoch != append.epoch) {
            return errc::driver_fenced;
        }
    }
    const auto count = static_cast<std::int64_t>(batch.session.size());
    append_to(*locked, count, combine(batch.session), now);
    return {};
}

void sql_tables::consume_turns(const ops::commit& batch) {
    for (const ops::commit::session_append& append : batch.session) {
        if (!append.consumes.empty()) {
            consume_turn(write_, batch.room, append);
        }
    }
}

// -- driving -----------------------------------------------------------------------------------------

std::vector<tool_intent> sql_tables::give_up_calls(const room_id& room, wall_time now) {
    static const std::string text = select_from(
        "tool_intents", tool_intent_columns, "WHERE room_id = ?1 AND state = 1 ORDER BY number"
    );
    std::vector<tool_intent> open = collect(db_.select(text, room), read_tool_intent);
    for (tool_intent& call : open) {
        call.state = tool_intent_state::unknown;
        call.ended_at = now;
    }
    if (!open.empty()) {
        db_.run(
            "UPDATE tool_intents SET state = 4, ended_at = ?2 WHERE room_id = ?1 AND state = 1",
            room,
            now
        );
    }
    return open;
}

std::int32_t sql_tables::format_left_open(const agent_session& session) {
    const std::optional<agent_run_record> last = find_run(session.organization, session.run);
    return last && last->status == run_status::running ? last->format : 0;
}

result<ops::begin_run::answer> sql_tables::perform(const ops::begin_run& request) {
    const agent_run_record& wanted = request.run;
    std::optional<agent_session> session = lock_session(wanted.room);
    if (!session || session->organization != wanted.organization) {
        return errc::not_found;
    }
    std::optional<agent_run_record> known = find_run(wanted.organization, wanted.id);
    const bool is_takeover = known && session->run == wanted.id &&
                             known->status == run_status::running;
    if (!is_takeover && db_.exists("SELECT 1 FROM runs WHERE id = ?1", wanted.id)) {
        return errc::already_exists;
    }
    const wall_time now = clock_.now();
    std::int32_t newest = format_left_open(*session);
    if (!wanted.turn.empty()) {
        const std::optional<session_turn> turn = find_turn(wanted.turn);
        if (!turn || turn->room != wanted.room || !may_be_run(*turn, *session, now)) {
            return errc::room_changed;
        }
        newest = std::max(newest, turn->format);
    }
    if (newest > wanted.format) {
        return errc::unavailable;
    }

    ops::begin_run::answer answer;
    answer.is_takeover = is_takeover;
    if (!is_takeover) {
        answer.interrupted = interrupt_run(session->run, now);
    }
    answer.unknown_calls = give_up_calls(wanted.room, now);
    if (!is_takeover) {
        cancel_approvals(wanted.room, now);
    }
    answer.asked = approvals_of_calls(*session);

    ++session->driver_epoch;
    session->status = session_status::running;
    session->run = wanted.id;
    session->updated_at = now;
    db_.run(
        "UPDATE sessions SET driver_epoch = ?2, status = ?3, run_id = ?4, updated_at = ?5 WHERE"
        " room_id = ?1",
        session->room,
        session->driver_epoch,
        session->status,
        session->run,
        now
    );
    if (is_takeover) {
        db_.run(
            "UPDATE runs SET epoch = ?2, worker = ?3, format = ?4 WHERE id = ?1",
            wanted.id,
            session->driver_epoch,
            wanted.worker,
            wanted.format
        );
    } else {
        db_.run(
            "INSERT INTO runs (id, room_id, organization_id, epoch, worker, status, started_by,"
            " turn_id, on_disconnect, is_cancel_requested, finish_reason, error_code, next_frame,"
            " is_stream_over, is_pruned, started_at, format) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7,"
            " ?8, 0, '', '', 0, 0, 0, ?9, ?10)",
            wanted.id,
            wanted.room,
            wanted.organization,
            session->driver_epoch,
            wanted.worker,
            wanted.started_by,
            wanted.turn,
            wanted.on_disconnect,
            now,
            wanted.format
        );
    }
    // Of a session only one is running.
    db_.run(
        "UPDATE turns SET status = 1 WHERE room_id = ?1 AND status = 2 AND id <> ?2",
        wanted.room,
        wanted.turn
    );
    if (!is_takeover) {
        db_.run(
            "UPDATE turns SET status = 3 WHERE room_id = ?1 AND status = 1 AND kind = 3 AND id <>"
            " ?2",
            wanted.room,
            wanted.turn
        );
    }
    if (!wanted.turn.empty()) {
        db_.run(
            "UPDATE turns SET status = 2, attempts = attempts + 1, epoch = ?2, worker = ?3,"
            " run_id = ?4, format = ?5 WHERE id = ?1",
            wanted.turn,
            session->driver_epoch,
            wanted.worker,
            wanted.id,
            wanted.format
        );
    }
    known = find_run(wanted.organization, wanted.id);
    answer.run = *std::move(known);
    answer.state = state_of(*session);
    answer.session = *std::move(session);
    return answer;
}

result<agent_run_record> sql_tables::perform(const ops::end_run& request) {
    if (request.status == run_status::running) {
        return errc::invalid_argument;
    }
    const std::optional<agent_session> driven = lock_driven(request.room, request.epoch);
    if (!driven || driven->run != request.run) {
        return errc::driver_fenced;
    }
    const std::optional<agent_run_record> known = find_run(driven->organization, request.run);
    if (!known) {
        return errc::driver_fenced;
    }
    if (known->status == request.status && known->is_stream_over) {
        return *known;
    }
    const auto last = frames_to_add(request.last_frames, known->next_frame);
    if (!last) {
        return errc::invalid_argument;
    }
    const wall_time now = clock_.now();
    if (!end_run(request.run, request.status, request.finish_reason, request.error_code, now)) {
        return errc::driver_fenced;
    }
    std::optional<agent_run_record> ended = end_stream(*known, *last);
    for (const ops::end_run::question& one : request.questions) {
        if (find_approval(one.asked.id)) {
            return errc::already_exists;
        }
        insert_approval(as_asked(one, *known, now));
    }
    if (!ended->turn.empty()) {
        db_.run(
            // `status + 0`: it is found by its id, however few run.
            "UPDATE turns SET status = ?2, last_error = ?3 WHERE id = ?1 AND status + 0 = 2",
            ended->turn,
            status_of_turn_after(request.status),
            request.error_code
        );
    }
    db_.run(
        "UPDATE sessions SET status = ?2, open_calls = ?3, updated_at = ?4 WHERE room_id = ?1",
        request.room,
        status_at_rest(request.then, waiting_in(request.room, now)),
        text_of_calls(request.open_calls),
        now
    );
    if (is_quiet(request.then)) {
        settle_generation(request.room, request.error_code, now);
    }
    return *std::move(ended);
}

}  // namespace convene::sql
