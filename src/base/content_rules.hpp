// SPDX-License-Identifier: Apache-2.0
// The fields of each content type and what each must look like.
#pragma once

#include "convene/boundary.hpp"
#include "convene/content.hpp"

#include <string_view>

#include "base/json.hpp"

namespace convene {

/// Checks a document that passed the JSON gate as content and gives its type.
checked<content_type> check_content(
    const json_document& document, std::string_view path, const boundary_limits& limits
);

}  // namespace convene
