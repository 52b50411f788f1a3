// SPDX-License-Identifier: Apache-2.0
// Full-text search: what counts as a word, the same on every store.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// The words of a text, in its order: runs of letters and digits, ASCII letters in lower case.
/// Beyond ASCII all but spaces and punctuation counts as a letter. Never fails, whatever the bytes
/// are.
[[nodiscard]] std::vector<std::string> search_words(std::string_view text);

}  // namespace convene
