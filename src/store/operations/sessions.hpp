// SPDX-License-Identifier: Apache-2.0
// Store operations on agent sessions: driving, appending, streams of runs, turns (engine.md 6).
//
// A driver holds the session's lease and carries the epoch that it got with it. Whatever it writes compares that
// epoch: `driver_fenced` is final. All times are the store's clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/access_values.hpp"
#include "store/approval_values.hpp"
#include "store/session_values.hpp"

namespace convene::ops {

/// Makes a room a session, unless it is one. *Errors*: `not_found` (room).
struct open_session {
    using answer = agent_session;
    organization_id organization;
    room_id room;
    channel_id agent;
    std::string owner;
};

/// *Errors*: `not_found`.
struct get_session {
    struct answer {
        agent_session session;
        session_state state;
    };

    organization_id organization;
    room_id room;
};

/// A driver takes the session: the epoch rises, the run and, with a turn, the turn is running from here on. A run of this id
/// that has no end is taken over, in the same stream. Another one that was still open is ended as interrupted; its stream
/// is to be ended with `close_stream`. Calls that were left open are `unknown`. Unless a run is taken over, approvals that
/// are still open are cancelled, and other turns that wait to tell of a decision are done: this run tells of it.
/// Call it under the session's lease. *Errors*: `not_found`, `already_exists` (the run), `room_changed` (the turn is no longer
/// to be run), `unavailable` (the turn, or the run that has no end, is of a newer format than `run.format`: it is left to a
/// newer worker).
struct begin_run {
    struct answer {
        agent_session session;
        session_state state;
        agent_run_record run;                         ///< as it is from here on
        bool is_takeover = false;                     ///< it had begun on another worker
        std::optional<agent_run_record> interrupted;  ///< another run that had no end
        std::vector<tool_intent> unknown_calls;       ///< those that had no end
        std::vector<approval> asked;  ///< those that the session's open calls are about
    };

    agent_run_record run;  ///< epoch, status, frames and times are made
};

/// The last frames of a run that was interrupted and is not gone on with. *Errors*: `driver_fenced` (the epoch is not the
/// session's), `not_found`.
struct close_stream {
    using answer = agent_run_record;
    room_id room;
    run_id run;
    std::int64_t epoch = 0;  ///< the session's, of the driver that it has now
    std::vector<run_frame> last_frames;
};

/// State alone; an append of events carries its delta in `commit::session`. *Errors*: `driver_fenced`,
/// `invalid_argument` (a delta that is no object).
struct append_state {
    struct answer {
        std::int64_t sequence = 0;
    };

    room_id room;
    std::int64_t epoch = 0;
    state_delta delta;
};

/// The end of a run, once, with the last frames of its stream. The session goes to `then`; its turn, if there is one,
/// is done or failed. What it asks is open from here on. Said again by the same driver it is the same end.
/// *Errors*: `driver_fenced`, `already_exists` (an approval).
struct end_run {
    using answer = agent_run_record;

    struct question {
        approval asked;  ///< state, decision, times, organisation, room and run are made
        std::chrono::milliseconds valid_for{};
    };

    room_id room;
    run_id run;
    std::int64_t epoch = 0;
    run_status status = run_status::finished;
    std::string finish_reason;
    std::string error_code;
    session_status then = session_status::idle;
    std::vector<open_call> open_calls;
    std::vector<run_frame> last_frames;  ///< numbers go on from what is stored
    std::vector<question> questions;
};

/// *Errors*: `not_found`.
struct get_run {
    using answer = agent_run_record;
    organization_id organization;
    run_id run;
};

/// Of a session, newest first.
struct list_runs {
    using answer = std::vector<agent_run_record>;
    organization_id organization;
    room_id room;
    std::size_t limit = 20;
};

/// Somebody wants the run to end; its driver looks. Answers the run as it is. *Errors*: `not_found`.
struct request_cancel {
    using answer = agent_run_record;
    organization_id organization;
    run_id run;
};

/// Further frames of any number of runs, in one transaction. What belongs to a run whose epoch is another's by now, or
/// that has ended, is left out. Frames that are stored already are passed over: it may be said again.
struct append_frames {
    struct of_run {
        room_id room;
        run_id run;
        std::int64_t epoch = 0;
        std::vector<run_frame>
            frames;  ///< numbers ascend by one, from the run's `next_frame` or below
    };

    using answer = std::vector<run_id>;  ///< those left out
    std::vector<of_run> runs;
};

/// The frames behind a number, ascending, and the run as it was read with them. *Errors*: `not_found`.
struct list_frames {
    struct answer {
        agent_run_record run;
        std::vector<run_frame> frames;
        std::int64_t first_kept = 0;  ///< older ones are gone
    };

