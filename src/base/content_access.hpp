// SPDX-License-Identifier: Apache-2.0
// The one way to make content from JSON that was checked or written by us.
#pragma once

#include "convene/content.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace convene {

class content_access {
   public:
    /// *Requires*: `json` is valid content of `type`.
    [[nodiscard]] static content make(
        content_type type, json_text json, repair_record repairs = {}
    ) {
        return content{type, std::move(json), repairs};
    }

    /// A part of content that is itself content; nothing if another version stored what we do not
    /// know.
    [[nodiscard]] static std::optional<content> from_part(std::string_view json);
};

}  // namespace convene
