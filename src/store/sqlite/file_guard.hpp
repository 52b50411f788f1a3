// SPDX-License-Identifier: Apache-2.0
// The proof that one process at most writes a SQLite file: a lock on a file beside it.
#pragma once

#include "convene/error.hpp"

#include <filesystem>

namespace convene::sqlite {

/// Holds the lock of `<database>.lock` while it lives. The lock goes with the process, however it ends.
///
/// The file stays: removing it would let two processes hold locks on two files of one name. It is not the
/// database itself, since closing any descriptor of that would drop SQLite's own locks.
/// *Errors* of `take`: `store_in_use` (another process, or this one, holds it), `io_failed`.
class file_guard {
   public:
    [[nodiscard]] static result<file_guard> take(const std::filesystem::path& database);

    file_guard(file_guard&& other) noexcept;
    file_guard& operator=(file_guard&&) = delete;
    ~file_guard();

   private:
    explicit file_guard(int descriptor) noexcept : descriptor_(descriptor) {}

    int descriptor_;
};

}  // namespace convene::sqlite
