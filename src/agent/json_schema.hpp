// SPDX-License-Identifier: Apache-2.0
// JSON schemas of tools: compiled once, then arguments are held against them.
#pragma once

#include "convene/boundary.hpp"
#include "convene/json_text.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// A compiled schema: draft 7, and of 2020-12 what docs/agents.md lists.
///
/// *Thread safety*: as of a value. *Complexity*: bounded by the schema's size times the document's; a schema whose
/// alternatives multiply is refused when it is compiled.
class json_schema {
   public:
    /// *Errors*: the keyword that is not supported, or what is wrong with it, by its path below `field`.
    [[nodiscard]] static checked<json_schema> compile(
        const json_text& schema, std::string_view field
    );

    json_schema(json_schema&& other) noexcept;
    json_schema& operator=(json_schema&& other) noexcept;
    ~json_schema();

    /// What of the document does not fit, as one line of at most 1,000 bytes; nothing if it fits.
    [[nodiscard]] std::optional<std::string> find_misfit(const json_text& document) const;

    /// The same for whoever filled in a form: each place that does not fit, once, by its path below `field`; at most 20.
    /// Of alternatives of which none fits only the place is told. Empty: it fits.
    [[nodiscard]] std::vector<boundary_error> find_faults(
        const json_text& document, std::string_view field
    ) const;

   private:
    struct compiled;

    explicit json_schema(std::unique_ptr<compiled> made);

    std::unique_ptr<compiled> made_;
};

}  // namespace convene
