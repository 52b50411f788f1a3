// SPDX-License-Identifier: Apache-2.0
// Holds the steps on record against the known ones.
#include "store/sql/migration.hpp"

#include "base/hash.hpp"

namespace convene::sql {

std::string checksum_of(const migration& step) { return to_hex(sha256(step.sql)); }

result<std::size_t> count_taken(
    std::span<const migration> known, const std::vector<taken_step>& taken
) {
    std::size_t count = 0;
    for (const taken_step& step : taken) {
        if (step.version > static_cast<std::int64_t>(known.size())) {
            return errc::schema_too_new;
        }
        const bool is_next = step.version == static_cast<std::int64_t>(count) + 1;
        if (!is_next || step.checksum != checksum_of(known[count])) {
            return errc::schema_unknown;
        }
        ++count;
    }
    return count;
}

}  // namespace convene::sql
