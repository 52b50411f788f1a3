// SPDX-License-Identifier: Apache-2.0
// Base64 by OpenSSL, whose form has padding, and whose reader takes more than it should.
#include "base/base64.hpp"

#include <algorithm>
#include <openssl/evp.h>

namespace convene {

std::string to_base64(std::span<const std::uint8_t> bytes, base64_form form) {
    std::vector<std::uint8_t> padded((bytes.size() + 2) / 3 * 4 + 1);
    const int size = EVP_EncodeBlock(padded.data(), bytes.data(), static_cast<int>(bytes.size()));
    std::string text{padded.begin(), padded.begin() + size};
    if (form != base64_form::padded) {
        text.erase(std::min(text.find('='), text.size()));
    }
    if (form == base64_form::url) {
        std::ranges::replace(text, '+', '-');
        std::ranges::replace(text, '/', '_');
    }
    return text;
}

std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text, base64_form form) {
    std::string padded{text};
    if (form == base64_form::url) {
        std::ranges::replace(padded, '-', '+');
        std::ranges::replace(padded, '_', '/');
    }
    padded.resize((text.size() + 3) / 4 * 4, '=');
    std::vector<std::uint8_t> bytes(padded.size() / 4 * 3);
    const int size = EVP_DecodeBlock(
        bytes.data(),
        reinterpret_cast<const unsigned char*>(padded.data()),
        static_cast<int>(padded.size())
    );
    if (size < 0) {
        return std::nullopt;
    }
    // It counts the padding as bytes.
    const std::size_t letters = std::min(padded.find('='), padded.size());
    bytes.resize(std::min(letters * 3 / 4, static_cast<std::size_t>(size)));
    // Only what comes out the same again was in our form.
    if (to_base64(bytes, form) != text) {
        return std::nullopt;
    }
    return bytes;
}

}  // namespace convene
