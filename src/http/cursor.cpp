// SPDX-License-Identifier: Apache-2.0
// Cursors in base64url, without padding.
#include "http/cursor.hpp"

#include <array>
#include <cstdint>

namespace convene {

namespace {

constexpr std::string_view
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::string_view version = "1:";

std::string to_base64url(std::string_view bytes) {
    std::string out;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : bytes) {
        bits = (bits << 8U) | static_cast<unsigned char>(c);
        held += 8;
        while (held >= 6) {
            held -= 6;
            out += alphabet[(bits >> static_cast<unsigned>(held)) & 0x3FU];
        }
    }
    if (held > 0) {
        out += alphabet[(bits << static_cast<unsigned>(6 - held)) & 0x3FU];
    }
    return out;
}

std::optional<std::string> from_base64url(std::string_view text) {
    std::string out;
    std::uint32_t bits = 0;
    int held = 0;
    for (const char c : text) {
        const std::size_t value = alphabet.find(c);
        if (value == std::string_view::npos) {
            return std::nullopt;
        }
        bits = (bits << 6U) | static_cast<std::uint32_t>(value);
        held += 6;
        if (held >= 8) {
            held -= 8;
            out += static_cast<char>((bits >> static_cast<unsigned>(held)) & 0xFFU);
        }
    }
    return out;
}

}  // namespace

std::string encode_cursor(std::string_view position) {
    return to_base64url(std::string{version} + std::string{position});
}

std::optional<std::string> decode_cursor(std::string_view cursor) {
    std::optional<std::string> text = from_base64url(cursor);
    if (!text || !text->starts_with(version)) {
        return std::nullopt;
    }
    text->erase(0, version.size());
    return text;
}

}  // namespace convene
