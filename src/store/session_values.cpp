// SPDX-License-Identifier: Apache-2.0
// The words of sessions, runs and turns.
#include "store/session_values.hpp"

namespace convene {

std::string_view word_of(session_status status) noexcept {
    switch (status) {
        case session_status::idle:
            return "idle";
        case session_status::queued:
            return "queued";
        case session_status::running:
            return "running";
        case session_status::waiting_for_input:
            return "waiting_for_input";
        case session_status::waiting_for_approval:
            return "waiting_for_approval";
        case session_status::scheduled:
            return "scheduled";
        case session_status::failed:
            return "failed";
        case session_status::quarantined:
            return "quarantined";
    }
    return {};
}

std::string_view word_of(run_status status) noexcept {
    switch (status) {
        case run_status::running:
            return "running";
        case run_status::finished:
            return "finished";
        case run_status::failed:
            return "failed";
        case run_status::cancelled:
            return "cancelled";
        case run_status::interrupted:
            return "interrupted";
    }
    return {};
}

std::string_view word_of(disconnect_policy policy) noexcept {
    switch (policy) {
        case disconnect_policy::cancel:
            return "cancel";
        case disconnect_policy::detach:
            return "detach";
        case disconnect_policy::grace:
            return "grace";
    }
    return {};
}

std::string_view word_of(tool_intent_state state) noexcept {
    switch (state) {
        case tool_intent_state::started:
            return "started";
        case tool_intent_state::done:
            return "done";
        case tool_intent_state::failed:
            return "failed";
        case tool_intent_state::unknown:
            return "unknown";
    }
    return {};
}

std::string_view word_of(turn_kind kind) noexcept {
    switch (kind) {
        case turn_kind::kickoff:
            return "kickoff";
        case turn_kind::message:
            return "message";
        case turn_kind::resume:
            return "resume";
        case turn_kind::wake:
            return "wake";
    }
    return {};
}

std::string_view word_of(turn_status status) noexcept {
    switch (status) {
        case turn_status::queued:
            return "queued";
        case turn_status::running:
            return "running";
        case turn_status::done:
            return "done";
        case turn_status::failed:
            return "failed";
        case turn_status::quarantined:
            return "quarantined";
    }
    return {};
}

}  // namespace convene
