// SPDX-License-Identifier: Apache-2.0
// The text of sessions, runs and turns, field by field.
#include <string>
#include <vector>

#include "support/described_fields.hpp"

namespace convene {

std::string describe(const agent_session& value) {
    std::vector<std::string> calls;
    for (const open_call& call : value.open_calls) {
        calls.push_back(call.id + "/" + call.name + call.arguments.str());
    }
    return described_fields{"session"}
        .add("room", value.room)
        .add("organization", value.organization)
        .add("agent", value.agent)
        .add("owner", value.owner)
        .add("status", value.status)
        .add("driver_epoch", value.driver_epoch)
        .add("sequence", value.sequence)
        .add("state", value.state)
        .add("run", value.run)
        .add("open_calls", calls)
        .add("created_at", value.created_at)
        .add("updated_at", value.updated_at)
        .text();
}

std::string describe(const session_state& value) {
    return described_fields{"state"}
        .add("session", value.session)
        .add("user", value.user)
        .add("app", value.app)
        .text();
}

std::string describe(const agent_run_record& value) {
    return described_fields{"run"}
        .add("id", value.id)
        .add("room", value.room)
        .add("organization", value.organization)
        .add("epoch", value.epoch)
        .add("worker", value.worker)
        .add("status", value.status)
        .add("started_by", value.started_by)
        .add("turn", value.turn)
        .add("on_disconnect", value.on_disconnect)
        .add("is_cancel_requested", value.is_cancel_requested)
        .add("finish_reason", value.finish_reason)
        .add("error_code", value.error_code)
        .add("next_frame", value.next_frame)
        .add("is_stream_over", value.is_stream_over)
        .add("format", value.format)
        .add("started_at", value.started_at)
        .add("ended_at", value.ended_at)
        .text();
}

std::string describe(const run_frame& value) {
    return described_fields{"frame"}.add("number", value.number).add("data", value.data).text();
}

std::string describe(const tool_intent& value) {
    return described_fields{"call"}
        .add("room", value.room)
        .add("run", value.run)
        .add("call_id", value.call_id)
        .add("tool", value.tool)
        .add("arguments_digest", value.arguments_digest)
        .add("epoch", value.epoch)
        .add("state", value.state)
        .add("started_at", value.started_at)
        .add("ended_at", value.ended_at)
        .text();
}

std::string describe(const session_turn& value) {
    return described_fields{"turn"}
        .add("id", value.id)
        .add("room", value.room)
        .add("organization", value.organization)
        .add("kind", value.kind)
        .add("input", value.input)
        .add("acting_for", value.acting_for)
        .add("status", value.status)
        .add("attempts", value.attempts)
        .add("epoch", value.epoch)
        .add("worker", value.worker)
        .add("run", value.run)
        .add("is_input_consumed", value.is_input_consumed)
        .add("not_before", value.not_before)
        .add("last_error", value.last_error)
        .add("format", value.format)
        .add("queued_at", value.queued_at)
        .text();
}

std::string describe(const ops::count_turns::answer& value) {
    return described_fields{"turns"}
        .add("queued", value.queued)
        .add("running", value.running)
        .add("quarantined", value.quarantined)
        .text();
}

std::string describe(const approval& value) {
    std::vector<std::string> grants;
    for (const approval_grant& grant : value.grants) {
        grants.push_back(
            grant.tool + grant.bounds.str() + std::to_string(grant.used) + "/" +
            std::to_string(grant.uses)
        );
    }
    return described_fields{"approval"}
        .add("id", value.id)
        .add("organization", value.organization)
        .add("room", value.room)
        .add("run", value.run)
        .add("call_id", value.call_id)
        .add("kind", value.kind)
        .add("title", value.title)
        .add("description", value.description)
        .add("grants", grants)
        .add("response_schema", value.response_schema)
        .add("deciders", value.deciders)
        .add("state", value.state)
        .add("decided_by", value.decided_by)
        .add("response", value.response)
        .add("decided_at", value.decided_at)
        .add("expires_at", value.expires_at)
        .add("created_at", value.created_at)
        .text();
}

std::string describe(const ops::decide_approvals::answer& value) {
    return described_fields{"decided"}
        .add("decided", value.decided)
        .add("queued", value.queued)
        .text();
}

std::string describe(const ops::find_expired_approvals::item& value) {
    return described_fields{"late"}
        .add("organization", value.organization)
        .add("room", value.room)
        .add("owner", value.owner)
        .text();
}

std::string describe(const ops::expire_approvals::answer& value) {
    return described_fields{"expired"}
        .add("expired", value.expired)
        .add("queued", value.queued)
        .text();
}

std::string describe(const ops::get_session::answer& value) {
    return describe(value.session) + ' ' + describe(value.state);
}

std::string describe(const ops::begin_run::answer& value) {
    return described_fields{"begun"}
        .add("session", value.session)
        .add("state", value.state)
        .add("interrupted", value.interrupted)
        .add("unknown_calls", value.unknown_calls)
        .add("asked", value.asked)
        .text();
}

std::string describe(const ops::append_state::answer& value) {
    return described_fields{"appended"}.add("sequence", value.sequence).text();
}

std::string describe(const ops::list_frames::answer& value) {
    return described_fields{"frames"}
        .add("run", value.run)
        .add("frames", value.frames)
        .add("first_kept", value.first_kept)
        .text();
}

}  // namespace convene
