// SPDX-License-Identifier: Apache-2.0
// How SQLite's result codes become codes of ours.
#pragma once

#include "convene/error.hpp"

#include <string_view>

namespace convene::sqlite {

/// The code of ours for an extended result code. `message` is SQLite's text; it names the columns of a
/// broken constraint.
[[nodiscard]] errc code_of(int extended_result, std::string_view message) noexcept;

}  // namespace convene::sqlite
