// SPDX-License-Identifier: Apache-2.0
// Agents that an admin registered over the API: their settings as stored, and the channel that is made of them.
#pragma once

#include "convene/boundary.hpp"
#include "convene/channel.hpp"
#include "convene/chat_model.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/model_agent.hpp"
#include "store/channel_values.hpp"

namespace convene {

/// What a registered agent's model is made from.
struct wanted_model {
    std::string provider;  ///< `openai`, `anthropic`, `scripted`
    std::string model;     ///< the provider's name of it; empty: the deployment's
    std::string base_url;  ///< empty: the deployment's
    std::string
        api_key;  ///< empty: the deployment's, but only for its own URL; never logged or shown
    std::string script;  ///< of `scripted`; empty: the sample that comes with the program
};

/// *Errors*: `invalid_argument` (no such provider, or it can't be reached this way).
using model_factory = std::function<result<std::shared_ptr<chat_model>>(const wanted_model& wanted
)>;

/// The settings of an agent. Its key is apart: it is sealed.
struct registered_agent {
    std::string provider;
    std::string model;
    std::string base_url;
    std::string instructions;
    std::vector<room_tool> tools;                ///< each once
    std::vector<std::string> requires_approval;  ///< of these tools
    std::vector<std::string> approvers;  ///< user ids, or `role:` and a role; empty: who takes part
    std::int64_t max_output_tokens = 4'096;
    std::optional<double> temperature;
    std::int64_t max_rounds = 10;
    std::int64_t max_calls_per_round = 16;
    std::int64_t history_tokens = 24'000;
    std::chrono::milliseconds deadline = std::chrono::minutes{5};
    answer_form form = answer_form::streamed;
    channel_id streams_to;
    visibility tool_calls_visible_to{visibility::scope::internal};
};

[[nodiscard]] json_text as_json(const registered_agent& shown);

/// The settings that `as_json` wrote, of this version or another: what is left out is as for a new one.
/// *Errors*: the field that can't be read.
[[nodiscard]] checked<registered_agent> read_registered_agent(
    const json_text& settings, std::string_view field
);

// The settings are a member of the stored channel's metadata, beside what its owner keeps there.

/// The member of the metadata; nobody else may use it.
inline constexpr std::string_view agent_member = "agent";

[[nodiscard]] std::optional<json_text> agent_settings_in(const json_text& metadata);
[[nodiscard]] json_text without_agent_settings(const json_text& metadata);
[[nodiscard]] json_text with_agent_settings(const json_text& metadata, const json_text& settings);

/// The channel of a stored record; `leave_to_driver` as of `model_agent::parts`. `kit` outlives it. *Errors*: `corrupt_data` (its settings can't be read), and the
/// factory's.
[[nodiscard]] result<std::shared_ptr<channel>> make_registered_agent(
    const registered_channel& stored,
    const std::string& api_key,
    room_kit* kit,
    const model_factory& models,
    driver_lookup leave_to_driver = {}
);

}  // namespace convene
