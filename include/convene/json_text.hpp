// SPDX-License-Identifier: Apache-2.0
// `json_text`: a string that is known to be one canonical JSON value.
#pragma once

#include "convene/error.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace convene {

/// One JSON value as text: valid, without insignificant whitespace, keys in the order given and
/// unique within an object, numbers spelled as given, strings escaped only where JSON demands it,
/// no U+0000. So equal texts are equal values, and it can be stored and sent without being looked
/// at again.
class json_text {
   public:
    /// The empty object.
    json_text() : text_("{}") {}

    /// Checks text from outside against the server's limits (`boundary_limits`) and makes it
    /// canonical. *Errors*: `invalid_argument`.
    [[nodiscard]] static result<json_text> parse(std::string_view text);

    /// Takes what `str()` once gave, without looking at it; debug builds check.
    [[nodiscard]] static json_text trusted(std::string text);

    [[nodiscard]] const std::string& str() const noexcept { return text_; }

    friend bool operator==(const json_text&, const json_text&) = default;

   private:
    explicit json_text(std::string text) : text_(std::move(text)) {}

    std::string text_;
};

}  // namespace convene
