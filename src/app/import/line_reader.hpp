// SPDX-License-Identifier: Apache-2.0
// Lines of a file or of standard input, in batches of bounded size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/failure.hpp"

namespace convene {

/// *Thread safety*: one call at a time, from any thread.
class line_reader {
   public:
    struct line {
        std::int64_t number = 0;   ///< from 1
        std::string text;          ///< without its end
        bool is_too_long = false;  ///< the text was not kept
    };

    struct batch {
        std::vector<line> lines;
        bool is_last = false;
        std::int64_t bytes_read = 0;  ///< of the whole input so far
    };

    /// `path` is a file, or `-` for standard input.
    [[nodiscard]] static outcome<std::unique_ptr<line_reader>> open(
        const std::string& path, std::size_t max_line_bytes
    );

    ~line_reader();
    line_reader(const line_reader&) = delete;
    line_reader& operator=(const line_reader&) = delete;

    /// Blocks for a fraction of a second at most: on a pipe the batch may be empty. *Errors*: `io_failed`.
    [[nodiscard]] result<batch> read();

    /// The size of a file; unset for a pipe.
    [[nodiscard]] std::optional<std::int64_t> size() const;

   private:
    line_reader(int descriptor, std::size_t max_line_bytes);

    void split(std::string_view chunk, batch* into);
    void end_line(batch* into);

    const int descriptor_;
    const std::size_t max_line_bytes_;
    std::vector<char> chunk_;
    std::string partial_;  ///< the line that has not ended yet
    bool is_partial_dropped_ = false;
    std::int64_t lines_ = 0;
    std::int64_t bytes_read_ = 0;
};

}  // namespace convene
