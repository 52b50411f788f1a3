// SPDX-License-Identifier: Apache-2.0
// What requests to providers have in common.
#include "agent/provider/model_provider.hpp"

#include <cstddef>

namespace convene {

namespace {

bool is_plain(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

}  // namespace

std::string joined_url(std::string_view base, std::string_view path) {
    while (base.ends_with('/')) {
        base.remove_suffix(1);
    }
    return std::string{base}.append(path);
}

void add_common_headers(http_headers& headers) {
    headers.add("content-type", "application/json");
    headers.add("accept", "text/event-stream");
    headers.add("user-agent", "Convene");
}

std::string spoken_text(const chat_message& message) {
    return message.name.empty() ? message.text : message.name + ": " + message.text;
}

std::string plain_word(std::string_view word, std::size_t most) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string plain;
    for (const char c : word) {
        if (is_plain(c)) {
            plain += c;
        } else {
            const auto code = static_cast<unsigned char>(c);
            plain += '_';
            plain += digits[code >> 4U];
            plain += digits[code & 0xFU];
        }
    }
    // The end tells ids apart more than the beginning.
    if (plain.size() > most) {
        plain.erase(0, plain.size() - most);
    }
    return plain.empty() ? "_" : plain;
}

bool is_blank(std::string_view text) noexcept {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace convene
