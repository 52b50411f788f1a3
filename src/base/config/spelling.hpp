// SPDX-License-Identifier: Apache-2.0
// How each source spells the name of a setting.
#pragma once

#include <string>
#include <string_view>

#include "base/config/setting.hpp"

namespace convene {

inline constexpr std::string_view environment_prefix = "CONVENE_";

[[nodiscard]] std::string flag_spelling(const setting& what);         ///< `--db-url`
[[nodiscard]] std::string environment_spelling(const setting& what);  ///< `DB_URL`
[[nodiscard]] std::string file_spelling(const setting& what);         ///< `db_url`

}  // namespace convene
