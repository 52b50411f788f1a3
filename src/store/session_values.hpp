// SPDX-License-Identifier: Apache-2.0
// Agent sessions, their runs and turns, as they are stored (engine.md 6).
#pragma once

#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

using run_id = text_id<struct run_tag>;
using turn_id = text_id<struct turn_tag>;

/// What a session is doing. Words and numbers are frozen.
enum class session_status : std::uint8_t {
    idle = 1,
    queued = 2,             ///< a turn waits for a worker
    running = 3,            ///< a driver has it, or had it when its worker died
    waiting_for_input = 4,  ///< a client tool call is open
    waiting_for_approval = 5,
    scheduled = 6,    ///< a turn waits for its time
    failed = 7,       ///< the last run ended with an error; it can be used on
    quarantined = 8,  ///< its turn killed too many workers: an operator must look
};

[[nodiscard]] std::string_view word_of(session_status status) noexcept;

/// A call of a tool that the other end has, whose result comes with a later run (A5).
struct open_call {
    std::string id;
    std::string name;
    json_text arguments;

    friend bool operator==(const open_call&, const open_call&) = default;
};

/// What a room is besides, once an agent drives it. Its id is the room's.
struct agent_session {
    room_id room;
    organization_id organization;
    channel_id agent;   ///< the binding that answers
    std::string owner;  ///< whose `user:` state it shares; fixed
    session_status status = session_status::idle;
    std::int64_t driver_epoch = 0;  ///< raised whenever a driver takes it
    std::int64_t sequence = 0;      ///< counts appends, those of state alone too
    json_text state;                ///< its own scope, keys without a prefix
    run_id run;                     ///< the running or last one; empty: never driven
    std::vector<open_call> open_calls;
    wall_time created_at{};  ///< the store's clock, as the next
    wall_time updated_at{};

    friend bool operator==(const agent_session&, const agent_session&) = default;
};

/// All that a driver can read of state; each is an object.
struct session_state {
    json_text session;
    json_text user;  ///< shared by the sessions of one owner in the organisation
    json_text app;   ///< shared by all sessions of the organisation

    friend bool operator==(const session_state&, const session_state&) = default;
};

/// A change of state: shallow, the last write of a key wins. A value `null` removes its key.
struct state_delta {
    json_text session;
    json_text user;
    json_text app;

    [[nodiscard]] bool is_empty() const {
        return session == json_text{} && user == json_text{} && app == json_text{};
    }

    friend bool operator==(const state_delta&, const state_delta&) = default;
};

enum class run_status : std::uint8_t {
    running = 1,
    finished = 2,
    failed = 3,
    cancelled = 4,
    interrupted = 5,  ///< its worker died or lost the lease
};

[[nodiscard]] std::string_view word_of(run_status status) noexcept;

/// What becomes of a run whose starter goes away (A3).
enum class disconnect_policy : std::uint8_t {
    cancel = 1,
    detach = 2,  ///< goes on
    grace = 3,   ///< goes on for a while, in case somebody comes back
};

[[nodiscard]] std::string_view word_of(disconnect_policy policy) noexcept;

/// One invocation of an agent.
struct agent_run_record {
    run_id id;
    room_id room;
    organization_id organization;
    std::int64_t epoch = 0;  ///< the session's, from its start
    incarnation_id worker;
    run_status status = run_status::running;
    std::string started_by;  ///< a user, a token, or empty: the runner
    turn_id turn;            ///< empty: started by a request
    disconnect_policy on_disconnect = disconnect_policy::cancel;
    bool is_cancel_requested = false;
    std::string finish_reason;    ///< `stop`, `length`, `tool_calls`, an error's word, ...
    std::string error_code;       ///< empty: none
    std::int64_t next_frame = 0;  ///< its stream has the frames below
    bool is_stream_over =
        false;  ///< its last frame is stored: a run that was taken over goes on in the same stream
    std::int32_t format = 1;  ///< of its frames: the newest among those who drove it
    wall_time started_at{};   ///< the store's clock, as the next
    std::optional<wall_time> ended_at;

    friend bool operator==(const agent_run_record&, const agent_run_record&) = default;
};

/// A piece of a run's stream, as it is sent: its number in the run is its place.
struct run_frame {
    std::int64_t number = 0;
    std::string data;

    friend bool operator==(const run_frame&, const run_frame&) = default;
};

/// Whether a server-side tool call was made. Committed as `started` before the call (engine.md 6).
enum class tool_intent_state : std::uint8_t {
    started = 1,
    done = 2,
    failed = 3,
    unknown = 4,  ///< nobody knows whether it was made: its worker died, or it was cut off
};

[[nodiscard]] std::string_view word_of(tool_intent_state state) noexcept;

struct tool_intent {
    room_id room;
    run_id run;
    std::string call_id;
    std::string tool;
    std::string arguments_digest;  ///< SHA-256 in hex of the canonical text
    std::int64_t epoch = 0;
    tool_intent_state state = tool_intent_state::started;
    wall_time started_at{};  ///< the store's clock, as the next
    std::optional<wall_time> ended_at;

    friend bool operator==(const tool_intent&, const tool_intent&) = default;
};

/// Why a turn is to be run. Words and numbers are frozen.
enum class turn_kind : std::uint8_t {
    kickoff = 1,
    message = 2,
    resume = 3,  ///< after an approval or an answer
    wake = 4,    ///< its time has come
};

[[nodiscard]] std::string_view word_of(turn_kind kind) noexcept;

enum class turn_status : std::uint8_t {
    queued = 1,
    running = 2,
    done = 3,
    failed = 4,
    quarantined = 5,
};

[[nodiscard]] std::string_view word_of(turn_status status) noexcept;

/// Nothing of it is to be run, unless an operator wants it again. One that is quarantined waits for that.
[[nodiscard]] constexpr bool has_ended(turn_status status) noexcept {
    return status == turn_status::done || status == turn_status::failed;
}

/// A unit of work for the runner (N1 to N5).
struct session_turn {
    turn_id id;
    room_id room;
    organization_id organization;
    turn_kind kind = turn_kind::message;
    json_text input;         ///< what it says to the agent, and the tools of whoever says it
    run_id run;              ///< as which it is run, through all takeovers; empty before
    std::string acting_for;  ///< by whose right it acts
    turn_status status = turn_status::queued;
    std::int32_t attempts = 0;       ///< counted when it is claimed; a hand-over takes its one back
    std::int64_t epoch = 0;          ///< of the session, while it runs
    incarnation_id worker;           ///< that runs it, or ran it last
    bool is_input_consumed = false;  ///< what it says was appended
    wall_time not_before{};
    std::string last_error;   ///< a stable word; empty: none
    std::int32_t format = 1;  ///< the newest among those who queued and ran it
    wall_time queued_at{};    ///< the store's clock

    friend bool operator==(const session_turn&, const session_turn&) = default;
};

}  // namespace convene
