// SPDX-License-Identifier: Apache-2.0
// What git's errors mean.
#pragma once

#include <string_view>

#include "skill/skill_error.hpp"

namespace convene {

/// Why a fetch failed, by what git wrote in English. Nothing of that text is in the answer: a server wrote parts of it.
[[nodiscard]] pull_failure failure_of_fetch(std::string_view errors);

}  // namespace convene
