// SPDX-License-Identifier: Apache-2.0
// Writing canonical JSON: no whitespace, keys in the order they are written, always valid UTF-8.
#pragma once

#include "convene/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace convene {

/// Appends `text` as a JSON string in the canonical spelling: UTF-8 as it is, and an escape only
/// where JSON demands one. A malformed sequence becomes U+FFFD: whatever is written can be read.
void append_json_string(std::string& out, std::string_view text);

/// The same without the quotes: a piece of a string.
void append_json_characters(std::string& out, std::string_view text);

/// The length of the beginning of `text` that a JSON string holds as it is.
[[nodiscard]] std::size_t verbatim_length(std::string_view text) noexcept;

/// Writes one JSON value from front to back.
///
///     json_writer out;
///     out.begin_object();
///     out.key("body").string(body);
///     out.end_object();
///     json_text text = out.take();
///
/// *Requires*: calls in an order that makes one value, which debug builds check when it is taken.
class json_writer {
   public:
    json_writer& begin_object();
    json_writer& end_object();
    json_writer& begin_array();
    json_writer& end_array();

    json_writer& key(std::string_view name);

    json_writer& string(std::string_view value);
    json_writer& integer(std::int64_t value);
    json_writer& number(double value);  ///< *Requires*: finite
    json_writer& boolean(bool value);
    json_writer& null();
    json_writer& json(const json_text& value);

    /// What is written so far.
    [[nodiscard]] std::string_view written() const noexcept { return out_; }

    /// The value written. The writer is empty afterwards.
    [[nodiscard]] json_text take();

   private:
    void separate();

    std::string out_;
    bool at_start_ = true;  ///< of the document, an object, an array or a member's value: no comma
};

}  // namespace convene
