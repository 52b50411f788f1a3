// SPDX-License-Identifier: Apache-2.0
// The frames of a run as the events that they were made from: for whoever takes a run over.
#pragma once

#include "convene/error.hpp"

#include <optional>
#include <string_view>

#include "agent/agui/run_event.hpp"

namespace convene {

/// The event of a frame that `agui_encoder` wrote; nothing for a frame that only opens a group. Of an end it is known
/// that it is one, not how. *Errors*: `corrupt_data`.
[[nodiscard]] result<std::optional<run_event>> decode_agui(std::string_view frame);

}  // namespace convene
