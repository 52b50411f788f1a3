// SPDX-License-Identifier: Apache-2.0
// Reading a small file whole.
#include "base/config/small_file.hpp"

#include <fstream>

namespace convene {

result<std::string> read_small_file(const std::filesystem::path& path, std::size_t max_bytes) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        return errc::not_found;
    }
    std::ifstream file{path, std::ios::binary};
    // One byte more than allowed tells a file that is too long from one that just fits.
    std::string content(max_bytes + 1, '\0');
    file.read(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file && !file.eof()) {
        return errc::io_failed;
    }
    const auto size = static_cast<std::size_t>(file.gcount());
    if (size > max_bytes) {
        return errc::invalid_argument;
    }
    content.resize(size);
    return content;
}

}  // namespace convene
