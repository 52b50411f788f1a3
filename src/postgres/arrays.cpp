// SPDX-License-Identifier: Apache-2.0
// Writes array literals: every text is quoted, so that nothing in it has a meaning.
#include "postgres/arrays.hpp"

#include <array>
#include <charconv>
#include <span>

#include "base/hash.hpp"

namespace convene::postgres {

void array_text::separate() { items_ += items_.empty() ? '{' : ','; }

void array_text::add(std::string_view value) {
    separate();
    items_ += '"';
    for (const char c : value) {
        if (c == '"' || c == '\\') {
            items_ += '\\';
        }
        items_ += c;
    }
    items_ += '"';
}

void array_text::add_number(std::int64_t value) {
    separate();
    items_ += std::to_string(value);
}

void array_text::add_number(double value) {
    separate();
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    items_.append(digits.data(), end);
}

void array_text::add_null() {
    separate();
    items_ += "NULL";
}

std::string column_arrays::parameters(int first) const {
    std::string list;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        list += (i == 0 ? "(?" : ", (?") + std::to_string(first + static_cast<int>(i));
        switch (columns_[i].kind) {
            case sql::value_kind::integer:
                list += ")::bigint[]";
                break;
            case sql::value_kind::real:
                list += ")::double precision[]";
                break;
            case sql::value_kind::text:
                list += ")::text[]";
                break;
            case sql::value_kind::bytes:
                list += ")::bytea[]";
                break;
        }
    }
    return list;
}

array_text& column_arrays::at(int position, sql::value_kind kind) {
    column& found = columns_[static_cast<std::size_t>(position - 1)];
    found.kind = kind;
    return found.values;
}

void column_arrays::bind_text(int position, sql::text_lifetime, std::string_view value) {
    at(position, sql::value_kind::text).add(value);
}

void column_arrays::bind_bytes(int position, sql::text_lifetime, std::string_view value) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(value.data());
    at(position, sql::value_kind::bytes).add("\\x" + to_hex(std::span{bytes, value.size()}));
}

void column_arrays::bind_integer(int position, std::int64_t value) {
    at(position, sql::value_kind::integer).add_number(value);
}

void column_arrays::bind_real(int position, double value) {
    at(position, sql::value_kind::real).add_number(value);
}

void column_arrays::bind_null(int position, sql::value_kind kind) { at(position, kind).add_null(); }

}  // namespace convene::postgres
