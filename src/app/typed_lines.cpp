// SPDX-License-Identifier: Apache-2.0
// Typed lines: read as far as they are there.
#include "app/typed_lines.hpp"

#include <array>
#include <poll.h>
#include <unistd.h>

namespace convene {

typed_lines::typed_lines(int descriptor)
    : descriptor_(descriptor), is_open_(isatty(descriptor) == 1) {}

std::optional<std::string> typed_lines::take() {
    for (;;) {
        if (const std::size_t end = typed_.find('\n'); end != std::string::npos) {
            std::string line = typed_.substr(0, end);
            typed_.erase(0, end + 1);
            return line;
        }
        pollfd looked{descriptor_, POLLIN, 0};
        if (!is_open_ || poll(&looked, 1, 0) <= 0) {
            return std::nullopt;
        }
        std::array<char, 4096> piece{};
        const ssize_t got = read(descriptor_, piece.data(), piece.size());
        if (got <= 0) {
            is_open_ = false;
            return std::nullopt;
        }
        typed_.append(piece.data(), static_cast<std::size_t>(got));
    }
}

}  // namespace convene
