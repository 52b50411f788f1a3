// SPDX-License-Identifier: Apache-2.0
// Reads sessions, runs, tool calls, turns and approvals.
#include "store/sql/session_rows.hpp"

#include "store/approval_rules.hpp"

namespace convene::sql {

std::string select_from(
    std::string_view table, std::string_view columns, std::string_view condition
) {
    std::string text = "SELECT ";
    text.append(columns).append(" FROM ").append(table).append(" ").append(condition);
    return text;
}

agent_session read_session(query& row) {
    agent_session read;
    std::string calls;
    row.read(read.room, read.organization, read.agent, read.owner, read.status);
    row.read(read.driver_epoch, read.sequence, read.state, read.run, calls);
    row.read(read.created_at, read.updated_at);
    read.open_calls = calls_of_text(calls);
    return read;
}

agent_run_record read_run(query& row) {
    agent_run_record read;
    row.read(read.id, read.room, read.organization, read.epoch, read.worker, read.status);
    row.read(read.started_by, read.turn, read.on_disconnect, read.is_cancel_requested);
    row.read(read.finish_reason, read.error_code, read.next_frame, read.is_stream_over);
    row.read(read.format, read.started_at, read.ended_at);
    return read;
}

tool_intent read_tool_intent(query& row) {
    tool_intent read;
    row.read(read.room, read.run, read.call_id, read.tool, read.arguments_digest, read.epoch);
    row.read(read.state, read.started_at, read.ended_at);
    return read;
}

numbered_turn read_turn(query& row) {
    numbered_turn read;
    session_turn& turn = read.turn;
    row.read(read.number, turn.id, turn.room, turn.organization, turn.kind, turn.input);
    row.read(turn.acting_for, turn.status, turn.attempts, turn.epoch, turn.worker);
    row.read(turn.run, turn.is_input_consumed, turn.not_before, turn.last_error);
    row.read(turn.format, turn.queued_at);
    return read;
}

approval read_approval(query& row) {
    approval read;
    std::string grants;
    std::string deciders;
    row.read(read.id, read.organization, read.room, read.run, read.call_id, read.kind);
    row.read(read.title, read.description, grants, read.response_schema, deciders, read.state);
    row.read(read.decided_by, read.response, read.decided_at, read.expires_at, read.created_at);
    read.grants = grants_of_text(grants);
    read.deciders = deciders_of_text(deciders);
    return read;
}

}  // namespace convene::sql
