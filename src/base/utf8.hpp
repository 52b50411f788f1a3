// SPDX-License-Identifier: Apache-2.0
// UTF-8, one code point at a time: well-formed as Unicode table 3-7 defines it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene {

inline constexpr char32_t replacement_character = U'\uFFFD';

enum class utf8_fault : std::uint8_t {
    none,
    malformed,  ///< a sequence that is cut short, overlong, out of range or not a sequence at all
    surrogate,  ///< half of a UTF-16 pair, encoded as three bytes
};

/// What stands at the start of a text.
struct utf8_step {
    char32_t code_point = 0;  ///< meaningless with a fault
    std::size_t length = 0;  ///< bytes to step over; with a fault, those one replacement stands for
    utf8_fault fault = utf8_fault::none;
};

/// *Requires*: `text` is not empty.
[[nodiscard]] utf8_step read_utf8(std::string_view text) noexcept;

/// The length of the beginning of `text` that is well-formed and has no NUL.
[[nodiscard]] std::size_t clean_length(std::string_view text) noexcept;

/// *Requires*: `code_point` is a Unicode scalar value.
void append_utf8(std::string& out, char32_t code_point);

/// The longest beginning of well-formed `text` with at most `max_bytes` bytes that cuts no code
/// point.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes) noexcept;

/// The number of code points in well-formed `text`.
[[nodiscard]] std::size_t count_code_points(std::string_view text) noexcept;

/// The first `count` code points of well-formed `text`, or all of it.
[[nodiscard]] std::string_view first_code_points(std::string_view text, std::size_t count) noexcept;

}  // namespace convene
