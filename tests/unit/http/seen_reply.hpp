// SPDX-License-Identifier: Apache-2.0
// An answer of the surface, as a test looks at it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/canonical_json.hpp"
#include "net/http_message.hpp"

namespace convene {

/// What came back.
struct seen_reply {
    int status = 0;
    http_headers headers;
    std::string body;

    [[nodiscard]] std::string header(std::string_view name) const {
        return std::string{headers.find(name).value_or("")};
    }

    /// A text of the answer, down a path of members: `text("source", "channel_id")`.
    template <class... Names>
    [[nodiscard]] std::string text(Names... names) const {
        std::string_view at = body;
        for (const std::string_view name : {std::string_view{names}...}) {
            at = find_member(at, name).value_or("");
        }
        return decode_string(at).value_or(std::string{at});
    }

    [[nodiscard]] std::vector<std::string_view> list(std::string_view name) const {
        return elements_of(find_member(body, name).value_or("[]"));
    }

    [[nodiscard]] std::string code() const { return text("code"); }

    /// `field: reason` of the first error of a problem.
    [[nodiscard]] std::string fault() const {
        const auto errors = list("errors");
        if (errors.empty()) {
            return "";
        }
        return find_text(errors.front(), "field").value_or("") + ": " +
               find_text(errors.front(), "reason").value_or("");
    }
};

}  // namespace convene
