// SPDX-License-Identifier: Apache-2.0
// What a remote hook is asked and what it answers, as JSON (docs/formats/hooks.md).
#pragma once

#include "convene/boundary.hpp"
#include "convene/hook.hpp"
#include "convene/json_text.hpp"
#include "convene/remote_hook_caller.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <string_view>

namespace convene {

/// Bytes of an answer that are read.
inline constexpr std::size_t max_verdict_bytes = 256U << 10U;

/// `{"type":"hook.before_commit","timestamp":...,"data":{"hook_id":...,"attempt":1,"room":{...},"event":{...}}}`.
[[nodiscard]] json_text hook_body_of(const remote_hook_call& asked, wall_time now);

/// `{"action":"block","reason":"spam"}`. Every text of it passes the boundary; unknown fields are refused, so that
/// a verdict that was meant otherwise never passes for one.
checked<hook_verdict> parse_verdict(std::string_view text);

}  // namespace convene
