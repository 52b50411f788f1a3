// SPDX-License-Identifier: Apache-2.0
// A pull, step by step: addresses, fetch, look, read, publish.
#include "skill/skill_pull.hpp"

#include "convene/wait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "net/name_lookup.hpp"
#include "skill/secret_seal.hpp"
#include "skill/skill_paths.hpp"
#include "store/operations/secrets.hpp"

namespace convene {

namespace {

pull_failure disk_failed() {
    return {"disk_failed", "the revision could not be written: look at the disk of SKILLS_DIR"};
}

/// Those of the host that may be connected to.
awaitable<pulled<std::vector<std::string>>> find_addresses(
    skill_pull_parts with, repository_address to
) {
    if (to.is_local()) {
        co_return std::vector<std::string>{};
    }
    const std::string host = to.host;
    auto looking = run_on(with.files, [host] { return look_up_host(host); });
    const auto found = co_await std::move(looking);
    if (!found) {
        co_return failure_of_stop(found.error());
    }
    if (found->empty()) {
        co_return pull_failure{"repository_unreachable", "the host of url is not known"};
    }
    std::vector<std::string> allowed;
    for (const looked_up_address& one : *found) {
        if (with.settings->policy.allows(to.host, one.address)) {
            allowed.push_back(one.text);
        }
    }
    if (allowed.empty()) {
        co_return pull_failure{
            "address_refused",
            "url leads to an address that is not public: an operator can allow it with "
            "OUTGOING_ALLOWED"
        };
    }
    co_return allowed;
}

/// The checked files of a commit that was fetched.
awaitable<pulled<std::vector<revision_file>>> read_revision(
    git_repository* from, skill_pull_parts with, revision_id revision, std::string path
) {
    auto listed = co_await from->list(std::move(revision), path, with.settings->limits);
    if (!listed) {
        co_return listed.error();
    }
    auto files = co_await from->read(*std::move(listed), with.settings->limits);
    if (!files) {
        co_return files.error();
    }
    const auto front = std::ranges::find(*files, skill_file_name, &revision_file::path);
    if (front == files->end()) {
        co_return pull_failure{
            "skill_file_missing",
            fmt::format(
                "there is no {} in {}: check path",
                skill_file_name,
                path.empty() ? "the repository's root" : shown_name(path)
            )
        };
    }
    const auto document = read_skill_file(front->content);
    if (!document) {
        co_return document.error();
    }
    co_return *std::move(files);
}

/// A secret by its name is read for each pull: whoever replaces it replaces it for all that name it.
awaitable<result<std::string>> find_password(skill_pull_parts with, skill what) {
    const skill_source& source = what.source;
    if (source.secret.empty()) {
        if (source.password.empty()) {
            co_return std::string{};
        }
        const secret_place place{"skills", what.id.str()};
        co_return with.secrets->open(source.password, place);
    }
    ops::get_secret request{what.organization, source.secret};
    const auto named = co_await with.store->run(std::move(request));
    if (!named) {
        co_return named.error();
    }
    co_return open_secret(*with.secrets, *named);
}

pull_failure failure_of_password(error_code why, const skill_source& source) {
    if (why != errc::corrupt_data && why != errc::not_found) {
        return failure_of_stop(why);
    }
    const char* const detail =
        source.secret.empty()
            ? "the password was sealed under another SECRETS_KEY: set it again"
            : "secret was sealed under another SECRETS_KEY, or is not there: store it again";
    return {"credentials_unreadable", detail};
}

awaitable<pulled<revision_id>> pull_into(
    skill_pull_parts with, skill what, revision_id wanted, std::filesystem::path staging
) {
    const auto address = parse_repository_url(what.source.url, with.settings->git.local, "url");
    if (!address) {
        co_return pull_failure{"address_refused", "url is none that is pulled from here"};
    }
    git_fetch fetching;
    fetching.from = *address;
    fetching.reference = wanted.empty() ? what.source.reference : wanted.str();
    fetching.username = what.source.username;
    auto password = co_await find_password(with, what);
    if (!password) {
        co_return failure_of_password(password.error(), what.source);
    }
    fetching.password = *std::move(password);
    auto addresses = co_await find_addresses(with, *address);
    if (!addresses) {
        co_return addresses.error();
    }
    fetching.addresses = *std::move(addresses);
    git_repository repository{*with.where, with.settings->git, staging / "git"};
    auto revision = co_await repository.fetch(std::move(fetching));
    if (!revision) {
        co_return revision.error();
    }
    if (!wanted.empty() && *revision != wanted) {
        co_return pull_failure{"reference_not_found", "the repository has this commit no more"};
    }
    const skill_folder* const folder = with.folder;
    const skill_id id = what.id;
    const revision_id& found = *revision;
    auto looking = run_on(with.files, [folder, id, found] { return folder->has(id, found); });
    const auto is_there = co_await std::move(looking);
    if (!is_there) {
        co_return failure_of_stop(is_there.error());
    }
    if (*is_there) {
        co_return found;
    }
    auto files = co_await read_revision(&repository, with, found, what.source.path);
    if (!files) {
        co_return files.error();
    }
    auto writing = run_on(with.files, [folder, staging, id, found, all = *std::move(files)] {
        return folder->publish(staging, id, found, all);
    });
    const result<> published = co_await shielded(std::move(writing));
    if (!published) {
        co_return disk_failed();
    }
    co_return found;
}

}  // namespace

awaitable<pulled<revision_id>> pull_revision(
    skill_pull_parts with, skill what, revision_id wanted, std::string unique
) {
    const skill_folder* const folder = with.folder;
    const skill_id id = what.id;
    auto making = run_on(with.files, [folder, id, unique] {
        // What a worker that died has left.
        folder->clear_staging(id);
        return folder->make_staging(id, unique);
    });
    const auto staging = co_await std::move(making);
    if (!staging) {
        const bool is_disk = staging.error() == errc::io_failed;
        co_return is_disk ? disk_failed() : failure_of_stop(staging.error());
    }
    const deadline until{with.where->now() + with.settings->clone_timeout};
    auto pulling = pull_into(with, std::move(what), std::move(wanted), *staging);
    auto revision = co_await with_deadline(until, std::move(pulling));
    const std::filesystem::path& done = *staging;
    auto discarding = run_on(with.files, [folder, done] { folder->discard(done); });
    const result<> discarded = co_await shielded(std::move(discarding));
    static_cast<void>(discarded);  // the next pull removes what is left
    co_return revision;
}

}  // namespace convene
