// SPDX-License-Identifier: Apache-2.0
// `json_text`: the way in for text from outside, and for our own.
#include "convene/json_text.hpp"

#include "base/assert.hpp"
#include "base/json_scanner.hpp"
#include "base/text_boundary.hpp"

namespace convene {

namespace {

bool is_canonical(std::string_view text) {
    constexpr boundary_limits limits = boundary_limits::of_stored_json();
    const checked<scanned_json> scanned = scan_json(text, {}, limits, text_policy::reject);
    return scanned && scanned->canonical == text;
}

}  // namespace

result<json_text> json_text::parse(std::string_view text) {
    checked<json_text> parsed = parse_json(text, {});
    if (!parsed) {
        return parsed.error().code();
    }
    return *std::move(parsed);
}

json_text json_text::trusted(std::string text) {
    CONVENE_DEBUG_ASSERT(
        is_canonical(text), "json_text::trusted was given text that is not canonical"
    );
    return json_text{std::move(text)};
}

}  // namespace convene
