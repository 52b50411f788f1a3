// SPDX-License-Identifier: Apache-2.0
// Making text harmless for a terminal.
#include "app/printable.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace convene {

namespace {

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

/// Marks that show text in another order than it is read.
bool is_direction_mark(char32_t c) {
    return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

/// Separators that some terminals take for a line end.
bool is_odd_line_end(char32_t c) { return c == 0x2028 || c == 0x2029; }

void append_shown(std::string& shown, const utf8_step& step) {
    const char32_t c = step.fault == utf8_fault::none ? step.code_point : replacement_character;
    if (is_control(c) || is_direction_mark(c) || is_odd_line_end(c)) {
        shown += fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(c));
    } else {
        append_utf8(shown, c);
    }
}

template <class LineEnd>
std::string show(std::string_view text, LineEnd append_line_end) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const utf8_step step = read_utf8(text);
        if (step.fault == utf8_fault::none && step.code_point == U'\n') {
            append_line_end(shown, step);
        } else {
            append_shown(shown, step);
        }
        text.remove_prefix(step.length);
    }
    return shown;
}

}  // namespace

std::string printable(std::string_view text, std::string_view indent) {
    return show(text, [indent](std::string& shown, const utf8_step&) {
        shown += '\n';
        shown += indent;
    });
}

std::string printable_name(std::string_view name) { return show(name, append_shown); }

}  // namespace convene
