// SPDX-License-Identifier: Apache-2.0
// A file that lines are appended to, on disk when `append` returns.
#pragma once

#include "convene/error.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace convene {

/// *Thread safety*: one call at a time, from any thread.
class append_file {
   public:
    /// Opens the file, or makes it. *Errors*: `io_failed`, which the log explains.
    [[nodiscard]] static result<std::shared_ptr<append_file>> open(const std::filesystem::path& file
    );

    ~append_file();
    append_file(const append_file&) = delete;
    append_file& operator=(const append_file&) = delete;

    /// Blocks until the lines (each with its line end) are written and synced. A line that a crash
    /// or a full disk cut off stays a line of its own: the next one begins below it. *Errors*:
    /// `io_failed`: some of the lines may be in the file.
    [[nodiscard]] result<> append(std::string_view lines);

   private:
    append_file(int descriptor, std::filesystem::path file);

    [[nodiscard]] result<> write_all(std::string_view bytes);

    const int descriptor_;
    const std::filesystem::path file_;
    bool is_at_line_start_;
};

}  // namespace convene
