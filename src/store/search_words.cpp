// SPDX-License-Identifier: Apache-2.0
// Cuts text into words for full-text search.
#include "store/search_words.hpp"

#include "base/utf8.hpp"

namespace convene {

namespace {

constexpr bool is_in(char32_t code_point, char32_t first, char32_t last) {
    return code_point >= first && code_point <= last;
}

constexpr bool is_ascii_letter_or_digit(char32_t code_point) {
    return is_in(code_point, U'0', U'9') || is_in(code_point, U'a', U'z') ||
           is_in(code_point, U'A', U'Z');
}

/// The blocks beyond ASCII that hold no letters: Latin-1 signs, general punctuation and spaces,
/// ideographic punctuation, full-width signs, byte order mark and replacement character.
constexpr bool is_sign_beyond_ascii(char32_t code_point) {
    return is_in(code_point, U'\u0080', U'\u00A9') || is_in(code_point, U'\u00AB', U'\u00B4') ||
           is_in(code_point, U'\u00B6', U'\u00B9') || is_in(code_point, U'\u00BB', U'\u00BF') ||
           is_in(code_point, U'\u2000', U'\u206F') || is_in(code_point, U'\u3000', U'\u303F') ||
           is_in(code_point, U'\uFF01', U'\uFF0F') || code_point == U'\uFEFF' ||
           code_point == U'\uFFFD';
}

constexpr bool is_part_of_word(char32_t code_point) {
    return code_point < 0x80 ? is_ascii_letter_or_digit(code_point)
                             : !is_sign_beyond_ascii(code_point);
}

constexpr char32_t to_lower(char32_t code_point) {
    return is_in(code_point, U'A', U'Z') ? code_point + (U'a' - U'A') : code_point;
}

}  // namespace

std::vector<std::string> search_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) {
            words.push_back(std::move(word));
        }
        word.clear();
    };
    while (!text.empty()) {
        const utf8_step step = read_utf8(text);
        text.remove_prefix(step.length);
        if (step.fault == utf8_fault::none && is_part_of_word(step.code_point)) {
            append_utf8(word, to_lower(step.code_point));
        } else {
            end_word();
        }
    }
    end_word();
    return words;
}

}  // namespace convene
