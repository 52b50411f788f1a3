// SPDX-License-Identifier: Apache-2.0
// Which tools an execution's agent may call: those that a task in progress has (W2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool_policy.hpp"
#include "store/workflow_values.hpp"

namespace convene {

class conversation_store;

/// What the tasks say about a call.
struct task_judgement {
    std::string task{};    ///< for which it may be called; empty: for none
    std::string reason{};  ///< why not, a stable word; empty: it may be
};

/// `no_task_in_progress`, or `not_bound`: no task in progress has the tool.
[[nodiscard]] task_judgement judge_tool_call(
    const std::vector<execution_task>& tasks, std::string_view tool
);

/// What a call that was allowed comes to.
enum class call_effect : std::uint8_t {
    real,
    mocked,  ///< it is answered by the template: nothing is called
};

/// Decides the calls of one driver of an execution's session, and writes each decision down before the call.
class task_policy final : public tool_policy {
   public:
    /// `store` outlives it; `epoch` is the driver's.
    task_policy(
        conversation_store* store,
        organization_id organization,
        room_id room,
        std::int64_t epoch,
        call_effect effect
    );

    /// *Errors*: `driver_fenced`, store errors.
    [[nodiscard]] awaitable<result<policy_decision>> decide(tool_call call) override;

   private:
    conversation_store& store_;
    const organization_id organization_;
    const room_id room_;
    const std::int64_t epoch_;
    const call_effect effect_;
};

}  // namespace convene
