// SPDX-License-Identifier: Apache-2.0
// Percent-decoding of paths and query strings, through the text boundary.
#include "http/uri.hpp"

#include <charconv>

#include "base/field_path.hpp"
#include "base/text_boundary.hpp"
#include "base/utf8.hpp"

namespace convene {

namespace {

using pairs = std::vector<std::pair<std::string, std::string>>;

/// More parameters than any route has; what is beyond is no honest request.
constexpr std::size_t max_parameters = 64;

/// A name from outside as an error shows it.
std::string shown(std::string_view name) {
    return check_text(name, "").has_value() && !name.empty() ? member_path("", name) : "query";
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, plus_sign plus) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && plus == plus_sign::is_space) {
            out += ' ';
            continue;
        }
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        const std::string_view digits = text.substr(i + 1, 2);
        unsigned byte = 0;
        const auto [end, error] = std::from_chars(
            digits.data(), digits.data() + digits.size(), byte, 16
        );
        if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) {
            return std::nullopt;
        }
        out += static_cast<char>(byte);
        i += 2;
    }
    return out;
}

std::string percent_encode(std::string_view text) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
                              c == '~';
        if (is_plain) {
            out += c;
        } else {
            out += '%';
            out += hex[static_cast<unsigned char>(c) >> 4U];
            out += hex[static_cast<unsigned char>(c) & 0x0FU];
        }
    }
    return out;
}

checked<pairs> parse_query(std::string_view query) {
    pairs values;
    while (!query.empty()) {
        const std::string_view piece = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), piece.size() + 1));
        if (piece.empty()) {
            continue;
        }
        if (values.size() == max_parameters) {
            return boundary_error{"query", boundary_reason::too_many};
        }
        const std::size_t equals = std::min(piece.find('='), piece.size());
        const auto name = percent_decode(piece.substr(0, equals), plus_sign::is_space);
        if (!name) {
            return boundary_error{"query", boundary_reason::malformed};
        }
        const std::string field = shown(*name);
        const std::string_view encoded = piece.substr(std::min(piece.size(), equals + 1));
        const auto value = percent_decode(encoded, plus_sign::is_space);
        if (!value) {
            return boundary_error{field, boundary_reason::malformed};
        }
        for (const std::string* text : {&*name, &*value}) {
            if (const checked<> clean = check_text(*text, field); !clean) {
                return clean.error();
            }
        }
        values.emplace_back(*name, *value);
    }
    return values;
}

}  // namespace convene
