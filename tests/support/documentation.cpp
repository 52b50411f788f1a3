// SPDX-License-Identifier: Apache-2.0
// Pages of docs/. CONVENE_DOCS_DIR is defined by our CMakeLists.txt.
#include "support/documentation.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace convene {

std::string documentation_page(std::string_view name) {
    std::ifstream file{std::filesystem::path{CONVENE_DOCS_DIR} / name};
    return {std::istreambuf_iterator<char>{file}, {}};
}

std::vector<std::string> json_examples(std::string_view name) {
    std::istringstream page{documentation_page(name)};
    std::vector<std::string> examples;
    bool is_inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("```")) {
            is_inside = line == "```json";
        } else if (is_inside) {
            examples.push_back(line);
        }
    }
    return examples;
}

}  // namespace convene
