// SPDX-License-Identifier: Apache-2.0
// Reading and writing the name in `Content-Disposition`.
#include "http/file_name.hpp"

#include <algorithm>

#include "http/uri.hpp"

namespace convene {

namespace {

std::string lower_case(std::string_view text) {
    std::string lowered{text};
    std::ranges::transform(lowered, lowered.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return lowered;
}

std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// The next parameter and what follows it: a `;` inside quotes ends none.
std::string_view take_parameter(std::string_view* rest) {
    bool is_quoted = false;
    std::size_t at = 0;
    for (; at < rest->size(); ++at) {
        const char c = (*rest)[at];
        if (c == '\\' && is_quoted) {
            ++at;
        } else if (c == '"') {
            is_quoted = !is_quoted;
        } else if (c == ';' && !is_quoted) {
            break;
        }
    }
    const std::string_view taken = rest->substr(0, std::min(at, rest->size()));
    rest->remove_prefix(std::min(at + 1, rest->size()));
    return trimmed(taken);
}

std::string unquoted(std::string_view value) {
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') {
        return std::string{value};
    }
    std::string text;
    value = value.substr(1, value.size() - 2);
    for (std::size_t at = 0; at < value.size(); ++at) {
        at += value[at] == '\\' && at + 1 < value.size() ? 1 : 0;
        text += value[at];
    }
    return text;
}

/// `UTF-8''na%C3%AFve.txt`; other character sets are not read.
std::optional<std::string> extended(std::string_view value) {
    constexpr std::string_view charset = "utf-8'";
    const std::size_t language_end = value.find('\'', charset.size());
    if (!lower_case(value).starts_with(charset) || language_end == std::string_view::npos) {
        return std::nullopt;
    }
    return percent_decode(value.substr(language_end + 1), plus_sign::is_plus);
}

}  // namespace

std::string file_name_in(std::string_view content_disposition) {
    std::string name;
    std::string_view rest = content_disposition;
    while (!rest.empty()) {
        const std::string_view parameter = take_parameter(&rest);
        const std::size_t equals = std::min(parameter.find('='), parameter.size());
        const std::string key = lower_case(trimmed(parameter.substr(0, equals)));
        const std::string_view value = trimmed(
            parameter.substr(std::min(equals + 1, parameter.size()))
        );
        if (key == "filename*") {
            if (std::optional<std::string> decoded = extended(value)) {
                return *std::move(decoded);
            }
        } else if (key == "filename") {
            name = unquoted(value);
        }
    }
    return name;
}

std::string clean_file_name(std::string_view name) {
    constexpr std::size_t max_bytes = 255;
    if (const std::size_t slash = name.find_last_of("/\\"); slash != std::string_view::npos) {
        name.remove_prefix(slash + 1);
    }
    std::string clean;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7F) {
            clean += c;
        }
    }
    // Between two characters: a byte that goes on with one is not the first of another.
    std::size_t length = std::min(clean.size(), max_bytes);
    while (length < clean.size() && length > 0 &&
           (static_cast<unsigned char>(clean[length]) & 0xC0U) == 0x80U) {
        --length;
    }
    clean.resize(length);
    const bool is_nothing = clean.find_first_not_of(". ") == std::string::npos;
    return is_nothing ? "file" : clean;
}

std::string content_disposition(std::string_view kind, std::string_view name) {
    std::string plain;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_plain = byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\' && c != '%';
        plain += is_plain ? c : '_';
    }
    std::string text{kind};
    text += "; filename=\"" + plain + '"';
    if (plain != name) {
        text += "; filename*=UTF-8''" + percent_encode(name);
    }
    return text;
}

}  // namespace convene
