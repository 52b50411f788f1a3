// SPDX-License-Identifier: Apache-2.0
// UTF-8: decoding with exact faults, encoding, and cuts between code points.
#include "base/utf8.hpp"

#include <algorithm>

namespace convene {

namespace {

using byte = unsigned char;

byte byte_at(std::string_view text, std::size_t index) noexcept {
    return static_cast<byte>(text[index]);
}

bool is_continuation(byte b) noexcept { return (b & 0xC0U) == 0x80U; }

/// What a lead byte announces. The bounds of the second byte rule out overlong forms, surrogates
/// and numbers above U+10FFFF.
struct sequence_form {
    std::size_t length;
    byte second_min;
    byte second_max;
    byte lead_bits;  ///< the part of the lead byte that belongs to the code point
};

constexpr sequence_form no_form{0, 0, 0, 0};

constexpr sequence_form form_of(byte lead) noexcept {
    if (lead < 0xC2) {
        return no_form;
    }
    if (lead <= 0xDF) {
        return {2, 0x80, 0xBF, 0x1F};
    }
    if (lead <= 0xEF) {
        const byte min = lead == 0xE0 ? 0xA0 : 0x80;
        const byte max = lead == 0xED ? 0x9F : 0xBF;
        return {3, min, max, 0x0F};
    }
    if (lead <= 0xF4) {
        const byte min = lead == 0xF0 ? 0x90 : 0x80;
        const byte max = lead == 0xF4 ? 0x8F : 0xBF;
        return {4, min, max, 0x07};
    }
    return no_form;
}

bool is_encoded_surrogate(std::string_view text) noexcept {
    return text.size() >= 3 && byte_at(text, 0) == 0xED && byte_at(text, 1) >= 0xA0 &&
           byte_at(text, 1) <= 0xBF && is_continuation(byte_at(text, 2));
}

}  // namespace

utf8_step read_utf8(std::string_view text) noexcept {
    const byte lead = byte_at(text, 0);
    if (lead < 0x80) {
        return {lead, 1, utf8_fault::none};
    }
    if (is_encoded_surrogate(text)) {
        return {0, 3, utf8_fault::surrogate};
    }
    const sequence_form form = form_of(lead);
    if (form.length == 0) {
        return {0, 1, utf8_fault::malformed};
    }
    char32_t code_point = lead & form.lead_bits;
    for (std::size_t i = 1; i < form.length; ++i) {
        const byte min = i == 1 ? form.second_min : byte{0x80};
        const byte max = i == 1 ? form.second_max : byte{0xBF};
        if (i == text.size() || byte_at(text, i) < min || byte_at(text, i) > max) {
            // The bytes so far are what Unicode calls a maximal subpart: one replacement for all.
            return {0, i, utf8_fault::malformed};
        }
        code_point = (code_point << 6U) | (byte_at(text, i) & 0x3FU);
    }
    return {code_point, form.length, utf8_fault::none};
}

std::size_t clean_length(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size() && text[at] != '\0') {
        if (byte_at(text, at) < 0x80) {
            ++at;
            continue;
        }
        const utf8_step step = read_utf8(text.substr(at));
        if (step.fault != utf8_fault::none) {
            break;
        }
        at += step.length;
    }
    return at;
}

void append_utf8(std::string& out, char32_t code_point) {
    const auto tail = [&](unsigned shift) {
        out += static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU));
    };
    if (code_point < 0x80) {
        out += static_cast<char>(code_point);
    } else if (code_point < 0x800) {
        out += static_cast<char>(0xC0U | (code_point >> 6U));
        tail(0);
    } else if (code_point < 0x10000) {
        out += static_cast<char>(0xE0U | (code_point >> 12U));
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0U | (code_point >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) noexcept {
    if (text.size() <= max_bytes) {
        return text;
    }
    std::size_t end = max_bytes;
    while (end > 0 && is_continuation(byte_at(text, end))) {
        --end;
    }
    return text.substr(0, end);
}

std::size_t count_code_points(std::string_view text) noexcept {
    const auto starts = std::ranges::count_if(text, [](char c) {
        return !is_continuation(static_cast<byte>(c));
    });
    return static_cast<std::size_t>(starts);
}

std::string_view first_code_points(std::string_view text, std::size_t count) noexcept {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (is_continuation(byte_at(text, i))) {
            continue;
        }
        if (count == 0) {
            return text.substr(0, i);
        }
        --count;
    }
    return text;
}

}  // namespace convene
