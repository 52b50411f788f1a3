// SPDX-License-Identifier: Apache-2.0
// Spellings of a setting's name.
#include "base/config/spelling.hpp"

#include <algorithm>

namespace convene {

std::string flag_spelling(const setting& what) { return std::string{what.flag}; }

std::string environment_spelling(const setting& what) { return std::string{what.name}; }

std::string file_spelling(const setting& what) {
    std::string name{what.name};
    std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return name;
}

}  // namespace convene
