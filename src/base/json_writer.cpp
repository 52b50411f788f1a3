// SPDX-License-Identifier: Apache-2.0
// Writing canonical JSON: escaping, separators, numbers.
#include "base/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/assert.hpp"
#include "base/utf8.hpp"

namespace convene {

namespace {

/// The escape that JSON demands for an ASCII character, or nothing.
void append_escape(std::string& out, char c) {
    constexpr std::string_view hex = "0123456789abcdef";
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\b':
            out += "\\b";
            return;
        case '\f':
            out += "\\f";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            out += "\\u00";
            out += hex[static_cast<unsigned char>(c) >> 4U];
            out += hex[static_cast<unsigned char>(c) & 0x0FU];
            return;
    }
}

bool needs_escape(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

template <class Number>
void append_number(std::string& out, Number value) {
    std::array<char, 32> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    CONVENE_ASSERT(error == std::errc{}, "a number needs more than 32 characters");
    out.append(digits.data(), end);
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    append_json_characters(out, text);
    out += '"';
}

std::size_t verbatim_length(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size() && !needs_escape(text[at])) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
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

void append_json_characters(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const std::size_t verbatim = verbatim_length(text);
        out += text.substr(0, verbatim);
        text.remove_prefix(verbatim);
        if (text.empty()) {
            return;
        }
        if (needs_escape(text.front())) {
            append_escape(out, text.front());
        } else {
            append_utf8(out, replacement_character);
        }
        text.remove_prefix(read_utf8(text).length);
    }
}

void json_writer::separate() {
    if (!at_start_) {
        out_ += ',';
    }
    at_start_ = false;
}

json_writer& json_writer::begin_object() {
    separate();
    out_ += '{';
    at_start_ = true;
    return *this;
}

json_writer& json_writer::end_object() {
    out_ += '}';
    at_start_ = false;
    return *this;
}

json_writer& json_writer::begin_array() {
    separate();
    out_ += '[';
    at_start_ = true;
    return *this;
}

json_writer& json_writer::end_array() {
    out_ += ']';
    at_start_ = false;
    return *this;
}

json_writer& json_writer::key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ':';
    at_start_ = true;
    return *this;
}

json_writer& json_writer::string(std::string_view value) {
    separate();
    append_json_string(out_, value);
    return *this;
}

json_writer& json_writer::integer(std::int64_t value) {
    separate();
    append_number(out_, value);
    return *this;
}

json_writer& json_writer::number(double value) {
    CONVENE_ASSERT(std::isfinite(value), "JSON has no infinity and no NaN");
    separate();
    append_number(out_, value);
    return *this;
}

json_writer& json_writer::boolean(bool value) {
    separate();
    out_ += value ? "true" : "false";
    return *this;
}

json_writer& json_writer::null() {
    separate();
    out_ += "null";
    return *this;
}

json_writer& json_writer::json(const json_text& value) {
    separate();
    out_ += value.str();
    return *this;
}

json_text json_writer::take() {
    at_start_ = true;
    return json_text::trusted(std::exchange(out_, {}));
}

}  // namespace convene
