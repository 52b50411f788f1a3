// SPDX-License-Identifier: Apache-2.0
// The fields of a WebSocket handshake.
#include "net/websocket_handshake.hpp"

#include <algorithm>
#include <optional>

namespace convene {

namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

/// Sixteen bytes in base64.
bool is_key(std::string_view key) noexcept {
    const auto is_digit = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '+' || c == '/';
    };
    return key.size() == 24 && key.ends_with("==") &&
           std::ranges::all_of(key.substr(0, 22), is_digit);
}

}  // namespace

bool lists_word(std::string_view list, std::string_view lowered) noexcept {
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        std::string_view word = list.substr(0, comma);
        list.remove_prefix(std::min(comma + 1, list.size()));
        while (word.starts_with(' ') || word.starts_with('\t')) {
            word.remove_prefix(1);
        }
        while (word.ends_with(' ') || word.ends_with('\t')) {
            word.remove_suffix(1);
        }
        if (std::ranges::equal(word, lowered, {}, lower)) {
            return true;
        }
    }
    return false;
}

websocket_offer read_websocket_offer(const http_request& request) {
    const std::optional<std::string_view> upgrade = request.headers.find("upgrade");
    if (!upgrade || !lists_word(*upgrade, "websocket")) {
        return {};
    }
    using verdict = websocket_offer::verdict;
    const std::string_view connection = request.headers.find("connection").value_or("");
    const std::string_view key = request.headers.find("sec-websocket-key").value_or("");
    const std::string_view version = request.headers.find("sec-websocket-version").value_or("");
    if (request.method != http_method::get || !lists_word(connection, "upgrade") || !is_key(key) ||
        !request.body.empty()) {
        return {verdict::malformed, {}};
    }
    if (version != "13") {
        return {verdict::wrong_version, {}};
    }
    return {verdict::good, std::string{key}};
}

}  // namespace convene
