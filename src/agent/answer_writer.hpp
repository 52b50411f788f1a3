// SPDX-License-Identifier: Apache-2.0
// Writing an answer into a room while it is made: text becomes segments, tool calls become records.
#pragma once

#include "convene/channel.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <optional>
#include <string>
#include <vector>

#include "agent/segmenter.hpp"
#include "agent/tool_loop.hpp"

namespace convene {

/// Whether an answer is shown while it is made.
enum class answer_form : std::uint8_t {
    whole = 1,     ///< one event, once all of it is there
    streamed = 2,  ///< segments; one that is too short for a second segment is whole all the same
};

struct answer_writer_settings {
    answer_form form = answer_form::streamed;
    segmenter_limits segments{};
    visibility calls_shown_to{visibility::scope::internal};
};

/// Listens to one loop. A model that pauses holds back no finished sentence for longer than the patience of segments.
///
/// *Thread safety*: loop only. *Lifetime*: `sink` outlives it; `conclude` before it is destroyed.
class answer_writer final : public tool_loop_listener {
   public:
    /// `around` is whose answer it is: what cancels that cancels the writing.
    answer_writer(answer_sink* sink, coroutine_context around, answer_writer_settings with);

    [[nodiscard]] awaitable<result<>> piece(model_piece made) override;
    [[nodiscard]] awaitable<result<>> said(model_answer answer) override;
    [[nodiscard]] awaitable<result<refusal>> intend(tool_call call, std::string call_key) override;
    [[nodiscard]] awaitable<result<>> ended(tool_call call, call_outcome outcome) override;

    /// Once the loop has ended: records calls that were cut off, says what is left, and tells how it ended.
    [[nodiscard]] awaitable<agent_answer> conclude(loop_end end);

   private:
    [[nodiscard]] awaitable<void> watch_for_pauses();
    [[nodiscard]] awaitable<result<>> say_ready();
    [[nodiscard]] awaitable<result<>> say_rest();
    [[nodiscard]] awaitable<result<>> take_turn();
    void end_turn() noexcept;
    [[nodiscard]] awaitable<result<>> say(std::string text);
    [[nodiscard]] awaitable<void> record_cut_off();
    [[nodiscard]] std::string take_rest();

    // fixed after construction
    answer_sink& sink_;
    executor& where_;
    const answer_writer_settings with_;

    // touched on the loop only
    segmenter segments_;
    std::string whole_;  ///< of an answer that is not streamed
    bool has_segments_ = false;
    std::vector<tool_call> open_;  ///< intended, not ended
    bool is_saying_ = false;  ///< one segment after the other, in the order in which they were cut
    bool is_watching_ = false;
    bool is_over_ = false;
    result<> failed_{};  ///< of a segment that no piece waited for
    wait_flag said_;
    wait_flag more_;

    // the last member: its task uses the others
    task_scope scope_;
};

}  // namespace convene
