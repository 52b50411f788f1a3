// SPDX-License-Identifier: Apache-2.0
// Git as a child process: one commit of a repository, fetched into a folder, listed and read.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/loop.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/child_process.hpp"
#include "skill/repository_address.hpp"
#include "skill/skill_tree.hpp"
#include "store/skill_values.hpp"

namespace convene {

struct git_settings {
    std::filesystem::path program;  ///< empty: there is none
    std::string certificate_file;   ///< PEM: whom servers are trusted by; empty: as of this machine
    local_repositories local = local_repositories::refused;
    std::size_t max_pack_bytes = 256 * 1024 * 1024;  ///< of all that a server sends
};

struct git_fetch {
    repository_address from;
    std::vector<std::string> addresses;  ///< numeric ones of the host: no other is connected to
    std::string reference;  ///< a branch, a tag, a commit; empty: the repository's HEAD
    std::string username;   ///< empty: no credentials
    std::string password;
};

/// A bare repository in a folder of its own, that git fills. It reads no configuration but ours, runs no hook, filter or
/// submodule, asks nobody and follows no redirect; credentials go to it in its environment, never among its arguments.
///
/// *Thread safety*: loop only. *Cancellation* of all operations: git is killed, with all that it started.
/// *Errors*: `git_missing`, `git_failed`, and those named. A cancelled one fails as `failure_of_stop` says.
class git_repository {
   public:
    /// `folder` does not exist yet; its parent does.
    git_repository(loop& where, git_settings with, std::filesystem::path folder)
        : where_(where), with_(std::move(with)), folder_(std::move(folder)) {}

    /// One commit without its history. *Errors*: those of `failure_of_fetch`.
    [[nodiscard]] awaitable<pulled<revision_id>> fetch(git_fetch what);

    /// The files in a folder of the commit; empty: in all of it. *Errors*: `path_not_found`, those of `read_tree`.
    [[nodiscard]] awaitable<pulled<std::vector<tree_entry>>> list(
        revision_id revision, std::string path, tree_limits limits
    );

    /// Their contents, links followed. *Errors*: those of `read_files`.
    [[nodiscard]] awaitable<pulled<std::vector<revision_file>>> read(
        std::vector<tree_entry> entries, tree_limits limits
    );

   private:
    [[nodiscard]] awaitable<pulled<child_output>> run(
        std::vector<std::string> arguments,
        std::vector<std::string> more_environment,
        std::size_t max_output,
        std::string input = {}
    );

    // fixed after construction
    loop& where_;
    const git_settings with_;
    const std::filesystem::path folder_;
};

}  // namespace convene
