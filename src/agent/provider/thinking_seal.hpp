// SPDX-License-Identifier: Apache-2.0
// Thinking as Anthropic wants it back: its blocks in order, in the one text that a message has for its seal.
#pragma once

#include "convene/chat.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// One block of thinking. What the provider hides has no text, and all of it in `seal`.
struct thinking_block {
    std::string text{};
    std::string seal{};
    bool is_hidden = false;

    friend bool operator==(const thinking_block&, const thinking_block&) = default;
};

/// `chat_message::thinking_signature` for these blocks: the signature itself where there is one block, in plain sight;
/// else a JSON array of the blocks. Empty where nothing is sealed.
[[nodiscard]] std::string seal_of(const std::vector<thinking_block>& blocks);

/// The blocks of a message; none where it has no seal, since the API takes none back without.
[[nodiscard]] std::vector<thinking_block> thinking_of(const chat_message& message);

}  // namespace convene
