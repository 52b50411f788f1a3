// SPDX-License-Identifier: Apache-2.0
// The port to whoever decides which tool calls of a session's agent are made (W2), and tools that ask it.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/chat.hpp"
#include "convene/error.hpp"
#include "convene/tool.hpp"

#include <memory>
#include <string>

namespace convene {

struct policy_decision {
    std::string refusal{};  ///< why it is not called, for the model; empty: it is

    friend bool operator==(const policy_decision&, const policy_decision&) = default;
};

/// *Thread safety*: loop only. *Lifetime*: outlives the calls that it decides.
class tool_policy {
   public:
    virtual ~tool_policy() = default;

    /// Asked once for each call, before it can have an effect. *Errors*: it can't be decided: nothing is called.
    [[nodiscard]] virtual awaitable<result<policy_decision>> decide(tool_call call) = 0;
};

/// A tool that is called only if the policy lets it. What it is called, and what it takes, stays.
[[nodiscard]] std::shared_ptr<tool> make_guarded_tool(
    std::shared_ptr<tool> guarded, std::shared_ptr<tool_policy> policy
);

}  // namespace convene
