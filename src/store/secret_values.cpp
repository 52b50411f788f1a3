// SPDX-License-Identifier: Apache-2.0
// Which names a secret can have.
#include "store/secret_values.hpp"

#include <algorithm>

namespace convene {

bool is_secret_name(std::string_view text) noexcept {
    const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    const auto is_allowed = [is_plain](char c) {
        return is_plain(c) || c == '.' || c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= max_secret_name_bytes && is_plain(text.front()) &&
           std::ranges::all_of(text, is_allowed);
}

}  // namespace convene
