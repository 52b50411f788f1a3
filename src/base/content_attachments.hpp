// SPDX-License-Identifier: Apache-2.0
// Which attachments a content names: `attachment:ID` where a URL stands.
#pragma once

#include "convene/content.hpp"

#include <string>
#include <vector>

namespace convene {

/// The ids, each once, in the order in which they stand: of media, of the parts of a composite, of what an edit
/// puts in place.
[[nodiscard]] std::vector<std::string> attachments_in(const content& what);

}  // namespace convene
