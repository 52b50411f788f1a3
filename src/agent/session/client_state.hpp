// SPDX-License-Identifier: Apache-2.0
// A session's state as its clients see it and change it: one JSON object.
#pragma once

#include "convene/json_text.hpp"

#include "store/session_values.hpp"

namespace convene {

/// What a client says of the state is about its session only: keys of other scopes are left aside.
[[nodiscard]] json_text session_part_of(const json_text& state);

/// All scopes in one object, as a client sees them.
[[nodiscard]] json_text merged_state(const session_state& state);

}  // namespace convene
