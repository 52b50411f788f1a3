// SPDX-License-Identifier: Apache-2.0
// OpenAI-compatible chat completions.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "agent/provider/model_provider.hpp"

namespace convene {

/// How a request says the most tokens of an answer: the older name is the one that compatible servers know, the newer
/// one the only one that OpenAI's own newer models take.
enum class token_limit_field : std::uint8_t { max_tokens, max_completion_tokens };

struct openai_settings {
    std::string base_url = "https://api.openai.com/v1";
    std::string key;    ///< empty: none is sent, as servers of one's own want it
    std::string model;  ///< for requests that name none
    token_limit_field limit_field = token_limit_field::max_tokens;
};

/// The body of a request.
[[nodiscard]] json_text openai_body_of(
    const model_request& request, const openai_settings& settings
);

class openai_provider final : public model_provider {
   public:
    explicit openai_provider(openai_settings settings) : settings_(std::move(settings)) {}

    [[nodiscard]] std::string_view word() const noexcept override { return "openai"; }

    [[nodiscard]] std::string_view key() const noexcept override { return settings_.key; }

    [[nodiscard]] http_call call_of(const model_request& request) const override;

    [[nodiscard]] std::unique_ptr<answer_stream> read_answer(answer_limits limits, call_ids ids)
        const override;

   private:
    openai_settings settings_;
};

}  // namespace convene
