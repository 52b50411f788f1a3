// SPDX-License-Identifier: Apache-2.0
// Anthropic's Messages API.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "agent/provider/model_provider.hpp"

namespace convene {

struct anthropic_settings {
    std::string base_url = "https://api.anthropic.com";
    std::string key;    ///< empty: none is sent, for a proxy that has its own
    std::string model;  ///< for requests that name none

    /// How many tokens the model may think before it speaks, on top of a request's own limit; 0: it does not think.
    std::int32_t thinking_tokens = 0;
};

/// The body of a request.
[[nodiscard]] json_text anthropic_body_of(
    const model_request& request, const anthropic_settings& settings
);

class anthropic_provider final : public model_provider {
   public:
    explicit anthropic_provider(anthropic_settings settings) : settings_(std::move(settings)) {}

    [[nodiscard]] std::string_view word() const noexcept override { return "anthropic"; }

    [[nodiscard]] std::string_view key() const noexcept override { return settings_.key; }

    [[nodiscard]] http_call call_of(const model_request& request) const override;

    [[nodiscard]] std::unique_ptr<answer_stream> read_answer(answer_limits limits, call_ids ids)
        const override;

   private:
    anthropic_settings settings_;
};

}  // namespace convene
