// SPDX-License-Identifier: Apache-2.0
// Bindings as JSON: a channel's place in a room.
#pragma once

#include "convene/room.hpp"

#include <optional>

#include "base/json_writer.hpp"
#include "http/schema.hpp"

namespace convene {

[[nodiscard]] const schema& binding_schema();
[[nodiscard]] const schema& retry_schema();
[[nodiscard]] const schema& rate_limit_schema();
[[nodiscard]] const schema& access_schema();

/// `null` where there is none.
void write_retry(json_writer& out, const std::optional<retry_policy>& retry);
void write_rate_limit(json_writer& out, const std::optional<rate_limit>& limit);

void write_binding(json_writer& out, const binding& shown);
[[nodiscard]] json_text binding_as_json(const binding& shown);

}  // namespace convene
