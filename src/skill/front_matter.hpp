// SPDX-License-Identifier: Apache-2.0
// The front of a SKILL.md: what a skill is called, what it is for, and the text behind it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "skill/skill_error.hpp"

namespace convene {

inline constexpr std::string_view skill_file_name = "SKILL.md";
inline constexpr std::size_t max_skill_file_bytes = 512 * 1024;
inline constexpr std::size_t max_front_matter_bytes = 16 * 1024;
inline constexpr std::size_t max_skill_name = 64;            ///< characters
inline constexpr std::size_t max_skill_description = 1'024;  ///< characters

struct skill_metadata {
    std::string name;
    std::string description;
    std::string license;        ///< empty: not said, as the next
    std::string compatibility;  ///< what it needs around it
    std::vector<std::string> allowed_tools;
    std::map<std::string, std::string> metadata;

    friend bool operator==(const skill_metadata&, const skill_metadata&) = default;
};

struct skill_document {
    skill_metadata about;
    std::string body;  ///< Markdown, as it stands behind the front matter

    friend bool operator==(const skill_document&, const skill_document&) = default;
};

/// Reads a SKILL.md. Of YAML it takes scalars, lists and maps to a small depth, and neither anchors, aliases nor tags;
/// fields that it does not know are left aside. *Errors*: `skill_file_invalid`, with field or line and what helps.
[[nodiscard]] pulled<skill_document> read_skill_file(std::string_view text);

}  // namespace convene
