// SPDX-License-Identifier: Apache-2.0
// How one provider is asked and what its answers look like: values in, values out, no I/O.
#pragma once

#include "convene/chat_model.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "agent/provider/answer_stream.hpp"
#include "net/http_client.hpp"

namespace convene {

/// *Thread safety*: const after construction.
class model_provider {
   public:
    virtual ~model_provider() = default;

    /// `openai`, `anthropic`.
    [[nodiscard]] virtual std::string_view word() const noexcept = 0;

    /// What the provider knows us by; taken out of whatever it says before that is logged. Empty: nothing.
    [[nodiscard]] virtual std::string_view key() const noexcept = 0;

    [[nodiscard]] virtual http_call call_of(const model_request& request) const = 0;

    [[nodiscard]] virtual std::unique_ptr<answer_stream> read_answer(
        answer_limits limits, call_ids ids
    ) const = 0;
};

/// `base` and a path behind it.
[[nodiscard]] std::string joined_url(std::string_view base, std::string_view path);

/// The headers that every provider gets.
void add_common_headers(http_headers& headers);

/// What a person says, with the name in front of it where one is given: the field for names is refused or ignored by
/// many servers, and has an alphabet of its own.
[[nodiscard]] std::string spoken_text(const chat_message& message);

/// A tool's name or a call's id as providers take it in their requests, whatever a model made of it: letters, digits,
/// `_` and `-`. Other characters become `_` and their code, so that ids stay apart; empty becomes `_`.
[[nodiscard]] std::string plain_word(std::string_view word, std::size_t most);

/// Nothing but white space: providers refuse such a text.
[[nodiscard]] bool is_blank(std::string_view text) noexcept;

}  // namespace convene
