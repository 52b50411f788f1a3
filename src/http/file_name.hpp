// SPDX-License-Identifier: Apache-2.0
// Names of files: as an upload says them, and as a download gives them back (RFC 6266).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace convene {

/// The name in a `Content-Disposition`: `filename*` before `filename`. Empty: it says none.
[[nodiscard]] std::string file_name_in(std::string_view content_disposition);

/// A name that is safe to keep: the last part of a path, without control characters, at most 255 bytes; `file` where
/// nothing is left. *Requires*: UTF-8.
[[nodiscard]] std::string clean_file_name(std::string_view name);

/// `attachment; filename="..."; filename*=UTF-8''...`; `kind` is `attachment` or `inline`.
[[nodiscard]] std::string content_disposition(std::string_view kind, std::string_view name);

}  // namespace convene
