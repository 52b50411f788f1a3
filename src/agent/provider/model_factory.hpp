// SPDX-License-Identifier: Apache-2.0
// Makes a model from the name of its provider and the settings of this process.
#pragma once

#include "convene/chat_model.hpp"

#include <boost/system/result.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agent/provider/openai_provider.hpp"
#include "agent/provider/streaming_model.hpp"
#include "base/config/configuration.hpp"

namespace convene {

struct model_settings {
    std::string provider;  ///< `openai`, `anthropic`, `scripted`
    std::string base_url;
    std::string key;
    std::string model;                                              ///< for requests that name none
    token_limit_field limit_field = token_limit_field::max_tokens;  ///< of `openai`
    std::int32_t thinking_tokens = 0;                               ///< of `anthropic`
    std::string script;  ///< of `scripted`; empty: the sample that comes with the program
    asking_limits limits;
};

/// What the settings `OPENAI_...` or `ANTHROPIC_...` say.
[[nodiscard]] model_settings model_settings_of(
    const configuration& config, std::string_view provider
);

/// The host of the base URL. An operator named it, so that the client may connect to it wherever it is:
/// `http_client_settings::policy.allow_host`. Empty where there is none.
[[nodiscard]] std::string host_of(const model_settings& settings);

/// The model, or why there can be none.
[[nodiscard]] boost::system::result<std::unique_ptr<chat_model>, config_problem> make_model(
    model_settings settings, streaming_model::parts with
);

}  // namespace convene
