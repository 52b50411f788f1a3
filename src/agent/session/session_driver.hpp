// SPDX-License-Identifier: Apache-2.0
// The driver of one run of a session: history, model, tools; what is said goes to the stream and into the room
// (engine.md 6).
#pragma once

#include "convene/chat_model.hpp"
#include "convene/room_kit.hpp"
#include "convene/tool.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/chat_window.hpp"
#include "agent/room_tools.hpp"
#include "agent/session/approval_answer.hpp"
#include "agent/session/asking_tools.hpp"
#include "agent/session/call_permission.hpp"
#include "agent/session/run_scribe.hpp"
#include "agent/session/turn_order.hpp"
#include "agent/tool_loop.hpp"
#include "base/uuid.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

/// Who answers in a session: a registered agent, as it is now.
struct session_agent {
    channel_id id;
    std::shared_ptr<chat_model> model;
    model_request question;  ///< the model's name, instructions and limits; no messages yet
    toolbox tools;           ///< besides the room's
    std::vector<room_tool> room_tools;  ///< what they leave is stored with their calls
    tool_guard room_tool_guard;         ///< around these, which the driver makes; unset: none
    std::set<std::string, std::less<>>
        needs_approval;                  ///< tools that are called only as an approval allows
    std::vector<std::string> approvers;  ///< as of `approval::deciders`
    tool_loop_limits limits;
    chat_window_limits window;
    std::chrono::milliseconds deadline{std::chrono::minutes{5}};  ///< of a run
};

/// Why a driver is told to stop before its end.
enum class stop_reason : std::uint8_t {
    none = 0,
    cancelled = 1,    ///< somebody wants the run to end
    handed_over = 2,  ///< this worker goes away: another one goes on with the turn
};

/// How driving ended.
struct drive_end {
    enum class kind : std::uint8_t {
        ended = 1,        ///< `run` is its record; its stream is whole
        handed_over = 2,  ///< the turn is in the queue again
        fenced = 3,       ///< somebody else has the session, or will: nothing more may be written
    };

    kind what = kind::ended;
    agent_run_record run;
};

/// Drives one run, from `begin_run` to `end_run`.
///
/// Every write has the epoch of `begun`; the first `driver_fenced` ends it. When this worker dies, another one settles what
/// is open (`former_driver`) and goes on.
///
/// *Thread safety*: loop only. *Lifetime*: its parts outlive it.
class session_driver final : private tool_loop_listener {
   public:
    session_driver(
        driver_parts with,
        session_agent agent,
        ops::begin_run::answer begun,
        session_turn turn,
        turn_order order
    );

    /// Called once. *Cancellation*: it stops at the next await and ends the run by `stopping`; with the reason `lease_lost`
    /// it writes nothing more.
    [[nodiscard]] awaitable<drive_end> drive();

    /// When its first frame was stored; unset: none was.
    [[nodiscard]] std::optional<monotonic_time> first_stored_at() const {
        return scribe_.stream() != nullptr ? scribe_.stream()->first_stored_at() : std::nullopt;
    }

    /// Set before it is cancelled.
    void set_stop_reason(stop_reason why) noexcept { stopping_ = why; }

   private:
    // what the loop tells
    [[nodiscard]] awaitable<result<>> piece(model_piece made) override;
    [[nodiscard]] awaitable<result<>> said(model_answer answer) override;
    [[nodiscard]] awaitable<result<refusal>> intend(tool_call call, std::string call_key) override;
    [[nodiscard]] awaitable<result<>> ended(tool_call call, call_outcome outcome) override;

    [[nodiscard]] awaitable<result<>> open_stream();
    [[nodiscard]] awaitable<result<>> append_order();
    [[nodiscard]] awaitable<result<>> append_result(
        open_call call, tool_call_status how, std::string text
    );
    [[nodiscard]] decision_result result_for(const open_call& call) const;
    [[nodiscard]] awaitable<result<loop_end>> answer();
    [[nodiscard]] awaitable<result<tool_loop_request>> prepare();
    [[nodiscard]] awaitable<drive_end> conclude(result<loop_end> answered);

    /// Leaves open what people and clients have to answer.
    void leave_open(
        const std::vector<tool_call>& calls, ops::end_run* how, run_events::finished* last
    );

    [[nodiscard]] const std::string& message();
    [[nodiscard]] std::string told_id(const std::string& call);

    // fixed after construction
    const driver_parts with_;
    const session_agent agent_;
    const ops::begin_run::answer begun_;
    const session_turn turn_;
    const turn_order order_;
    const asking_tools asking_;

    // touched on the loop only
    stop_reason stopping_ = stop_reason::none;
    call_permission permission_;
    run_scribe scribe_;
    bool has_told_results_ = false;  ///< of the calls that were open before
    std::string message_;            ///< the id of the answer in the making; empty: none
    std::map<std::string, std::string> call_ids_;  ///< of this answer: the model's id, and ours
};

}  // namespace convene
