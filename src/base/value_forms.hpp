// SPDX-License-Identifier: Apache-2.0
// The forms that certain texts must have: URLs, media types, language tags.
#pragma once

#include <string_view>

namespace convene {

/// `http://host...` or `https://host...`, without spaces, controls and characters that a URL must
/// escape.
[[nodiscard]] bool is_web_url(std::string_view text);

/// `data:` with a comma and no space or control: such a URL often has unescaped XML in it.
[[nodiscard]] bool is_data_url(std::string_view text);

/// `attachment:` and the id of an attachment, which is letters, digits and `-`.
[[nodiscard]] bool is_attachment_uri(std::string_view text);

/// `type/subtype`, with or without parameters.
[[nodiscard]] bool is_media_type(std::string_view text);

/// The outer form of a BCP 47 tag: `en`, `pt-BR`, `zh-Hant-TW`.
[[nodiscard]] bool is_language_tag(std::string_view text);

}  // namespace convene
