// SPDX-License-Identifier: Apache-2.0
// Remote hooks as JSON, without their secrets.
#pragma once

#include "convene/remote_hook.hpp"

#include <string>

#include "base/json_writer.hpp"
#include "http/schema.hpp"

namespace convene {

[[nodiscard]] const schema& hook_schema();
[[nodiscard]] const schema& hook_mode_schema();
[[nodiscard]] const schema& hook_failure_policy_schema();

/// A hook with the secret that its calls are signed with: this once.
[[nodiscard]] const schema& made_hook_schema();

void write_hook(json_writer& out, const remote_hook& shown);
[[nodiscard]] json_text hook_as_json(const remote_hook& shown);
[[nodiscard]] json_text made_hook_as_json(const remote_hook& shown, const std::string& secret);

}  // namespace convene
