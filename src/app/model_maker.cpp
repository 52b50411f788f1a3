// SPDX-License-Identifier: Apache-2.0
// Model maker: what the agent says, over what the deployment says.
#include "app/model_maker.hpp"

#include <utility>

#include "agent/provider/model_factory.hpp"
#include "app/deployment_secrets.hpp"
#include "base/log.hpp"

namespace convene {

namespace {

/// A provider that an operator named may be anywhere, also on this machine.
http_client_settings client_settings_of(const configuration& settings) {
    http_client_settings with;
    with.policy = outgoing_policy_of(settings);
    for (const char* const provider : {"openai", "anthropic"}) {
        const std::string host = host_of(model_settings_of(settings, provider));
        if (!host.empty()) {
            with.policy.allow_host(host);
        }
    }
    return with;
}

}  // namespace

model_maker::model_maker(loop& where, const configuration& settings)
    : settings_(settings), http_(where, client_settings_of(settings)) {}

result<std::shared_ptr<chat_model>> model_maker::make(const wanted_model& wanted) {
    model_settings with = model_settings_of(settings_, wanted.provider);
    if (!wanted.base_url.empty() && wanted.base_url != with.base_url) {
        with.base_url = wanted.base_url;
        with.key.clear();
    }
    if (!wanted.api_key.empty()) {
        with.key = wanted.api_key;
    }
    if (!wanted.model.empty()) {
        with.model = wanted.model;
    }
    with.script = wanted.script;
    streaming_model::parts parts;
    parts.open = [this](http_call call, deadline until) {
        return http_.open(std::move(call), until);
    };
    parts.random = &system_random();
    auto made = make_model(std::move(with), std::move(parts));
    if (!made) {
        log(log_level::error,
            "model_not_made",
            {{"provider", wanted.provider},
             {"setting", made.error().setting},
             {"reason", made.error().text}});
        return errc::invalid_argument;
    }
    return std::shared_ptr<chat_model>{*std::move(made)};
}

}  // namespace convene
