// SPDX-License-Identifier: Apache-2.0
// Sealing the value of a named secret in its place, and opening it again.
#pragma once

#include "convene/error.hpp"
#include "convene/random.hpp"

#include <string>
#include <string_view>

#include "base/secret_box.hpp"
#include "store/secret_values.hpp"

namespace convene {

/// What is stored as the secret's value. *Requires*: its organisation, and a name that `is_secret_name`.
[[nodiscard]] std::string seal_secret(
    const secret_box& box, const named_secret& of, std::string_view value, random_source& random
);

/// *Errors*: `corrupt_data` (sealed under another key, for another secret, or changed since).
[[nodiscard]] result<std::string> open_secret(const secret_box& box, const named_secret& sealed);

}  // namespace convene
