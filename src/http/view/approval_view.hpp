// SPDX-License-Identifier: Apache-2.0
// Approvals as JSON.
#pragma once

#include "base/json_writer.hpp"
#include "http/schema.hpp"
#include "store/approval_values.hpp"

namespace convene {

[[nodiscard]] const schema& approval_schema();
[[nodiscard]] schema approval_state_schema();

void write_approval(json_writer& out, const approval& shown);
[[nodiscard]] json_text approval_as_json(const approval& shown);

}  // namespace convene
