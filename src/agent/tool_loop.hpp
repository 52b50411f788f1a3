// SPDX-License-Identifier: Apache-2.0
// The loop: a model is asked, its tools are called, it is asked again, until it has said all or a limit is met.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/chat_model.hpp"
#include "convene/time.hpp"
#include "convene/tool.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/tool_loop_fsm.hpp"
#include "agent/tool_outcome.hpp"

namespace convene {

/// Told what happens in a loop, one thing after another. An error ends the loop with it.
class tool_loop_listener {
   public:
    virtual ~tool_loop_listener() = default;

    /// What the model makes, while it does.
    [[nodiscard]] virtual awaitable<result<>> piece(model_piece made) = 0;

    /// The model has ended one answer of perhaps several; its calls are made after this.
    [[nodiscard]] virtual awaitable<result<>> said(model_answer answer) = 0;

    /// Why a call is not made; unset: it is.
    using refusal = std::optional<std::string>;

    /// A tool is about to be called: whoever wants it on record before it can have an effect writes it down now, and
    /// whoever has to allow it does. No call of a round is made before all of its intents are.
    [[nodiscard]] virtual awaitable<result<refusal>> intend(
        tool_call call, std::string call_key
    ) = 0;

    /// A call has a result. One that was refused had no intent. Calls that a cancellation cut off are not told of:
    /// they are in `loop_end::messages`, as unknown.
    [[nodiscard]] virtual awaitable<result<>> ended(tool_call call, call_outcome outcome) = 0;
};

struct tool_loop_request {
    model_request question;  ///< its tools are set by the loop
    toolbox tools;
    std::vector<tool_definition> client_tools{};  ///< called by whoever asks; no name of `tools`
    call_check check_client_call{};               ///< unset: whoever asks checks them
    tool_context context;  ///< `call_key` is what the keys of calls begin with
    tool_loop_limits limits{};
    deadline until = deadline::never();  ///< of the whole loop
};

/// How a loop ended: always with a conversation that can be gone on with.
struct loop_end {
    loop_finish finish = loop_finish::failed;
    error_code
        error;  ///< where `finish` is `failed`: of the model, the listener, or the cancellation
    std::vector<chat_message> messages;  ///< what it added; each call of ours has its result
    std::vector<tool_call> open_calls;   ///< of client tools: their results are still to come
    token_usage usage;
    std::int32_t rounds = 0;
};

/// Runs one loop. `model` and `listener` outlive it.
///
/// Calls of one round run at the same time, each under its tool's deadline. What a tool throws is its failure, told by
/// the text in the log only. *Cancellation*: at any await; it returns once all calls have ended, those that were cut
/// off as unknown. *Errors*: in `loop_end::error`; `timed_out` is the loop's deadline.
[[nodiscard]] awaitable<loop_end> run_tool_loop(
    chat_model* model, tool_loop_request request, tool_loop_listener* listener
);

}  // namespace convene
