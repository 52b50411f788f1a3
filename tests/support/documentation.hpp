// SPDX-License-Identifier: Apache-2.0
// Pages of docs/, for tests that hold an example or a table in one against the code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convene {

/// The text of a page, `formats/ids.md`; empty if there is none.
[[nodiscard]] std::string documentation_page(std::string_view name);

/// The lines of a page's JSON examples: what stands between "```json" and "```".
[[nodiscard]] std::vector<std::string> json_examples(std::string_view name);

}  // namespace convene
