// SPDX-License-Identifier: Apache-2.0
// The providers there are.
#include "agent/provider/model_factory.hpp"

#include <span>
#include <utility>

#include "agent/provider/anthropic_provider.hpp"
#include "agent/provider/scripted_model.hpp"
#include "base/value_forms.hpp"

namespace convene {

using embedded_file = std::pair<std::string_view, std::string_view>;
std::span<const embedded_file> embedded_model_scripts();

namespace {

constexpr std::string_view openai_host = "api.openai.com";

/// Where nothing is said, OpenAI's own models get the field that all of them take, and others the one they know.
token_limit_field field_of(std::string_view word, const model_settings& settings) {
    const bool is_newer = word == "max_completion_tokens" ||
                          (word == "auto" && host_of(settings) == openai_host);
    return is_newer ? token_limit_field::max_completion_tokens : token_limit_field::max_tokens;
}

boost::system::result<std::unique_ptr<chat_model>, config_problem> make_scripted(
    std::string_view text
) {
    const model_script::parsed script = model_script::parse(
        text.empty() ? embedded_model_scripts().front().second : text
    );
    if (!script) {
        return config_problem{"script", "scripted", script.error().message()};
    }
    return std::unique_ptr<chat_model>{std::make_unique<scripted_model>(*script)};
}

}  // namespace

model_settings model_settings_of(const configuration& config, std::string_view provider) {
    model_settings settings;
    settings.provider = provider;
    if (provider == "openai") {
        settings.base_url = config.text("OPENAI_BASE_URL");
        settings.key = config.text("OPENAI_API_KEY");
        settings.model = config.text("OPENAI_MODEL");
        settings.limit_field = field_of(config.text("OPENAI_TOKENS_FIELD"), settings);
    } else if (provider == "anthropic") {
        settings.base_url = config.text("ANTHROPIC_BASE_URL");
        settings.key = config.text("ANTHROPIC_API_KEY");
        settings.model = config.text("ANTHROPIC_MODEL");
        settings.thinking_tokens = static_cast<std::int32_t>(
            config.integer("ANTHROPIC_THINKING_TOKENS")
        );
    }
    return settings;
}

std::string host_of(const model_settings& settings) {
    std::string_view rest{settings.base_url};
    constexpr std::string_view mark = "://";
    const std::size_t scheme = rest.find(mark);
    if (scheme == std::string_view::npos) {
        return {};
    }
    rest.remove_prefix(scheme + mark.size());
    rest = rest.substr(0, rest.find_first_of("/?#"));
    const std::size_t bracket = rest.find(']');
    const std::size_t end = bracket == std::string_view::npos ? rest.find(':') : bracket + 1;
    return std::string{rest.substr(0, end)};
}

boost::system::result<std::unique_ptr<chat_model>, config_problem> make_model(
    model_settings settings, streaming_model::parts with
) {
    if (settings.provider == "scripted") {
        return make_scripted(settings.script);
    }
    const bool is_openai = settings.provider == "openai";
    if (!is_openai && settings.provider != "anthropic") {
        return config_problem{
            "provider",
            settings.provider,
            "no such provider of models: use openai, anthropic or scripted"
        };
    }
    if (!is_web_url(settings.base_url)) {
        return config_problem{
            "base_url", settings.provider, "no http or https URL: give the one the API is behind"
        };
    }
    std::unique_ptr<const model_provider> provider;
    if (is_openai) {
        openai_settings own;
        own.base_url = std::move(settings.base_url);
        own.key = std::move(settings.key);
        own.model = std::move(settings.model);
        own.limit_field = settings.limit_field;
        provider = std::make_unique<openai_provider>(std::move(own));
    } else {
        anthropic_settings own;
        own.base_url = std::move(settings.base_url);
        own.key = std::move(settings.key);
        own.model = std::move(settings.model);
        own.thinking_tokens = settings.thinking_tokens;
        provider = std::make_unique<anthropic_provider>(std::move(own));
    }
    return std::unique_ptr<chat_model>{
        std::make_unique<streaming_model>(std::move(provider), settings.limits, std::move(with))
    };
}

}  // namespace convene
