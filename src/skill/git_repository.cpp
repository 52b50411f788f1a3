// SPDX-License-Identifier: Apache-2.0
// Git as a child: its arguments, its environment, its answers.
#include "skill/git_repository.hpp"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <utility>

#include "base/base64.hpp"
#include "skill/git_failure.hpp"
#include "skill/skill_paths.hpp"

namespace convene {

namespace {

constexpr std::string_view pulled_reference = "refs/convene/pulled";
constexpr std::size_t max_listing_bytes = 4 * 1024 * 1024;
constexpr std::size_t max_memory_bytes = std::size_t{2} * 1024 * 1024 * 1024;

/// `key=value` settings as git takes them from its environment.
class git_configuration {
   public:
    void set(std::string key, std::string value) {
        lines_.push_back(fmt::format("GIT_CONFIG_KEY_{}={}", count_, key));
        lines_.push_back(fmt::format("GIT_CONFIG_VALUE_{}={}", count_, value));
        ++count_;
    }

    [[nodiscard]] std::vector<std::string> take() {
        lines_.push_back(fmt::format("GIT_CONFIG_COUNT={}", count_));
        return std::move(lines_);
    }

   private:
    std::vector<std::string> lines_;
    int count_ = 0;
};

/// Nothing of the machine's, the user's or the server's choosing is run or read.
void set_what_never_changes(git_configuration& config) {
    config.set("core.hooksPath", "/dev/null");
    config.set("core.attributesFile", "/dev/null");
    config.set("core.fsmonitor", "false");
    config.set("core.askPass", "");
    config.set("credential.helper", "");
    config.set("safe.directory", "*");
    config.set("submodule.recurse", "false");
    config.set("fetch.recurseSubmodules", "false");
    config.set("gc.auto", "0");
    config.set("maintenance.auto", "false");
    // One file that its limit bounds, however many objects come.
    config.set("fetch.unpackLimit", "1");
    config.set("core.bigFileThreshold", "8m");
    config.set("pack.threads", "1");
    config.set("http.followRedirects", "false");
    config.set("http.proxy", "");
    config.set("http.lowSpeedLimit", "1");
    config.set("http.lowSpeedTime", "30");
}

std::string basic_credentials(const git_fetch& what) {
    const std::string both = what.username + ':' + what.password;
    const std::span bytes{reinterpret_cast<const std::uint8_t*>(both.data()), both.size()};
    return "Authorization: Basic " + to_base64(bytes, base64_form::padded);
}

/// Only to where the policy was asked about, whatever the name leads to meanwhile.
std::string pinned_addresses(const git_fetch& what) {
    std::string pinned = what.from.host + ':' + what.from.port + ':';
    for (const std::string& address : what.addresses) {
        pinned += pinned.ends_with(':') ? "" : ",";
        pinned += address.find(':') == std::string::npos ? address : '[' + address + ']';
    }
    return pinned;
}

std::vector<std::string> environment_of(const git_settings& with, const git_fetch& what) {
    git_configuration config;
    set_what_never_changes(config);
    if (!with.certificate_file.empty()) {
        config.set("http.sslCAInfo", with.certificate_file);
    }
    if (!what.addresses.empty()) {
        config.set("http.curloptResolve", pinned_addresses(what));
    }
    if (!what.username.empty()) {
        config.set("http.extraHeader", basic_credentials(what));
    }
    return config.take();
}

std::vector<std::string> plain_environment() {
    git_configuration config;
    set_what_never_changes(config);
    return config.take();
}

std::string_view without_line_end(std::string_view text) { return text.substr(0, text.find('\n')); }

pull_failure failure_of_child(error_code reason) {
    if (reason == errc::payload_too_large) {
        return {"too_large", "the repository has too much in it"};
    }
    if (reason == errc::not_found) {
        return {"git_missing", "git can't be started here: install it"};
    }
    if (reason == errc::io_failed) {
        return {"git_failed", "git could not be run"};
    }
    return failure_of_stop(reason);
}

}  // namespace

awaitable<pulled<child_output>> git_repository::run(
    std::vector<std::string> arguments,
    std::vector<std::string> more_environment,
    std::size_t max_output,
    std::string input
) {
    if (with_.program.empty()) {
        co_return failure_of_child(errc::not_found);
    }
    child_command command;
    command.program = with_.program;
    command.arguments = {"--git-dir=" + folder_.native()};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = std::move(more_environment);
    const bool is_local = with_.local == local_repositories::allowed;
    for (const std::string_view one : {
             std::string_view{"PATH=/usr/local/bin:/usr/bin:/bin"},
             std::string_view{"HOME=/nonexistent"},
             std::string_view{"LC_ALL=C"},
             std::string_view{"GIT_CONFIG_NOSYSTEM=1"},
             std::string_view{"GIT_CONFIG_GLOBAL=/dev/null"},
             std::string_view{"GIT_ATTR_NOSYSTEM=1"},
             std::string_view{"GIT_TERMINAL_PROMPT=0"},
             std::string_view{"GIT_NO_REPLACE_OBJECTS=1"},
             std::string_view{"GIT_LFS_SKIP_SMUDGE=1"},
             is_local ? std::string_view{"GIT_ALLOW_PROTOCOL=https:file"}
                      : std::string_view{"GIT_ALLOW_PROTOCOL=https"},
         }) {
        command.environment.emplace_back(one);
    }
    command.folder = folder_.parent_path();
    command.max_file_bytes = with_.max_pack_bytes;
    command.max_memory_bytes = max_memory_bytes;
    child_output_limits limits;
    limits.output_bytes = max_output;
    auto said = co_await run_child(&where_, std::move(command), std::move(input), limits);
    if (!said) {
        co_return failure_of_child(said.error());
    }
    co_return *std::move(said);
}

awaitable<pulled<revision_id>> git_repository::fetch(git_fetch what) {
    std::vector<std::string> making{"init", "--quiet", "--bare", "--template="};
    const auto made = co_await run(std::move(making), plain_environment(), max_listing_bytes);
    if (!made) {
        co_return made.error();
    }
    const std::string reference = what.reference.empty() ? "HEAD" : what.reference;
    std::vector<std::string> fetching{
        "fetch",
        "--quiet",
        "--depth=1",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-write-fetch-head",
        "--",
        what.from.url,
        fmt::format("+{}:{}", reference, pulled_reference),
    };
    const auto fetched = co_await run(
        std::move(fetching), environment_of(with_, what), max_listing_bytes
    );
    if (!fetched) {
        co_return fetched.error();
    }
    if (!fetched->end.is_success()) {
        co_return failure_of_fetch(fetched->errors);
    }
    std::vector<std::string> naming{
        "rev-parse", "--verify", "--end-of-options", fmt::format("{}^{{commit}}", pulled_reference)
    };
    const auto named = co_await run(std::move(naming), plain_environment(), max_listing_bytes);
    if (!named) {
        co_return named.error();
    }
    const std::string_view commit = without_line_end(named->output);
    if (!named->end.is_success() || !is_commit(commit)) {
        co_return pull_failure{
            "reference_not_found", "the reference is no commit: name a branch or a tag"
        };
    }
    co_return revision_id{std::string{commit}};
}

awaitable<pulled<std::vector<tree_entry>>> git_repository::list(
    revision_id revision, std::string path, tree_limits limits
) {
    std::vector<std::string> listing{
        "ls-tree", "-r", "-l", "-z", "--full-tree", fmt::format("{}:{}", revision.str(), path)
    };
    const auto listed = co_await run(std::move(listing), plain_environment(), max_listing_bytes);
    if (!listed) {
        const bool is_long = listed.error().word == "too_large";
        co_return is_long ? pull_failure{"too_many_files", "a skill can't have that many files"}
                          : listed.error();
    }
    if (!listed->end.is_success()) {
        co_return pull_failure{
            "path_not_found",
            fmt::format("the repository has no folder {}: check path", shown_name(path))
        };
    }
    co_return read_tree(listed->output, limits);
}

awaitable<pulled<std::vector<revision_file>>> git_repository::read(
    std::vector<tree_entry> entries, tree_limits limits
) {
    // What stands around each content.
    constexpr std::size_t frame_bytes = 128;
    const std::size_t most = limits.all_bytes + entries.size() * frame_bytes;
    std::vector<std::string> reading{"cat-file", "--batch"};
    const auto answered = co_await run(
        std::move(reading), plain_environment(), most, blobs_wanted(entries)
    );
    if (!answered) {
        co_return answered.error();
    }
    if (!answered->end.is_success()) {
        co_return pull_failure{"git_failed", "the repository is damaged: fetch it by hand"};
    }
    co_return read_files(entries, answered->output, limits);
}

}  // namespace convene
