// SPDX-License-Identifier: Apache-2.0
// The JSON gate: reads a document once, refuses or repairs what breaks our rules, and writes it
// canonically.
#pragma once

#include "convene/boundary.hpp"

#include <string>
#include <string_view>

namespace convene {

/// What happens to text that is not clean Unicode. The grammar of JSON is never repaired.
enum class text_policy {
    reject,   ///< refuse the document: its sender can correct it
    replace,  ///< put U+FFFD there and count it: its sender is a program that will not
};

struct scanned_json {
    std::string canonical;
    repair_record repairs;  ///< empty under `text_policy::reject`
};

/// Reads one document from outside. It needs no stack in proportion to the depth of the input.
///
/// Not left to Boost.JSON, which cannot say which field is at fault, turns 1e400 into infinity,
/// keeps the last of two equal keys, respells numbers and repairs nothing; it reads documents that
/// passed here.
[[nodiscard]] checked<scanned_json> scan_json(
    std::string_view text, std::string_view field, const boundary_limits& limits, text_policy policy
);

}  // namespace convene
