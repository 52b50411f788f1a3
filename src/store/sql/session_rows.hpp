// SPDX-License-Identifier: Apache-2.0
// How sessions, runs, tool calls and turns lie in the tables: column lists, and reading in that order.
#pragma once

#include <string>
#include <string_view>

#include "base/sql/session.hpp"
#include "store/session_rules.hpp"

namespace convene::sql {

inline constexpr std::string_view session_columns =
    "room_id, organization_id, agent, owner, status, driver_epoch, sequence, state, run_id,"
    " open_calls, created_at, updated_at";

inline constexpr std::string_view run_columns =
    "id, room_id, organization_id, epoch, worker, status, started_by, turn_id, on_disconnect,"
    " is_cancel_requested, finish_reason, error_code, next_frame, is_stream_over, format,"
    " started_at, ended_at";

inline constexpr std::string_view tool_intent_columns =
    "room_id, run_id, call_id, tool, arguments_digest, epoch, state, started_at, ended_at";

/// Of the table `t`.
inline constexpr std::string_view turn_columns =
    "t.number, t.id, t.room_id, t.organization_id, t.kind, t.input, t.acting_for, t.status,"
    " t.attempts, t.epoch, t.worker, t.run_id, t.is_input_consumed, t.not_before, t.last_error,"
    " t.format, t.queued_at";

inline constexpr std::string_view approval_columns =
    "id, organization_id, room_id, run_id, call_id, kind, title, description, grants,"
    " response_schema, deciders, state, decided_by, response, decided_at, expires_at, created_at";

/// `SELECT <columns> FROM <table> <condition>`.
[[nodiscard]] std::string select_from(
    std::string_view table, std::string_view columns, std::string_view condition
);

[[nodiscard]] agent_session read_session(query& row);
[[nodiscard]] agent_run_record read_run(query& row);
[[nodiscard]] tool_intent read_tool_intent(query& row);
[[nodiscard]] numbered_turn read_turn(query& row);
[[nodiscard]] approval read_approval(query& row);

}  // namespace convene::sql
