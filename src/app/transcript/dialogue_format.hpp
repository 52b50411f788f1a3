// SPDX-License-Identifier: Apache-2.0
// Dialogues: a whole conversation in one line, as data sets of conversations have them.
#pragma once

#include "convene/boundary.hpp"

#include <string_view>

#include "app/transcript/transcript.hpp"
#include "base/json.hpp"

namespace convene {

/// `{"dialogue_id", "services": [...], "turns": [{"speaker", "text"}, ...]}`; `text` is its canonical spelling.
[[nodiscard]] checked<transcript_line> parse_dialogue(
    const boost::json::object& line, std::string_view text
);

}  // namespace convene
