// SPDX-License-Identifier: Apache-2.0
// Boost.JSON reads what is not quite Unicode once half pairs and NUL bytes are spelled in a way that it takes.
#include "agent/provider/frame_json.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

namespace convene {

namespace {

constexpr std::size_t escape_length = 6;  // \uXXXX

/// The unit that an escape at the start of `text` spells.
std::optional<unsigned> unit_of(std::string_view text) noexcept {
    if (text.size() < escape_length || !text.starts_with("\\u")) {
        return std::nullopt;
    }
    unsigned unit = 0;
    const char* const end = text.data() + escape_length;
    const auto [stop, failure] = std::from_chars(text.data() + 2, end, unit, 16);
    if (failure != std::errc{} || stop != end) {
        return std::nullopt;
    }
    return unit;
}

bool is_first_half(unsigned unit) noexcept { return unit >= 0xD800 && unit <= 0xDBFF; }

bool is_second_half(unsigned unit) noexcept { return unit >= 0xDC00 && unit <= 0xDFFF; }

void append_half(std::string& out, unsigned unit) {
    out += static_cast<char>(0xE0U | (unit >> 12U));
    out += static_cast<char>(0x80U | ((unit >> 6U) & 0x3FU));
    out += static_cast<char>(0x80U | (unit & 0x3FU));
}

std::string respelled(std::string_view data) {
    std::string out;
    out.reserve(data.size());
    while (!data.empty()) {
        constexpr std::string_view of_interest{"\\\0", 2};
        const std::size_t plain = std::min(data.find_first_of(of_interest), data.size());
        out += data.substr(0, plain);
        data.remove_prefix(plain);
        if (data.empty()) {
            break;
        }
        std::size_t used = 1;
        if (data.front() == '\0') {
            out += "\\u0000";
        } else if (const auto unit = unit_of(data); !unit) {
            // Another escape; what it escapes may be a backslash and begins nothing.
            used = std::min<std::size_t>(2, data.size());
            out += data.substr(0, used);
        } else {
            used = escape_length;
            const auto behind = unit_of(data.substr(used));
            if (is_first_half(*unit) && behind && is_second_half(*behind)) {
                used += escape_length;
                out += data.substr(0, used);
            } else if (is_first_half(*unit) || is_second_half(*unit)) {
                append_half(out, *unit);
            } else {
                out += data.substr(0, used);
            }
        }
        data.remove_prefix(used);
    }
    return out;
}

}  // namespace

std::optional<boost::json::value> read_frame(std::string_view data) {
    boost::json::parse_options options;
    options.allow_invalid_utf8 = true;
    boost::system::error_code failure;
    boost::json::value read = boost::json::parse(respelled(data), failure, {}, options);
    if (failure) {
        return std::nullopt;
    }
    return read;
}

const boost::json::value* member(const boost::json::value* of, std::string_view name) noexcept {
    const boost::json::object* const object = of == nullptr ? nullptr : of->if_object();
    return object == nullptr ? nullptr : object->if_contains(name);
}

const boost::json::value* element(const boost::json::value* of, std::size_t index) noexcept {
    const boost::json::array* const array = of == nullptr ? nullptr : of->if_array();
    return array == nullptr ? nullptr : array->if_contains(index);
}

std::string_view text_of(const boost::json::value* value) noexcept {
    const boost::json::string* const text = value == nullptr ? nullptr : value->if_string();
    return text == nullptr ? std::string_view{} : std::string_view{text->data(), text->size()};
}

std::optional<std::int64_t> integer_of(const boost::json::value* value) noexcept {
    const std::int64_t* const number = value == nullptr ? nullptr : value->if_int64();
    return number == nullptr ? std::nullopt : std::optional{*number};
}

std::optional<std::int64_t> tokens_of(const boost::json::value* value) noexcept {
    constexpr std::int64_t most = 1'000'000'000'000;
    const std::optional<std::int64_t> number = integer_of(value);
    return number && *number >= 0 && *number <= most ? number : std::nullopt;
}

}  // namespace convene
