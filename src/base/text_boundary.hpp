// SPDX-License-Identifier: Apache-2.0
// The text boundary: the one gate that every text, id and JSON value from outside passes.
//
// Two policies (`docs/formats/text-boundary.md`): the `check_` and `parse_` functions refuse,
// naming field and reason, for callers who can correct what they sent; the `clean_` functions
// repair and say what they repaired, for output of tools and agents, which must never be lost.
#pragma once

#include "convene/boundary.hpp"
#include "convene/json_text.hpp"

#include <string>
#include <string_view>

namespace convene {

/// Refuses text that is not UTF-8, has a NUL or is longer than `max_text_bytes`.
checked<> check_text(
    std::string_view text, std::string_view field, const boundary_limits& limits = {}
);

/// Refuses what cannot be an id: also empty text and control characters.
checked<> check_id(std::string_view id, std::string_view field, const boundary_limits& limits = {});

struct cleaned_text {
    std::string text;
    repair_record repairs;
};

/// Puts U+FFFD in place of what `check_text` refuses and cuts what is too long between two code
/// points.
[[nodiscard]] cleaned_text clean_text(std::string_view text, const boundary_limits& limits = {});

/// Any JSON value, made canonical.
checked<json_text> parse_json(
    std::string_view text, std::string_view field, const boundary_limits& limits = {}
);

/// The same where the field wants an object.
checked<json_text> parse_json_object(
    std::string_view text, std::string_view field, const boundary_limits& limits = {}
);

struct cleaned_json {
    json_text value;
    repair_record repairs;
};

/// Repairs the strings of a JSON value. What is not JSON by our rules is kept whole, as a JSON
/// string with its text cleaned, and the record says why.
[[nodiscard]] cleaned_json clean_json(std::string_view text, const boundary_limits& limits = {});

/// The record as it is stored with an event: an object with the counts that are not zero.
[[nodiscard]] json_text describe_repairs(const repair_record& repairs);

}  // namespace convene
