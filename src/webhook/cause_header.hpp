// SPDX-License-Identifier: Apache-2.0
// `Convene-Cause`: an event's cause as a header field that goes out with our calls and comes back with what they cause.
#pragma once

#include "convene/boundary.hpp"
#include "convene/cause.hpp"
#include "convene/time.hpp"

#include <string>
#include <string_view>

#include "base/secret_box.hpp"

namespace convene {

/// In the spelling that `http_headers` keeps.
inline constexpr std::string_view cause_header = "convene-cause";

/// How long what a call caused may be sent with its cause.
inline constexpr seconds cause_window{600};

/// Signed with a key of the deployment, so that nobody gives himself a cause (docs/formats/hooks.md).
[[nodiscard]] std::string encode_cause(
    const event_cause& cause, const secret_box& box, wall_time now
);

/// *Errors*: field `Convene-Cause`; `malformed` (not of this deployment, or changed), `out_of_range` (too old).
checked<event_cause> decode_cause(std::string_view text, const secret_box& box, wall_time now);

}  // namespace convene