    organization_id organization;
    run_id run;
    std::int64_t after = -1;
    std::size_t limit = 500;
};

/// The intent to call a tool, before the call. It uses up the approval that allows it, if it needs one.
/// *Errors*: `driver_fenced`, `already_exists`, `not_authorized` (the approval is none of this session that was given for
/// the tool, its time is over, or it is used up).
struct start_tool_call {
    using answer = tool_intent;

    struct use {
        approval_id approval;
        std::size_t grant = 0;  ///< which of its grants
    };

    tool_intent intent;
    std::optional<use> allowed_by{};
    std::optional<audit_entry> audit{};
};

/// How it ended, once. *Errors*: `driver_fenced`, `not_found` (no such call is open), `invalid_argument` (a state that
/// is no end).
struct end_tool_call {
    using answer = tool_intent;
    room_id room;
    run_id run;
    std::string call_id;
    std::int64_t epoch = 0;
    tool_intent_state state = tool_intent_state::done;
};

/// Those of a session, newest first.
struct list_tool_calls {
    using answer = std::vector<tool_intent>;
    organization_id organization;
    room_id room;
    std::size_t limit = 100;
};

/// A turn for the runner. The session goes to `queued` (or `scheduled`) unless it is running: then the turn waits behind the
/// run. `not_before` is at least `delay` from now. *Errors*: `not_found` (session), `driver_fenced`, `already_exists` (the id),
/// `execution_ended`, `overloaded` (100 turns of the session wait already, or 20 of the kind `wake`).
struct queue_turn {
    using answer = session_turn;
    session_turn turn;
    std::chrono::milliseconds delay{0};
    std::optional<std::int64_t> epoch{
    };  ///< of the driver that queues it, which must have the session
};

/// Takes back a turn of the kind `wake` that nobody has begun: it is as if it had not been queued. Answers it as it was.
/// *Errors*: `not_found`, `room_changed` (it has begun, or has ended).
struct cancel_wake {
    using answer = session_turn;
    organization_id organization;
    room_id room;
    turn_id turn;
    std::optional<audit_entry> audit{};
};

/// Turns that could be run now, of sessions whose lease the runner then tries: queued ones whose time has come, and
/// running ones whose worker is dead. In turn from each organisation, in each by the time from which on they could be
/// run; of each session the first, and none of one that is quarantined. One of a newer format is left to newer workers, and
/// what follows it in its session waits.
struct list_due_turns {
    using answer = std::vector<session_turn>;
    std::size_t limit = 64;
    std::int32_t format = 1;  ///< the newest that the runner can read
};

/// When the next queued turn is due that is not due yet; unset: none.
struct next_turn_at {
    using answer = std::optional<wall_time>;
};

/// Gives a turn back to the queue: handed over (its attempt does not count) or to be tried again. Its run goes on,
/// in the same stream, when it is taken again. *Errors*: `driver_fenced`.
struct requeue_turn {
    using answer = session_turn;
    turn_id turn;
    std::int64_t epoch = 0;
    bool is_handed_over = false;
    std::chrono::milliseconds delay{0};
    std::string error;
};

/// After too many attempts: the session is quarantined with it, and whoever drove it is fenced. Call it under the
/// session's lease. *Errors*: `not_found`, `room_changed` (it is neither queued nor left by a dead worker).
struct quarantine_turn {
    using answer = session_turn;
    turn_id turn;
    std::string reason;
    std::vector<run_frame> last_frames{};  ///< of the session's run, if that has no end yet
};

/// An operator lets a quarantined or failed turn be run again, from its first attempt. *Errors*: `not_found`,
/// `room_changed` (it is neither), `execution_ended`.
struct retry_turn {
    using answer = session_turn;
    organization_id organization;
    turn_id turn;
    std::optional<audit_entry> audit{};
};

/// *Errors*: `not_found`.
struct get_turn {
    using answer = session_turn;
    organization_id organization;
    turn_id turn;
};

/// Of the whole deployment, as they stand now.
struct count_turns {
    struct answer {
        std::int64_t queued = 0;
        std::int64_t running = 0;
        std::int64_t quarantined = 0;
    };
};

/// Newest first; of one session or of all of the organisation.
struct list_turns {
    using answer = std::vector<session_turn>;
    organization_id organization;
    std::optional<room_id> room;
    std::optional<turn_status> status;
    std::size_t limit = 50;
};

/// Removes frames of runs that ended longer ago than `older_than`; the runs stay. Those of a turn that waits, runs or is
/// quarantined are kept. Answers how many runs were looked after, at most `limit`.
struct prune_frames {
    using answer = std::size_t;
    std::chrono::milliseconds older_than{};
    std::size_t limit = 100;
};

/// Removes runs that ended longer ago than `older_than` and whose frames are gone, with their tool calls and the turns that
/// ended with them. A session whose last run goes names none. Those of a turn that waits, runs or is quarantined are kept.
/// Answers how many runs went, at most `limit`.
struct prune_runs {
    using answer = std::size_t;
    std::chrono::milliseconds older_than{};
    std::size_t limit = 100;
};

}  // namespace convene::ops
