// SPDX-License-Identifier: Apache-2.0
// Names that come from outside and end up in the file system: paths inside a repository, references, commits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace convene {

inline constexpr std::size_t max_inner_path_bytes = 512;

/// Whether a path stays inside the folder it is relative to, whatever lies there, and is the same on every file system:
/// parts with `/` between them, none of them empty, `.`, `..` or git's own; UTF-8 without controls and backslashes.
[[nodiscard]] bool is_inner_path(std::string_view path) noexcept;

/// Whether git takes it for a branch, a tag or a commit, and for nothing else.
[[nodiscard]] bool is_reference(std::string_view text) noexcept;

/// A whole commit id, SHA-1 or SHA-256, in lower-case hexadecimal.
[[nodiscard]] bool is_commit(std::string_view text) noexcept;

/// The path that a link at `link` leads to; empty if it leaves the folder that both are in, or is none.
[[nodiscard]] std::string path_of_link(std::string_view link, std::string_view target);

/// A name from outside as a message may hold it: controls and what is not UTF-8 replaced, and cut.
[[nodiscard]] std::string shown_name(std::string_view name);

}  // namespace convene
