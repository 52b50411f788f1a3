// SPDX-License-Identifier: Apache-2.0
// The configuration file: a flat TOML table, read into texts.
#pragma once

#include <boost/system/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

struct toml_entry {
    std::string key;
    std::string text;      ///< the value as a user would type it on the command line
    std::size_t line = 0;  ///< counted from 1
};

/// A file that is no TOML, or has a value that no setting can have.
struct toml_fault {
    std::string description;
    std::size_t line = 0;
};

/// Its entries, or why it cannot be used.
using toml_entries = boost::system::result<std::vector<toml_entry>, toml_fault>;

[[nodiscard]] toml_entries parse_toml_entries(std::string_view document);

}  // namespace convene
