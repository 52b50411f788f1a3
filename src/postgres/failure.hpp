// SPDX-License-Identifier: Apache-2.0
// What PostgreSQL's error codes mean here.
#pragma once

#include "convene/error.hpp"

#include <string_view>

namespace convene::postgres {

// What `convene_expect` raises in a statement whose condition is not met. A worker sends and reads its own.
inline constexpr std::string_view expected_room = "CV409";     ///< the room as it was decided in
inline constexpr std::string_view expected_driver = "CV410";   ///< the session's epoch
inline constexpr std::string_view expected_new_key = "CV411";  ///< a key that nobody has used
inline constexpr std::string_view expected_claim = "CV412";  ///< a row that is still open and ours
inline constexpr std::string_view
    expected_target = "CV404";  ///< the event that is edited or deleted
inline constexpr std::string_view
    expected_free_index = "CV500";  ///< no event at the room's next index

/// What an error of a statement means for the operation it belongs to. `constraint` names the one that was broken,
/// or is empty. An unknown or empty state (the connection broke) is `connection_lost`.
[[nodiscard]] errc code_of(std::string_view sqlstate, std::string_view constraint) noexcept;

/// True for a transaction that failed only because of others beside it: the same one, tried again, may succeed.
[[nodiscard]] bool is_worth_repeating(std::string_view sqlstate) noexcept;

}  // namespace convene::postgres
