// SPDX-License-Identifier: Apache-2.0
// Remembers which deliberate defect is on.
#include "base/mutant.hpp"

namespace convene {

namespace {

std::string_view active;

}  // namespace

bool mutant_is_active(std::string_view name) noexcept { return !active.empty() && name == active; }

void activate_mutant(std::string_view name) noexcept { active = name; }

}  // namespace convene
