// SPDX-License-Identifier: Apache-2.0
// Canonical JSON: stepping from value to value.
#include "base/canonical_json.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "base/utf8.hpp"

namespace convene {

namespace {

/// The length of the string at the start of `text`, its quotes included.
std::size_t string_length(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == '"') {
            return i + 1;
        }
    }
    return text.size();
}

/// The length of the value at the start of `text`, which is followed by a comma, a bracket or
/// nothing.
std::size_t value_length(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
            case '"':
                i += string_length(text.substr(i)) - 1;
                break;
            case '{':
            case '[':
                ++depth;
                break;
            case '}':
            case ']':
                if (depth == 0) {
                    return i;
                }
                --depth;
                break;
            case ',':
                if (depth == 0) {
                    return i;
                }
                break;
            default:
                break;
        }
    }
    return text.size();
}

/// Takes a value off the front, and the comma after it.
std::string_view take_value(std::string_view& rest) {
    const std::string_view value = rest.substr(0, value_length(rest));
    rest.remove_prefix(value.size());
    if (rest.starts_with(',')) {
        rest.remove_prefix(1);
    }
    return value;
}

/// What is between the first and the last character, or nothing where the first is another.
std::string_view inside(std::string_view value, char opening) {
    return value.size() > 2 && value.front() == opening ? value.substr(1, value.size() - 2)
                                                        : std::string_view{};
}

/// Takes a member off the front, and the comma after it.
json_member take_member(std::string_view& rest) {
    const std::size_t quoted_key = string_length(rest);
    const std::string_view key = rest.substr(1, quoted_key - 2);
    rest.remove_prefix(quoted_key + 1);
    return {key, take_value(rest)};
}

/// Appends the meaning of the escape at the start of `text` and gives its length.
std::size_t decode_escape(std::string& out, std::string_view text) {
    constexpr std::string_view letters = "\"\\bfnrt";
    constexpr std::string_view meanings = "\"\\\b\f\n\r\t";
    const std::size_t which = letters.find(text[1]);
    if (which != std::string_view::npos) {
        out += meanings[which];
        return 2;
    }
    std::uint32_t code_point = 0;
    std::from_chars(text.data() + 2, text.data() + 6, code_point, 16);
    append_utf8(out, code_point);
    return 6;
}

}  // namespace

std::vector<json_member> members_of(std::string_view value) {
    std::vector<json_member> members;
    std::string_view rest = inside(value, '{');
    while (!rest.empty()) {
        members.push_back(take_member(rest));
    }
    return members;
}

std::vector<std::string_view> elements_of(std::string_view value) {
    std::vector<std::string_view> elements;
    std::string_view rest = inside(value, '[');
    while (!rest.empty()) {
        elements.push_back(take_value(rest));
    }
    return elements;
}

std::optional<std::string_view> find_member(std::string_view value, std::string_view key) {
    std::string_view rest = inside(value, '{');
    while (!rest.empty()) {
        const json_member member = take_member(rest);
        if (member.key == key) {
            return member.value;
        }
    }
    return std::nullopt;
}

std::optional<std::string> decode_string(std::string_view value) {
    if (!value.starts_with('"')) {
        return std::nullopt;
    }
    std::string_view rest = inside(value, '"');
    std::string text;
    text.reserve(rest.size());
    while (!rest.empty()) {
        const std::size_t plain = std::min(rest.find('\\'), rest.size());
        text += rest.substr(0, plain);
        rest.remove_prefix(plain);
        if (!rest.empty()) {
            rest.remove_prefix(decode_escape(text, rest));
        }
    }
    return text;
}

std::optional<std::string> find_text(std::string_view value, std::string_view key) {
    const std::optional<std::string_view> member = find_member(value, key);
    return member ? decode_string(*member) : std::nullopt;
}

}  // namespace convene
