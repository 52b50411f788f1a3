// SPDX-License-Identifier: Apache-2.0
// The rounds of an answer with tools, decided without I/O: what is called, what is refused, when it ends.
#pragma once

#include "convene/chat_model.hpp"
#include "convene/tool.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

struct tool_loop_limits {
    std::int32_t rounds = 10;                   ///< questions to the model
    std::size_t calls_per_round = 16;           ///< further ones are refused
    std::size_t output_bytes = 256 * 1024;      ///< of all that the model makes
    std::size_t tool_result_bytes = 64 * 1024;  ///< of one result
};

/// Why an answer with tools ended. The words are stored and sent: frozen.
enum class loop_finish : std::uint8_t {
    stop = 1,          ///< the model has said all
    length = 2,        ///< the model's limit or that of all output: the text is cut off
    refused = 3,       ///< by a content rule of the provider's
    client_calls = 4,  ///< whoever declared these tools has to answer
    tool_limit = 5,    ///< the model wanted more rounds than there are
    failed = 6,        ///< see the error
};

[[nodiscard]] std::string_view word_of(loop_finish finish) noexcept;

/// One call that a model wants.
struct planned_call {
    enum class fate : std::uint8_t {
        call = 1,    ///< `made` is called
        refuse = 2,  ///< nothing is called; `refusal` is its result
        client = 3,  ///< not ours to answer
    };

    fate what = fate::call;
    tool_call call;
    std::shared_ptr<tool> made{};
    std::string refusal{};
};

/// What follows an answer of the model.
struct loop_decision {
    bool goes_on = false;  ///< the model is asked again, with the results
    loop_finish finish = loop_finish::stop;
    std::vector<planned_call>
        calls;  ///< each has a result or is a client's, whether it goes on or not
};

/// Why a client's call is not left to the client, as a sentence that the model can act on; unset: it is.
using call_check = std::function<std::optional<std::string>(const tool_call& call)>;

/// Counts rounds and decides by the model's answers.
///
/// | the model                                     | its calls             | and then            |
/// | --------------------------------------------- | --------------------- | ------------------- |
/// | calls nothing                                 |                       | ends as it finished |
/// | was cut off or refused                        | refused: not complete | ends                |
/// | calls in the last round                       | refused               | `tool_limit`        |
/// | calls tools, one of them a client's           | called, or refused    | `client_calls`      |
/// | calls tools of ours                           | called, or refused    | goes on             |
///
/// Refused are also calls beyond `calls_per_round`, of unknown tools, with arguments that do not fit, and a client's by
/// the check.
class tool_loop_fsm {
   public:
    tool_loop_fsm(
        toolbox tools,
        std::set<std::string, std::less<>> client_tools,
        tool_loop_limits limits,
        call_check check_client_call = {}
    )
        : tools_(std::move(tools)),
          client_tools_(std::move(client_tools)),
          limits_(limits),
          check_client_call_(std::move(check_client_call)) {}

    [[nodiscard]] loop_decision on_answer(const model_answer& answer);

    [[nodiscard]] std::int32_t rounds() const noexcept { return rounds_; }

   private:
    [[nodiscard]] planned_call plan(const tool_call& call, std::size_t place) const;

    const toolbox tools_;
    const std::set<std::string, std::less<>> client_tools_;
    const tool_loop_limits limits_;
    const call_check check_client_call_;
    std::int32_t rounds_ = 0;
};

}  // namespace convene
