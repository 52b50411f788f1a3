// SPDX-License-Identifier: Apache-2.0
// One step of a layout, and what a database has to say about the steps it has taken.
#pragma once

#include "convene/error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convene::sql {

/// One step from a version to the next. The text never changes once it was released: databases remember its
/// checksum.
struct migration {
    std::int32_t version;
    std::string_view name;
    std::string_view sql;
};

[[nodiscard]] std::string checksum_of(const migration& step);

/// A step on record in a database.
struct taken_step {
    std::int64_t version = 0;
    std::string checksum;
};

/// How many of the known steps a database has taken, from the first.
/// *Errors*: `schema_too_new` (a step that is not known); `schema_unknown` (a gap, or a text that differs: others
/// changed the database).
[[nodiscard]] result<std::size_t> count_taken(
    std::span<const migration> known, const std::vector<taken_step>& taken
);

}  // namespace convene::sql
