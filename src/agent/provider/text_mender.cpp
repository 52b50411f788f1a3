// SPDX-License-Identifier: Apache-2.0
// One code point after the other; only the last may be kept back.
#include "agent/provider/text_mender.hpp"

#include <cstddef>
#include <utility>

#include "base/utf8.hpp"

namespace convene {

namespace {

constexpr std::size_t half_pair_bytes = 3;

unsigned char byte_at(std::string_view text, std::size_t at) noexcept {
    return static_cast<unsigned char>(text[at]);
}

/// How many bytes a character has that begins with this one; 1 for what begins none.
std::size_t length_by(unsigned char first) noexcept {
    if (first >= 0xF0 && first <= 0xF4) {
        return 4;
    }
    if (first >= 0xE0 && first <= 0xEF) {
        return 3;
    }
    return first >= 0xC2 && first <= 0xDF ? 2 : 1;
}

/// `text` is the beginning of a character, and nothing else.
bool is_begun(std::string_view text, const utf8_step& first) noexcept {
    return first.fault == utf8_fault::malformed && first.length == text.size() &&
           length_by(byte_at(text, 0)) > text.size();
}

/// The ten bits of half a pair. *Requires*: `text` begins with one, as three bytes.
char32_t bits_of_half(std::string_view text) noexcept {
    const char32_t unit = ((byte_at(text, 1) & 0x3FU) << 6U) | (byte_at(text, 2) & 0x3FU);
    return unit & 0x3FFU;
}

bool is_first_half(std::string_view text) noexcept { return byte_at(text, 1) < 0xB0; }

}  // namespace

std::string text_mender::push(std::string_view bytes) {
    const std::string whole = std::exchange(held_, {}).append(bytes);
    std::string_view rest{whole};
    std::string mended;
    while (!rest.empty()) {
        const std::size_t clean = clean_length(rest);
        mended += rest.substr(0, clean);
        rest.remove_prefix(clean);
        if (rest.empty()) {
            break;
        }
        const utf8_step next = read_utf8(rest);
        const bool is_pair_begun = next.fault == utf8_fault::surrogate && is_first_half(rest);
        if (is_begun(rest, next) || (is_pair_begun && rest.size() == half_pair_bytes)) {
            held_ = rest;
            break;
        }
        const std::string_view behind = rest.substr(next.length);
        if (is_pair_begun && behind.size() >= half_pair_bytes &&
            read_utf8(behind).fault == utf8_fault::surrogate && !is_first_half(behind)) {
            constexpr char32_t first_of_pairs = 0x10000;
            append_utf8(
                mended, first_of_pairs + (bits_of_half(rest) << 10U) + bits_of_half(behind)
            );
            rest = behind.substr(half_pair_bytes);
            continue;
        }
        switch (next.fault) {
            case utf8_fault::none:
                ++repairs_.nul_characters;
                break;
            case utf8_fault::malformed:
                ++repairs_.invalid_utf8;
                break;
            case utf8_fault::surrogate:
                ++repairs_.lone_surrogates;
                break;
        }
        append_utf8(mended, replacement_character);
        rest = behind;
    }
    return mended;
}

std::string text_mender::finish() {
    if (held_.empty()) {
        return {};
    }
    if (read_utf8(held_).fault == utf8_fault::surrogate) {
        ++repairs_.lone_surrogates;
    } else {
        ++repairs_.invalid_utf8;
    }
    held_.clear();
    std::string mended;
    append_utf8(mended, replacement_character);
    return mended;
}

}  // namespace convene
