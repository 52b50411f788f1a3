// SPDX-License-Identifier: Apache-2.0
// A line of the audit trail about what a request does.
#pragma once

#include <string_view>

#include "http/route.hpp"
#include "store/access_values.hpp"

namespace convene {

/// Who is asking, from where. `details` is an object without secrets.
[[nodiscard]] audit_entry audit_of(
    const route_call& call, std::string_view action, std::string_view target, json_text details = {}
);

}  // namespace convene
