// SPDX-License-Identifier: Apache-2.0
// Visibility: its text form, which no id can make ambiguous.
#include "convene/event.hpp"

#include <algorithm>

#include "base/enumerator_of.hpp"

namespace convene {

/// A list has no word of its own.
static constexpr std::string_view word_of(visibility::scope kind) noexcept {
    switch (kind) {
        using enum visibility::scope;
        case all:
            return "all";
        case none:
            return "none";
        case transport:
            return "transport";
        case intelligence:
            return "intelligence";
        case internal:
            return "internal";
        case channels:
            return {};
    }
    return {};
}

namespace {

std::optional<visibility::scope> scope_from(std::string_view word) noexcept {
    return enumerator_of(word, visibility::scope::all);
}

// In a list `,` separates and `%` escapes as in a URL, so that an id may contain both.
constexpr std::string_view hex_digits = "0123456789ABCDEF";

void append_escaped(std::string& text, char c) {
    const auto byte = static_cast<unsigned char>(c);
    text += '%';
    text += hex_digits[byte >> 4U];
    text += hex_digits[byte & 0x0FU];
}

void append_id(std::string& text, std::string_view id) {
    for (const char c : id) {
        if (c == ',' || c == '%') {
            append_escaped(text, c);
        } else {
            text += c;
        }
    }
}

/// The byte of two hexadecimal digits; nothing for any other text.
std::optional<char> unescape(std::string_view digits) noexcept {
    if (digits.size() != 2) {
        return std::nullopt;
    }
    const std::size_t high = hex_digits.find(digits[0]);
    const std::size_t low = hex_digits.find(digits[1]);
    if (high == std::string_view::npos || low == std::string_view::npos) {
        return std::nullopt;
    }
    return static_cast<char>(high << 4U | low);
}

result<channel_id> parse_id(std::string_view text) {
    std::string id;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            id += text[i];
            continue;
        }
        const std::optional<char> c = unescape(text.substr(i + 1, 2));
        if (!c) {
            return errc::invalid_argument;
        }
        id += *c;
        i += 2;
    }
    if (id.empty()) {
        return errc::invalid_argument;
    }
    return channel_id{std::move(id)};
}

}  // namespace

result<visibility> visibility::parse(std::string_view text) {
    if (const std::optional<scope> word = scope_from(text)) {
        return visibility{*word};
    }
    std::vector<channel_id> ids;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        result<channel_id> id = parse_id(text.substr(begin, end - begin));
        if (!id) {
            return id.error();
        }
        ids.push_back(std::move(*id));
        begin = end + 1;
    }
    return visibility{std::move(ids)};
}

std::string visibility::text() const {
    // An empty list shows the event to nobody.
    if (scope_ == scope::channels && channels_.empty()) {
        return std::string{word_of(scope::none)};
    }
    if (scope_ != scope::channels) {
        return std::string{word_of(scope_)};
    }

    std::string list;
    for (const channel_id& channel : channels_) {
        if (!list.empty()) {
            list += ',';
        }
        append_id(list, channel.str());
    }
    if (!scope_from(list)) {
        return list;
    }

    // One id that is spelled like a scope: it reads as an id once its first character is escaped.
    std::string alone;
    append_escaped(alone, list.front());
    return alone + list.substr(1);
}

}  // namespace convene
