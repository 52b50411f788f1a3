// SPDX-License-Identifier: Apache-2.0
// Small hostile documents and the one answer each must get, through whichever surface it comes in.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// What a document claims to be. It fixes the field under which it is sent (`root_field`).
enum class hostile_kind {
    text,     ///< a message's body: `check_text`
    id,       ///< an id: `check_id`
    json,     ///< metadata, which is an object: `parse_json_object`
    content,  ///< an event's content: `parse_content`
};

struct hostile_document {
    std::string_view name;  ///< unique, snake_case
    hostile_kind kind;
    std::string bytes;
    std::string field;        ///< the field that is at fault; empty when the document is accepted
    std::string_view reason;  ///< the word of the reason, or `accepted`

    [[nodiscard]] bool is_accepted() const { return reason == "accepted"; }

    /// What a test prints of its parameter: the name, not the bytes.
    friend void PrintTo(const hostile_document& document, std::ostream* out) {
        *out << document.name;
    }
};

/// `body`, `id`, `metadata` or `content`.
[[nodiscard]] std::string_view root_field(hostile_kind kind);

[[nodiscard]] const std::vector<hostile_document>& hostile_corpus();

}  // namespace convene
