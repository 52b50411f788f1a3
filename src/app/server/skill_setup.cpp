// SPDX-License-Identifier: Apache-2.0
// Skill setup: settings into parts, and refusals into words.
#include "app/server/skill_setup.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "app/deployment_secrets.hpp"
#include "runtime/child_process.hpp"

namespace convene {

namespace {

std::filesystem::path folder_of(const configuration& settings, const database_place& place) {
    if (const std::string& given = settings.text("SKILLS_DIR"); !given.empty()) {
        return std::filesystem::absolute(given);
    }
    if (place.is_on_server()) {
        return {};
    }
    std::filesystem::path beside = std::filesystem::absolute(place.file);
    beside += ".skills";
    return beside;
}

std::filesystem::path find_git() {
    const char* const path = std::getenv("PATH");
    return find_program("git", path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
}

failure refusal_of(const sharing_proof& proof, const std::filesystem::path& folder) {
    const std::string marker = (folder / marker_file_name).native();
    if (proof.found == sharing::unmarked) {
        return {
            exit_code::database_problem,
            fmt::format(
                "SKILLS_DIR: {} is not the folder that the other workers of this database have: it "
                "has no marker",
                folder.native()
            ),
            fmt::format(
                "give all workers one shared folder. If this is it, and it was emptied or moved on "
                "purpose, write the line {} into {}",
                proof.marker,
                marker
            )
        };
    }
    return {
        exit_code::database_problem,
        fmt::format(
            "SKILLS_DIR: {} is not the folder that the other workers of this database have: its "
            "marker is another one",
            folder.native()
        ),
        fmt::format(
            "give all workers one shared folder, and each deployment its own. The folder of this "
            "database has the line {} in its {}",
            proof.marker,
            marker_file_name
        )
    };
}

}  // namespace

std::optional<skill_settings> skill_settings_of(
    const configuration& settings, const database_place& place
) {
    skill_settings with;
    with.folder = folder_of(settings, place);
    if (with.folder.empty()) {
        return std::nullopt;
    }
    with.git.program = find_git();
    with.git.certificate_file = settings.text("SKILLS_GIT_CA");
    with.git.local = settings.boolean("SKILLS_LOCAL_REPOSITORIES") ? local_repositories::allowed
                                                                   : local_repositories::refused;
    with.policy = outgoing_policy_of(settings);
    with.clone_timeout = std::chrono::seconds{settings.integer("SKILLS_CLONE_TIMEOUT_SECONDS")};
    with.prune_grace = std::chrono::seconds{settings.integer("SKILLS_PRUNE_GRACE_SECONDS")};
    return with;
}

awaitable<outcome<>> prepare_skills(skill_service* skills) {
    const std::filesystem::path& folder = skills->folder();
    const auto proof = co_await skills->prepare();
    if (!proof && proof.error() == errc::io_failed) {
        co_return failure{
            exit_code::database_problem,
            fmt::format("SKILLS_DIR: nothing can be written in {}", folder.native()),
            "make the folder, and let this user write in it"
        };
    }
    if (!proof) {
        co_return store_failure(proof.error(), "comparing the marker of SKILLS_DIR");
    }
    if (proof->found != sharing::proven) {
        co_return refusal_of(*proof, folder);
    }
    co_return outcome<>{};
}

}  // namespace convene
