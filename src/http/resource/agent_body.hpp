// SPDX-License-Identifier: Apache-2.0
// The settings of a registered agent as callers write them and as they are shown.
#pragma once

#include <string>

#include "agent/registered_agent.hpp"
#include "http/problem.hpp"
#include "http/schema.hpp"

namespace convene {

[[nodiscard]] const schema& agent_settings_input();

/// What the schema can't say. Errors name fields below `path`.
[[nodiscard]] or_problem<> check_agent_settings(const read_object& body, const std::string& path);

/// *Requires*: `check_agent_settings` found nothing.
[[nodiscard]] registered_agent agent_settings_of(const read_object& body);

}  // namespace convene
