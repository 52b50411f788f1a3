// SPDX-License-Identifier: Apache-2.0
// The schemas that documents share: content with its twelve types, and problems.
#pragma once

#include "http/schema.hpp"

namespace convene {

/// The variants of content, for the document; content itself is read by `parse_content`.
[[nodiscard]] const schema& content_schema();

[[nodiscard]] const schema& problem_schema();

}  // namespace convene
