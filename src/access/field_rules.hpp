// SPDX-License-Identifier: Apache-2.0
// What names and emails must be.
#pragma once

#include "convene/boundary.hpp"

#include <cstddef>
#include <string_view>

namespace convene {

inline constexpr std::size_t max_email_bytes = 254;
inline constexpr std::size_t max_name_bytes = 200;

/// Text with one `@` between two parts, without spaces or control characters, at most 254 bytes. Whether anybody
/// reads mail there is for the invitation to find out.
checked<> check_email(std::string_view email, std::string_view field);

/// A name for people, of a user, token or organisation: text that is not empty and not long, on one line.
checked<> check_name(std::string_view name, std::string_view field);

}  // namespace convene
