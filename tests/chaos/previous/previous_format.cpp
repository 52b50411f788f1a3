// SPDX-License-Identifier: Apache-2.0
// In place of src/app/plan_format.cpp: a program of the release before, as far as plans are concerned.
#include "app/plan_format.hpp"

namespace convene {

std::int32_t plan_format() noexcept { return current_plan_format - 1; }

}  // namespace convene
