// SPDX-License-Identifier: Apache-2.0
// What PostgreSQL's error codes mean here.
#pragma once

#include "convene/error.hpp"

#include <string_view>

namespace convene::postgres {

/// What an error of a statement means for the operation it belongs to. `constraint` names the one that was broken,
/// or is empty. An unknown or empty state (the connection broke) is `connection_lost`.
[[nodiscard]] errc code_of(std::string_view sqlstate, std::string_view constraint) noexcept;

/// True for a transaction that failed only because of others beside it: the same one, tried again, may succeed.
[[nodiscard]] bool is_worth_repeating(std::string_view sqlstate) noexcept;

}  // namespace convene::postgres
