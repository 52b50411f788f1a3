// SPDX-License-Identifier: Apache-2.0
// Proof of sharing: the marker appears whole, once, and is never changed.
#include "skill/shared_folder.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "base/config/small_file.hpp"
#include "base/hash.hpp"
#include "store/operations/skills.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_marker_bytes = 200;

/// Empty: there is none.
result<std::string> read_marker(const fs::path& folder) {
    result<std::string> text = read_small_file(folder / marker_file_name, max_marker_bytes);
    if (!text) {
        return text.error() == errc::not_found ? result<std::string>{std::string{}}
                                               : result<std::string>{errc::io_failed};
    }
    while (text->ends_with('\n') || text->ends_with('\r')) {
        text->pop_back();
    }
    return text;
}

/// Written under a name of its own and linked: of several workers one makes it, and nobody sees half of it.
result<> write_marker(const fs::path& folder, const std::string& marker) {
    const fs::path draft = folder / (std::string{marker_file_name} + '-' + marker);
    const std::string line = marker + '\n';
    const int out = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (out < 0) {
        return errc::io_failed;
    }
    const bool is_written = ::write(out, line.data(), line.size()) ==
                                static_cast<ssize_t>(line.size()) &&
                            ::fsync(out) == 0;
    ::close(out);
    const bool is_there = is_written &&
                          (::link(draft.c_str(), (folder / marker_file_name).c_str()) == 0 ||
                           errno == EEXIST);
    ::unlink(draft.c_str());
    return is_there ? result<>{} : result<>{errc::io_failed};
}

result<std::string> make_marker(const fs::path& folder, const std::string& fresh) {
    result<std::string> known = read_marker(folder);
    if (!known || !known->empty()) {
        return known;
    }
    const result<> written = write_marker(folder, fresh);
    if (!written) {
        return written.error();
    }
    return read_marker(folder);
}

std::string fresh_marker(random_source& random) {
    std::array<std::uint8_t, 16> bytes{};
    random.fill(bytes);
    return to_hex(bytes);
}

}  // namespace

awaitable<result<sharing_proof>> prove_shared(
    conversation_store* store,
    blocking_pool* files,
    random_source* random,
    std::string name,
    std::filesystem::path folder
) {
    ops::agree_on_marker looking{name, {}};
    const auto agreed = co_await store->run(std::move(looking));
    if (!agreed) {
        co_return agreed.error();
    }
    if (!agreed->empty()) {
        auto reading = run_on(files, [folder] { return read_marker(folder); });
        const auto found = co_await std::move(reading);
        if (!found) {
            co_return found.error();
        }
        sharing_proof proof{sharing::proven, *agreed};
        if (*found != *agreed) {
            proof.found = found->empty() ? sharing::unmarked : sharing::of_others;
        }
        co_return proof;
    }
    // The file first: a worker that dies in between leaves what the next one goes on with.
    const std::string fresh = fresh_marker(*random);
    auto making = run_on(files, [folder, fresh] { return make_marker(folder, fresh); });
    const auto marked = co_await std::move(making);
    if (!marked) {
        co_return marked.error();
    }
    ops::agree_on_marker proposing{std::move(name), *marked};
    const auto settled = co_await store->run(std::move(proposing));
    if (!settled) {
        co_return settled.error();
    }
    co_return sharing_proof{*settled == *marked ? sharing::proven : sharing::of_others, *settled};
}

}  // namespace convene
