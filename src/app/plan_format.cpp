// SPDX-License-Identifier: Apache-2.0
// What the program writes; the tests link another file in place of this one.
#include "app/plan_format.hpp"

namespace convene {

std::int32_t plan_format() noexcept { return current_plan_format; }

}  // namespace convene
