// SPDX-License-Identifier: Apache-2.0
// Links to attachments that are good for whoever has them, for a while.
#pragma once

#include <string>
#include <string_view>

#include "store/operations/attachments.hpp"

namespace convene {

/// `/api/v1/attachments/ID/content?expires=...&signature=...`. The signature is the HMAC-SHA256, under the attachment's
/// own key, of a fixed text, its id and the time (docs/formats/secrets.md).
[[nodiscard]] std::string signed_path(const attachment& shown, wall_time expires_at);

/// Whether a link is ours; when it expires is for the caller to look at. `expires` is in seconds since 1970.
[[nodiscard]] bool is_signature(
    const attachment& shown, std::int64_t expires, std::string_view signature
);

}  // namespace convene
