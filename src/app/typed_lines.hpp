// SPDX-License-Identifier: Apache-2.0
// What somebody types while the program does something else.
#pragma once

#include <optional>
#include <string>

namespace convene {

/// Lines of a terminal, without waiting for them. Of anything but a terminal nothing is read.
class typed_lines {
   public:
    explicit typed_lines(int descriptor);
    typed_lines(const typed_lines&) = delete;
    typed_lines& operator=(const typed_lines&) = delete;

    /// Whether anybody can type: there is a terminal, and it has not been closed.
    [[nodiscard]] bool is_open() const noexcept { return is_open_; }

    /// The next line that was typed to its end, without that end; nothing: none yet.
    [[nodiscard]] std::optional<std::string> take();

   private:
    const int descriptor_;
    bool is_open_;
    std::string typed_;
};

}  // namespace convene
