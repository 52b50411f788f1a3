// SPDX-License-Identifier: Apache-2.0
// The tools with which an agent asks people (A6). Nobody calls them: what they ask ends the run, and the answer is their
// result.
#pragma once

#include "convene/chat.hpp"
#include "convene/tool.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/agui/run_event.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

inline constexpr std::string_view request_approval_word = "request_approval";
inline constexpr std::string_view ask_user_word = "ask_user";

/// Which of them a run has: a client's own `ask_user` counts, its `request_approval` does not. A name that the agent has is
/// the agent's.
class asking_tools {
   public:
    /// `of_agent`: the names of its tools.
    asking_tools(
        std::set<std::string, std::less<>> of_agent, const std::vector<tool_definition>& of_client
    );

    /// These, and those of the client.
    [[nodiscard]] const std::vector<tool_definition>& definitions() const noexcept {
        return definitions_;
    }

    [[nodiscard]] bool has(std::string_view name) const noexcept;

    /// Why a call asks nothing, as a sentence that the model can act on. Unset: it does, or it is none of these.
    [[nodiscard]] std::optional<std::string> find_fault(const tool_call& call) const;

   private:
    const std::set<std::string, std::less<>> of_agent_;
    toolbox own_;
    std::vector<tool_definition> definitions_;
};

/// What a call asks. *Requires*: it has no fault.
[[nodiscard]] ops::end_run::question question_of(
    const tool_call& call, std::vector<std::string> deciders
);

/// As the run's stream tells it. The answer is to be what `read_answer` takes.
[[nodiscard]] run_events::interrupt interrupt_of(const approval& asked, wall_time expires_at);

}  // namespace convene
