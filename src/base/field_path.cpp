// SPDX-License-Identifier: Apache-2.0
// Field paths: spelling keys and positions.
#include "base/field_path.hpp"

#include <algorithm>

#include "base/json_writer.hpp"
#include "base/utf8.hpp"

namespace convene {

namespace {

// Enough to recognise a key; a path must not repeat a whole hostile document.
constexpr std::size_t max_shown_key_bytes = 64;

bool is_word_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

bool is_plain_word(std::string_view key) {
    return !key.empty() && key.size() <= max_shown_key_bytes &&
           std::ranges::all_of(key, is_word_character);
}

}  // namespace

void append_member(std::string& path, std::string_view key) {
    std::string spelled;
    append_json_characters(spelled, key);
    append_spelled_member(path, spelled);
}

void append_spelled_member(std::string& path, std::string_view spelled_key) {
    if (!is_plain_word(spelled_key)) {
        path += "[\"";
        path += utf8_prefix(spelled_key, max_shown_key_bytes);
        path += "\"]";
        return;
    }
    if (!path.empty()) {
        path += '.';
    }
    path += spelled_key;
}

void append_element(std::string& path, std::size_t index) {
    path += '[';
    path += std::to_string(index);
    path += ']';
}

std::string member_path(std::string_view object_path, std::string_view key) {
    std::string path{object_path};
    append_member(path, key);
    return path;
}

std::string element_path(std::string_view array_path, std::size_t index) {
    std::string path{array_path};
    append_element(path, index);
    return path;
}

}  // namespace convene
