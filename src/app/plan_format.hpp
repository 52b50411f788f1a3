// SPDX-License-Identifier: Apache-2.0
// The format of the delivery plans, turns and frames that this program writes: docs/operating.md, "Rolling upgrade".
#pragma once

#include <cstdint>

namespace convene {

/// Raised when a plan, a turn or a frame of this program could be misread by the release before it. Each release reads its
/// own and all older ones.
constexpr std::int32_t current_plan_format = 1;

/// `current_plan_format`. A function in a file of its own, so that the program `convene_previous` of the tests can be
/// linked with another one; nothing that is set when it runs has an influence.
[[nodiscard]] std::int32_t plan_format() noexcept;

}  // namespace convene
