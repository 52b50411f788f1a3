// SPDX-License-Identifier: Apache-2.0
// The part of a file that a `Range` header asks for (RFC 9110, section 14).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace convene {

struct byte_range {
    enum class verdict : std::uint8_t {
        whole,          ///< no range, or one that is not served: all of it
        part,           ///< `first` to `last`, inclusive
        unsatisfiable,  ///< nothing of it is there
    };

    verdict what = verdict::whole;
    std::int64_t first = 0;
    std::int64_t last = -1;
};

/// One range of bytes. Several at once, other units and what is malformed are answered with the whole.
[[nodiscard]] byte_range range_of(std::optional<std::string_view> header, std::int64_t size);

}  // namespace convene
