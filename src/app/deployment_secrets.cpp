// SPDX-License-Identifier: Apache-2.0
// The deployment's key: given, read, or made.
#include "app/deployment_secrets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

#include "base/config/small_file.hpp"

namespace convene {

namespace {

constexpr std::size_t longest_key_file = 256;

failure key_file_failure(const std::filesystem::path& file, std::string_view what) {
    return {
        exit_code::database_problem,
        fmt::format("the key of secrets in the database {}: {}", what, file.native()),
        "set SECRETS_KEY, or bring back the file that was made beside the database"
    };
}

/// On disk, for its owner alone, whole or not at all.
bool write_key_file(const std::filesystem::path& file, std::string_view text) {
    std::filesystem::path unfinished = file;
    unfinished += ".new";
    const int descriptor = ::open(
        unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR
    );
    if (descriptor < 0) {
        return false;
    }
    const bool is_written = ::write(descriptor, text.data(), text.size()) ==
                            static_cast<ssize_t>(text.size());
    const bool is_synced = is_written && ::fsync(descriptor) == 0;
    const bool is_closed = ::close(descriptor) == 0;
    return is_synced && is_closed && ::rename(unfinished.c_str(), file.c_str()) == 0;
}

}  // namespace

outcome<deployment_key> load_deployment_key(
    const configuration& settings, const database_place& place, random_source& random
) {
    if (const std::string& given = settings.text("SECRETS_KEY"); !given.empty()) {
        // The table of settings has let nothing else through.
        return parse_deployment_key(given).value_or(deployment_key{});
    }
    if (place.is_on_server()) {
        return failure{
            exit_code::usage,
            "SECRETS_KEY is needed with PostgreSQL: all workers seal secrets under the same key",
            "make one with `openssl rand -base64 32`, keep it, and give it to every worker "
            "(SECRETS_KEY_FILE)"
        };
    }
    std::filesystem::path file = place.file;
    file += ".key";
    const result<std::string> stored = read_small_file(file, longest_key_file);
    if (!stored && stored.error() != errc::not_found) {
        return key_file_failure(file, "can't be read");
    }
    if (stored) {
        const std::optional<deployment_key> key = parse_deployment_key(
            std::string_view{*stored}.substr(0, stored->find('\n'))
        );
        if (!key) {
            return key_file_failure(file, "is not in its file");
        }
        return *key;
    }
    const deployment_key made = make_deployment_key(random);
    if (!write_key_file(file, text_of(made) + '\n')) {
        return key_file_failure(file, "can't be written");
    }
    return made;
}

address_policy outgoing_policy_of(const configuration& settings) {
    address_policy policy;
    std::string_view rest = settings.text("OUTGOING_ALLOWED");
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view one = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const result<> is_range = one.empty() ? result<>{} : policy.allow_range(one);
        if (!is_range) {
            policy.allow_host(one);
        }
    }
    return policy;
}

}  // namespace convene
