// SPDX-License-Identifier: Apache-2.0
// Reading a secret from its file.
#include "app/secret_file.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "base/config/small_file.hpp"

namespace convene {

namespace {

constexpr std::size_t max_secret_bytes = 4096;

}  // namespace

outcome<std::string> read_secret_file(std::string_view flag, const std::filesystem::path& file) {
    result<std::string> text = read_small_file(file, max_secret_bytes);
    if (!text) {
        return failure{
            exit_code::usage,
            fmt::format("{}: {} can't be read", flag, file.native()),
            "name a file with the secret in its only line, of 4096 bytes at most"
        };
    }
    while (text->ends_with('\n') || text->ends_with('\r')) {
        text->pop_back();
    }
    return *std::move(text);
}

}  // namespace convene
