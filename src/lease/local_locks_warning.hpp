// SPDX-License-Identifier: Apache-2.0
// The warning for a store that several processes can write, paired with locks of one process.
#pragma once

#include <string>
#include <string_view>

namespace convene {

/// What is logged when such a pair is made. The words are frozen: operators search for them.
[[nodiscard]] std::string local_locks_warning(std::string_view store_name);

}  // namespace convene
