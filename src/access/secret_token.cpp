// SPDX-License-Identifier: Apache-2.0
// Secrets: a prefix that tells scanners what they found, and 256 random bits.
#include "access/secret_token.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/base64.hpp"
#include "base/hash.hpp"

namespace convene {

namespace {

constexpr std::size_t secret_bytes = 32;
constexpr std::size_t secret_characters = 43;

std::string_view prefix_of(secret_kind kind) {
    switch (kind) {
        case secret_kind::api_token:
            return "cvt_";
        case secret_kind::session:
            return "cvs_";
        case secret_kind::link:
            return "cvl_";
    }
    return {};
}

bool is_url_base64(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

}  // namespace

secret_token make_secret(secret_kind kind, random_source& random) {
    std::array<std::uint8_t, secret_bytes> bytes{};
    random.fill(bytes);
    std::string text{prefix_of(kind)};
    text += to_base64(bytes, base64_form::url);
    secret_hash hash = hash_of_secret(text);
    return {std::move(text), std::move(hash)};
}

secret_hash hash_of_secret(std::string_view text) { return secret_hash{to_hex(sha256(text))}; }

bool has_form_of(secret_kind kind, std::string_view text) {
    const std::string_view prefix = prefix_of(kind);
    return text.starts_with(prefix) && text.size() == prefix.size() + secret_characters &&
           std::ranges::all_of(text.substr(prefix.size()), is_url_base64);
}

}  // namespace convene
