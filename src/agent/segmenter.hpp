// SPDX-License-Identifier: Apache-2.0
// Cutting a stream of text into segments that read well by themselves (D6).
#pragma once

#include "convene/time.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace convene {

struct segmenter_limits {
    std::size_t least_bytes = 200;     ///< a paragraph shorter than this waits for the next
    std::size_t enough_bytes = 1'000;  ///< from here on the end of a sentence will do
    std::size_t most_bytes = 4'000;    ///< of one segment; at least 16
    std::chrono::milliseconds patience{2'000};  ///< after which the end of a sentence will do
};

/// Takes text as it is made and gives it back in segments.
///
/// | what has gathered                            | is cut                                                      |
/// | -------------------------------------------- | ----------------------------------------------------------- |
/// | `least_bytes`                                | behind its last paragraph                                   |
/// | `enough_bytes`, or it waited for `patience`  | behind its last sentence or line                            |
/// | `most_bytes`                                 | there at the latest: behind a line, a word or a character    |
///
/// Only the last row cuts inside a fenced block of code. Segments have no blank lines around them, none is empty, and
/// nothing else is lost. A machine: it does no I/O and is told the time.
class segmenter {
   public:
    explicit segmenter(segmenter_limits limits = {}) : limits_(limits) {}

    /// *Requires*: whole characters.
    void add(std::string_view text, monotonic_time now);

    /// A segment that is ready; nothing if more text has to come.
    [[nodiscard]] std::optional<std::string> next(monotonic_time now);

    /// When `next` will have a segment although nothing more comes; unset: there is no place to cut.
    [[nodiscard]] std::optional<monotonic_time> late_at() const;

    /// What is left, as it ends here. Call `next` until it has nothing first.
    [[nodiscard]] std::optional<std::string> finish();

   private:
    [[nodiscard]] std::size_t find_cut(bool is_late) const;
    [[nodiscard]] std::string take(std::size_t bytes, monotonic_time now);

    const segmenter_limits limits_;
    std::string pending_;
    monotonic_time since_{};    ///< when the first of it came
    bool is_in_fence_ = false;  ///< a block was so large that the last cut is inside it
};

}  // namespace convene
