// SPDX-License-Identifier: Apache-2.0
// Transcripts as JSON lines: what `export` writes and `import` reads. `docs/formats/transcript.md` is the format.
#pragma once

#include "convene/boundary.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include "app/transcript/transcript.hpp"

namespace convene {

/// A longer line is refused unread.
inline constexpr std::size_t max_transcript_line_bytes = 4UL * 1024 * 1024;

// Each without its line end.

[[nodiscard]] std::string heading_line();
[[nodiscard]] std::string line_of(const transcript_room& room);
[[nodiscard]] std::string line_of(const transcript_entry& entry);

/// A line of an export, or a dialogue.
[[nodiscard]] checked<transcript_line> parse_transcript_line(std::string_view line);

}  // namespace convene
