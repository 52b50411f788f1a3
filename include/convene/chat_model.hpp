// SPDX-License-Identifier: Apache-2.0
// The port to language models: one question, one answer that comes in pieces (A8).
#pragma once

#include "convene/awaitable.hpp"
#include "convene/boundary.hpp"
#include "convene/chat.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace convene {

/// A question: the conversation so far, and what the model may do.
struct model_request {
    std::string model;   ///< the provider's name of it; empty: the one the client was made for
    std::string system;  ///< instructions; empty: none
    std::vector<chat_message> messages;
    std::vector<tool_definition> tools;
    std::int32_t max_output_tokens = 4'096;
    std::optional<double> temperature{};
};

/// Pieces of an answer, in the order in which the model makes them. A piece of text is never empty and never ends
/// inside a character.
struct text_piece {
    std::string text;
};

/// What the model thinks before it speaks.
struct thinking_piece {
    std::string text;
};

struct call_start {
    std::string id;
    std::string name;
};

/// Further text of the arguments of a call that has started: JSON once it is complete.
struct call_arguments {
    std::string id;
    std::string text;
};

/// The arguments of a call are complete.
struct call_end {
    std::string id;
};

using model_piece = std::variant<text_piece, thinking_piece, call_start, call_arguments, call_end>;

/// Takes an answer while it is made.
class model_sink {
   public:
    virtual ~model_sink() = default;

    /// The model is read on once this returns: a slow taker slows the provider. An error ends the answer with it.
    [[nodiscard]] virtual awaitable<result<>> take(model_piece piece) = 0;
};

/// Why a model stopped.
enum class finish_reason : std::uint8_t {
    stop = 1,        ///< it has said all
    tool_calls = 2,  ///< it waits for the results of its calls
    length = 3,      ///< `max_output_tokens` or the model's own limit: the text is cut off
    refused = 4,     ///< by a content rule of the provider's
};

[[nodiscard]] std::string_view word_of(finish_reason reason) noexcept;

struct token_usage {
    std::int64_t input = 0;
    std::int64_t output = 0;

    void add(const token_usage& other) noexcept {
        input += other.input;
        output += other.output;
    }

    friend bool operator==(const token_usage&, const token_usage&) = default;
};

struct model_answer {
    /// Of the assistant: the pieces put together. A call that was cut off is not in it; its pieces have no `call_end`.
    chat_message message;
    finish_reason finish = finish_reason::stop;
    token_usage usage;        ///< zeros where the provider did not say
    repair_record repairs{};  ///< of its texts and arguments, to be stored with them
};

/// A model behind a provider.
///
/// *Thread safety*: loop only; any number of questions at once. *Lifetime*: outlives its questions.
class chat_model {
   public:
    virtual ~chat_model() = default;

    /// Asks. A failure before the first piece is tried again, a bounded number of times and no longer than
    /// `until`; after the first piece nothing is repeated.
    /// *Cancellation*: at any time; the request is aborted at the provider as well.
    /// *Errors*: `model_unavailable`, `model_overloaded`, `model_refused`, `answer_cut_off` (what came was given to the
    /// sink), `payload_too_large`, `timed_out`, `cancelled`, and the sink's.
    [[nodiscard]] virtual awaitable<result<model_answer>> answer(
        model_request request, model_sink* sink, deadline until
    ) = 0;

    /// For logs and records: `openai`, `anthropic`, `scripted`.
    [[nodiscard]] virtual std::string provider() const = 0;
};

}  // namespace convene
