// SPDX-License-Identifier: Apache-2.0
// Database URLs: their form, and what may be shown of them.
#pragma once

#include <string>
#include <string_view>

namespace convene {

/// `sqlite:///PATH`, `postgresql://...` or `postgres://...`. What follows is for the store to
/// judge.
[[nodiscard]] bool is_database_url(std::string_view text);

/// The URL without its password, and without its parameters, which can hold one as well.
[[nodiscard]] std::string redacted_database_url(std::string_view url);

}  // namespace convene
