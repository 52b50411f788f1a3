// SPDX-License-Identifier: Apache-2.0
// How an attachment lies in chunks, the same in every store.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "store/operations/attachments.hpp"

namespace convene {

/// None for an empty file.
[[nodiscard]] constexpr std::int64_t attachment_chunks(std::int64_t size_bytes) {
    const auto whole = static_cast<std::int64_t>(attachment_chunk_bytes);
    return (size_bytes + whole - 1) / whole;
}

/// How long the chunk with this number is. *Requires*: the attachment has it.
[[nodiscard]] constexpr std::size_t attachment_chunk_length(
    std::int64_t size_bytes, std::int64_t number
) {
    const auto whole = static_cast<std::int64_t>(attachment_chunk_bytes);
    return static_cast<std::size_t>(std::min(whole, size_bytes - number * whole));
}

/// Whether this is the chunk that follows `present` others, and as long as it must be.
[[nodiscard]] constexpr bool is_next_chunk(
    const ops::append_attachment& request, std::int64_t size_bytes, std::int64_t present
) {
    return request.number == present && present < attachment_chunks(size_bytes) &&
           request.bytes.size() == attachment_chunk_length(size_bytes, present);
}

}  // namespace convene
