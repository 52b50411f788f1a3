// SPDX-License-Identifier: Apache-2.0
// Schemas as others write them, in the words of draft 7: what the validator knows.
#pragma once

#include "convene/boundary.hpp"

#include <boost/json/value.hpp>

#include <string_view>

namespace convene {

/// The same schema in draft 7 without annotations. `$defs` stay where they are, so that references find them.
///
/// `pattern`, `patternProperties` and `format` are not looked at: a regular expression of somebody else's can take
/// for ever. *Errors*: a keyword that is not supported; a reference that leads out of the document, nowhere or back to
/// itself; alternatives that multiply beyond 10,000.
[[nodiscard]] checked<boost::json::value> in_draft_7(
    const boost::json::value& schema, std::string_view field
);

}  // namespace convene
