// SPDX-License-Identifier: Apache-2.0
// Values of settings: from text, within their range, and back to text.
#pragma once

#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/config/setting.hpp"

namespace convene {

using setting_value = std::variant<std::string, std::int64_t, milliseconds, bool>;

/// The value that `text` spells, or nothing when it spells none or one that is not allowed.
[[nodiscard]] std::optional<setting_value> parse_setting(
    const setting& what, std::string_view text
);

/// What is allowed, to complete a sentence: "a duration from 1s to 1h, ...".
[[nodiscard]] std::string describe_allowed(const setting& what);

/// The value as it may be shown, secrets redacted, in a spelling that `parse_setting` reads.
[[nodiscard]] std::string show_setting(const setting& what, const setting_value& value);

/// `500ms`, `30s`, `2m`, `1h`: in the largest unit that needs no fraction.
[[nodiscard]] std::string format_duration(milliseconds duration);

}  // namespace convene
