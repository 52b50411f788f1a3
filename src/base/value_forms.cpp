// SPDX-License-Identifier: Apache-2.0
// Forms of texts: what can be told from the characters alone, without a registry or a look-up.
#include "base/value_forms.hpp"

#include <algorithm>

namespace convene {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_letter_or_digit(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether `text` begins with `prefix`, which is in lower case, in any case.
bool has_prefix(std::string_view text, std::string_view prefix) {
    return text.size() >= prefix.size() &&
           std::ranges::equal(text.substr(0, prefix.size()), prefix, {}, lower);
}

/// Neither space nor control; other scripts than ASCII pass, as in browsers.
bool is_visible(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte != 0x7F;
}

bool is_url_character(char c) {
    constexpr std::string_view never = "\"<>\\^`{|}";
    return is_visible(c) && never.find(c) == std::string_view::npos;
}

/// The characters of a token of RFC 9110.
bool is_token_character(char c) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return is_letter_or_digit(c) || marks.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_token_character);
}

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

bool is_web_url(std::string_view text) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (has_prefix(text, scheme)) {
            const std::string_view rest = text.substr(scheme.size());
            const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
            return !authority.empty() && std::ranges::all_of(rest, is_url_character);
        }
    }
    return false;
}

bool is_data_url(std::string_view text) {
    constexpr std::string_view scheme = "data:";
    return has_prefix(text, scheme) && text.find(',') != std::string_view::npos &&
           std::ranges::all_of(text, is_visible);
}

bool is_attachment_uri(std::string_view text) {
    constexpr std::string_view scheme = "attachment:";
    constexpr std::size_t max_id_bytes = 64;
    if (!text.starts_with(scheme)) {
        return false;
    }
    text.remove_prefix(scheme.size());
    return !text.empty() && text.size() <= max_id_bytes &&
           std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '-'; });
}

bool is_media_type(std::string_view text) {
    constexpr std::size_t max_bytes = 255;
    const std::size_t parameters = std::min(text.find(';'), text.size());
    const std::string_view full_type = trimmed(text.substr(0, parameters));
    const std::size_t slash = full_type.find('/');
    const bool parameters_are_printable = std::ranges::all_of(text.substr(parameters), [](char c) {
        return c >= 0x20 && c < 0x7F;
    });
    return text.size() <= max_bytes && slash != std::string_view::npos &&
           is_token(full_type.substr(0, slash)) && is_token(full_type.substr(slash + 1)) &&
           parameters_are_printable;
}

bool is_language_tag(std::string_view text) {
    constexpr std::size_t max_bytes = 35;
    constexpr std::size_t max_subtag = 8;
    if (text.empty() || text.size() > max_bytes || !is_letter(text.front())) {
        return false;
    }
    while (true) {
        const std::size_t length = std::min(text.find('-'), text.size());
        const std::string_view subtag = text.substr(0, length);
        if (subtag.empty() || subtag.size() > max_subtag ||
            !std::ranges::all_of(subtag, is_letter_or_digit)) {
            return false;
        }
        if (length == text.size()) {
            return true;
        }
        text.remove_prefix(length + 1);
    }
}

}  // namespace convene
