// SPDX-License-Identifier: Apache-2.0
// The files of a commit, as git lists them, and which of them become files of a revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skill/skill_error.hpp"

namespace convene {

/// What a skill may have. Beyond: the pull fails, before anything of it is written.
struct tree_limits {
    std::size_t files = 2'000;
    std::size_t file_bytes = 8 * 1024 * 1024;
    std::size_t all_bytes = 32 * 1024 * 1024;
};

struct tree_entry {
    enum class kind : std::uint8_t { file, program, link };

    kind what = kind::file;
    std::string object;  ///< of its content
    std::size_t size = 0;
    std::string path;
};

/// What `git ls-tree -r -l -z` said of a folder of a repository. *Errors* name the file: `submodule`, `bad_file_name`,
/// `file_too_large`, `too_large`, `too_many_files`, `git_failed` (it is none of its answers).
[[nodiscard]] pulled<std::vector<tree_entry>> read_tree(
    std::string_view listing, const tree_limits& limits
);

/// What `git cat-file --batch` is asked for, so that it answers the contents in the order of the entries.
[[nodiscard]] std::string blobs_wanted(const std::vector<tree_entry>& entries);

/// A file of a revision.
struct revision_file {
    std::string path;
    std::string content;
    bool is_program = false;
};

/// The files with their contents. A link becomes a copy of the file that it leads to, so that what lies on the disk has
/// none. *Errors*: `link_leaves_skill`, `link_to_no_file`, `too_large`, `git_failed`.
[[nodiscard]] pulled<std::vector<revision_file>> read_files(
    const std::vector<tree_entry>& entries, std::string_view blobs, const tree_limits& limits
);

}  // namespace convene
