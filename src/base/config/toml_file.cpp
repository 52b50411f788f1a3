// SPDX-License-Identifier: Apache-2.0
// The configuration file, read by toml++.
#include "base/config/toml_file.hpp"

#include <toml++/toml.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace convene {

namespace {

std::size_t line_of(const toml::source_region& region) { return region.begin.line; }

std::string decimal(double number) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(
        digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed
    );
    return end.ec == std::errc{} ? std::string{digits.data(), end.ptr} : std::string{"huge"};
}

/// The text that means the same on the command line, or nothing for a table, array or date.
std::optional<std::string> text_of(const toml::node& value) {
    if (const auto* text = value.as_string()) {
        return text->get();
    }
    if (const auto* number = value.as_integer()) {
        return std::to_string(number->get());
    }
    if (const auto* number = value.as_floating_point()) {
        return decimal(number->get());
    }
    if (const auto* flag = value.as_boolean()) {
        return flag->get() ? "true" : "false";
    }
    return std::nullopt;
}

toml_entries entries_of(const toml::table& table) {
    std::vector<toml_entry> entries;
    for (const auto& [key, value] : table) {
        const std::size_t line = line_of(value.source());
        auto text = text_of(value);
        if (!text) {
            std::string description{key.str()};
            description += " must be a string, a number or a boolean";
            return toml_fault{std::move(description), line};
        }
        entries.push_back({std::string{key.str()}, *std::move(text), line});
    }
    return entries;
}

}  // namespace

toml_entries parse_toml_entries(std::string_view document) {
    // toml++ reports syntax errors by exception: as a value here and no further.
    try {
        return entries_of(toml::parse(document));
    } catch (const toml::parse_error& error) {
        return toml_fault{std::string{error.description()}, line_of(error.source())};
    }
}

}  // namespace convene
