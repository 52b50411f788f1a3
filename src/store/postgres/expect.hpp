// SPDX-License-Identifier: Apache-2.0
// The text of a condition that undoes its transaction when it is not met.
#pragma once

#include <string>
#include <string_view>

#include "postgres/failure.hpp"

namespace convene::postgres {

/// `state` is one of the `expected_...`.
[[nodiscard]] inline std::string expect(
    std::string_view condition, std::string_view state, std::string_view what
) {
    std::string text = "convene_expect(";
    text.append(condition).append(", '").append(state).append("', '").append(what).append("')");
    return text;
}

}  // namespace convene::postgres
