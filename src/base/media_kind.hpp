// SPDX-License-Identifier: Apache-2.0
// What kind of file some bytes are, whatever their sender says.
#pragma once

#include <string>
#include <string_view>

namespace convene {

/// The media type that the first bytes give away: common images, audio, video, PDF, ZIP. Empty: none of them.
[[nodiscard]] std::string_view sniffed_media_type(std::string_view bytes);

/// The media type to keep and to serve: what the bytes are where that can be told; else what the sender says, unless
/// it claims to be one of those kinds, which it then is not, or is no media type: `application/octet-stream`.
[[nodiscard]] std::string settled_media_type(std::string_view declared, std::string_view bytes);

/// Whether a browser may show it in place: images, audio and video that run no code. Everything else is a download.
[[nodiscard]] bool may_be_shown_inline(std::string_view media_type);

}  // namespace convene
