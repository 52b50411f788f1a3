// SPDX-License-Identifier: Apache-2.0
// Secrets that an organisation gave a name, as they are stored.
#pragma once

#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

using skill_id = text_id<struct skill_tag>;

/// What skills refer to a secret by. Empty: none.
using secret_name = text_id<struct secret_name_tag>;

inline constexpr std::size_t max_secret_name_bytes = 64;

/// Secrets that one organisation can have.
inline constexpr std::size_t most_secrets = 200;

/// 1 to 64 of `a-z 0-9 . _ -`, the first a letter or a digit: no name has a separator of ours in it.
[[nodiscard]] bool is_secret_name(std::string_view text) noexcept;

struct named_secret {
    organization_id organization;
    secret_name name;
    std::string value;  ///< sealed (`base/secret_box.hpp`)
    std::string description;
    wall_time created_at{};  ///< the store's clock, as the next
    wall_time updated_at{};

    friend bool operator==(const named_secret&, const named_secret&) = default;
};

/// A skill that names a secret.
struct secret_user {
    skill_id skill;
    std::string name;  ///< the skill's

    friend bool operator==(const secret_user&, const secret_user&) = default;
};

/// A secret as it is shown.
struct listed_secret {
    named_secret secret;               ///< without its value
    std::vector<secret_user> used_by;  ///< in the order of ids

    friend bool operator==(const listed_secret&, const listed_secret&) = default;
};

}  // namespace convene
