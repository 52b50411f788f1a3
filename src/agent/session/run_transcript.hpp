// SPDX-License-Identifier: Apache-2.0
// What a run has said so far, put together from its events: what of it still has to be stored when it ends early.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/agui/run_event.hpp"

namespace convene {

/// A message as its readers have seen it.
struct told_message {
    std::string id;
    std::string text;
    bool is_whole = false;  ///< its end was told
};

struct told_call {
    std::string id;
    std::string tool;
    std::string arguments;
    std::optional<std::string> result{};
    std::string result_id{};  ///< of the event with it; empty: it has none yet
};

/// Fed with the events of one run, in order, on one worker or on several.
class run_transcript {
   public:
    void take(const run_event& event);

    /// In the order in which they began.
    [[nodiscard]] const std::vector<told_message>& messages() const noexcept { return messages_; }

    [[nodiscard]] const std::vector<told_call>& calls() const noexcept { return calls_; }

    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

   private:
    [[nodiscard]] told_call* find_call(const std::string& id);

    std::vector<told_message> messages_;
    std::vector<told_call> calls_;
    bool has_ended_ = false;
};

}  // namespace convene
