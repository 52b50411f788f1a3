// SPDX-License-Identifier: Apache-2.0
// What the text boundary answers: which field of a value from outside breaks which rule, or what
// was repaired.
#pragma once

#include "convene/error.hpp"

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace convene {

/// Why a value was refused. The words (`word_of`) are frozen: clients translate them.
enum class boundary_reason {
    invalid_utf8 = 1,       ///< bytes that are not UTF-8
    nul_character = 2,      ///< U+0000, as a byte or as `\u0000`
    lone_surrogate = 3,     ///< half of a UTF-16 pair, as `\ud800` or as bytes
    control_character = 4,  ///< in an id: C0, DEL or C1
    empty = 5,              ///< an id, or a list that needs an element
    too_long = 6,           ///< more bytes than allowed
    too_deep = 7,           ///< JSON or composite content nested deeper than allowed
    too_many = 8,           ///< more keys, values or elements than allowed
    not_json = 9,           ///< breaks the grammar of RFC 8259
    duplicate_key = 10,     ///< an object has a key twice
    wrong_type = 11,        ///< JSON of another type than the field wants
    missing_field = 12,     ///< a required field is absent
    unknown_field = 13,     ///< a field that does not exist
    unknown_value = 14,     ///< not one of the field's words
    out_of_range = 15,      ///< a number outside the allowed range, or beyond a double
    malformed = 16,         ///< text of a form the field does not have: media type, language tag
    unsupported_url = 17,   ///< not an http, https or data URL
    not_allowed_here = 18,  ///< content of this type may not be nested
    too_short = 19,         ///< fewer characters than a password needs
};

/// The stable word of a reason: `lone_surrogate`.
[[nodiscard]] std::string_view word_of(boundary_reason reason) noexcept;

/// Where and why the boundary refused a value.
struct boundary_error {
    std::string field;  ///< a path like `content.parts[2].body`; safe to print
    boundary_reason reason{};

    /// `errc::invalid_argument`, for callers that only need to know that the request is at fault.
    [[nodiscard]] error_code code() const noexcept { return errc::invalid_argument; }

    friend bool operator==(const boundary_error&, const boundary_error&) = default;
};

/// What `checked::value()` throws when there is no value: a `system_error` whose text names field
/// and reason.
[[noreturn]] void throw_exception_from_error(
    const boundary_error& error, const boost::source_location& where
);

/// A value that passed the boundary, or why it did not.
template <class T = void>
class [[nodiscard]] checked : public boost::system::result<T, boundary_error> {
   public:
    using boost::system::result<T, boundary_error>::result;
};

/// How much the boundary lets through. The defaults are what the server uses.
struct boundary_limits {
    std::size_t max_text_bytes = 256 * 1024;
    std::size_t max_json_bytes = 1024 * 1024;
    std::size_t max_json_depth = 32;        ///< arrays and objects around a value
    std::size_t max_json_values = 100'000;  ///< in one document
    std::size_t max_object_keys = 1024;     ///< in one object
    std::size_t max_id_bytes = 256;
    std::size_t max_url_bytes = 8192;  ///< of http and https URLs; a data URL is bounded as JSON is
    std::size_t max_composite_depth = 5;  ///< composites around a part, its own included
    std::size_t max_list_items = 100;     ///< parts of a composite, buttons, cards, quick replies

    /// For JSON that was let in before: another version may have been more generous, and content
    /// may have a whole tool result inside.
    [[nodiscard]] static constexpr boundary_limits of_stored_json() {
        constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
        return {
            .max_json_bytes = unlimited,
            .max_json_depth = unlimited,
            .max_json_values = unlimited,
            .max_object_keys = unlimited,
        };
    }
};

/// What was changed to make output of a tool or an agent storable. Equal to `{}` when nothing was.
struct repair_record {
    std::uint64_t invalid_utf8 = 0;     ///< malformed sequences replaced by U+FFFD
    std::uint64_t lone_surrogates = 0;  ///< replaced by U+FFFD
    std::uint64_t nul_characters = 0;   ///< replaced by U+FFFD
    std::uint64_t dropped_bytes = 0;    ///< cut off at the end, because the value was too long

    /// Why a value that should be JSON is stored as a string instead: the rule it broke.
    std::optional<boundary_reason> kept_as_text{};

    [[nodiscard]] bool empty() const noexcept { return *this == repair_record{}; }

    repair_record& operator+=(const repair_record& other) noexcept;

    friend bool operator==(const repair_record&, const repair_record&) = default;
};

}  // namespace convene
