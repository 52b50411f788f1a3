// SPDX-License-Identifier: Apache-2.0
// Revisions of skills on the disk: `<root>/<skill>/<commit>/`, whole or not there, and never changed.
#pragma once

#include "convene/error.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "skill/front_matter.hpp"
#include "skill/skill_tree.hpp"
#include "store/skill_values.hpp"

namespace convene {

/// What an agent is shown of a revision.
struct loaded_skill {
    struct file {
        std::string path;
        std::size_t size = 0;

        friend bool operator==(const file&, const file&) = default;
    };

    revision_id revision;
    skill_document document;
    std::vector<file> files;  ///< besides SKILL.md, by path
};

/// The folder of all skills, which several workers may share. A revision appears by a rename, with everything in it on
/// the disk, so whoever finds it needs no lock. All else is done under the lease of its skill: names that begin with
/// `.staging-` are of a pull, or are on their way out.
///
/// *Thread safety*: any; it holds no state. All functions block. *Errors*: `io_failed`.
class skill_folder {
   public:
    explicit skill_folder(std::filesystem::path root) : root_(std::move(root)) {}

    [[nodiscard]] const std::filesystem::path& root() const noexcept { return root_; }

    /// Makes the root, and finds out whether files can be made in it.
    [[nodiscard]] result<> prepare() const;

    [[nodiscard]] bool has(const skill_id& skill, const revision_id& revision) const;

    /// A new folder for a pull; `name` is used once.
    [[nodiscard]] result<std::filesystem::path> make_staging(
        const skill_id& skill, std::string_view name
    ) const;

    /// Removes a folder that `make_staging` made.
    void discard(const std::filesystem::path& staging) const;

    /// Writes the files into the staging folder, has them on the disk, and renames them into place. A revision that is
    /// there already stays as it is.
    [[nodiscard]] result<> publish(
        const std::filesystem::path& staging,
        const skill_id& skill,
        const revision_id& revision,
        const std::vector<revision_file>& files
    ) const;

    /// Removes what pulls of this skill have left. *Requires*: its lease.
    void clear_staging(const skill_id& skill) const;

    /// From now on the revision is young: somebody may have looked it up a moment ago.
    void touch(const skill_id& skill, const revision_id& revision) const;

    /// Removes the revisions that are neither kept nor younger than `grace`; answers how many. *Requires*: its lease.
    std::size_t prune(
        const skill_id& skill, const std::set<revision_id>& kept, std::chrono::seconds grace
    ) const;

    /// Removes all revisions of the skill that are older than `grace`. *Requires*: its lease, and that there is no such
    /// skill any more.
    void remove(const skill_id& skill, std::chrono::seconds grace) const;

    /// The skills that have a folder.
    [[nodiscard]] std::vector<skill_id> skills() const;

    /// *Errors*: `not_found` (no such revision), `corrupt_data` (its SKILL.md does not read).
    [[nodiscard]] result<loaded_skill> load(const skill_id& skill, const revision_id& revision)
        const;

    /// A file of a revision. *Errors*: `not_found`; `payload_too_large`.
    [[nodiscard]] result<std::string> read_file(
        const skill_id& skill,
        const revision_id& revision,
        std::string_view path,
        std::size_t max_bytes
    ) const;

   private:
    [[nodiscard]] std::filesystem::path folder_of(const skill_id& skill) const;
    [[nodiscard]] std::filesystem::path folder_of(
        const skill_id& skill, const revision_id& revision
    ) const;

    const std::filesystem::path root_;
};

}  // namespace convene
