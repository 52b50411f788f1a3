// SPDX-License-Identifier: Apache-2.0
// Takes the guard with flock(2); the file holds the holder's process id, for the message to the one who is refused.
#include "store/sqlite/file_guard.hpp"

#include <array>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/log.hpp"

namespace convene::sqlite {

namespace {

/// One lock for one database, by whatever links it is reached.
std::filesystem::path lock_path(const std::filesystem::path& database) {
    std::error_code unresolved;
    std::filesystem::path resolved = std::filesystem::weakly_canonical(database, unresolved);
    if (unresolved) {
        resolved = database;
    }
    resolved += ".lock";
    return resolved;
}

std::string holder_of(int descriptor) {
    std::array<char, 32> text{};
    const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
    std::string holder(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    holder.erase(std::min(holder.find('\n'), holder.size()));
    return holder;
}

/// Only words for people: a file that can't be written still guards.
void write_holder(int descriptor) {
    const std::string holder = std::to_string(::getpid()) + '\n';
    const bool is_written = ::ftruncate(descriptor, 0) == 0 &&
                            ::pwrite(descriptor, holder.data(), holder.size(), 0) ==
                                static_cast<ssize_t>(holder.size());
    if (!is_written) {
        log(log_level::info, "lock_file_without_holder");
    }
}

}  // namespace

result<file_guard> file_guard::take(const std::filesystem::path& database) {
    const std::filesystem::path path = lock_path(database);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        const error_code failure{errno, boost::system::system_category()};
        log(log_level::error, "lock_file_failed", {{"path", path.native()}, {"error", failure}});
        return errc::io_failed;
    }
    file_guard taken{descriptor};
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
        write_holder(descriptor);
        return taken;
    }
    if (errno != EWOULDBLOCK) {
        const error_code failure{errno, boost::system::system_category()};
        log(log_level::error, "lock_file_failed", {{"path", path.native()}, {"error", failure}});
        return errc::io_failed;
    }
    log(log_level::error,
        "store_in_use",
        {{"path", database.native()},
         {"held_by_process", holder_of(descriptor)},
         {"message",
          "another process writes this SQLite file, and only one may: stop it, run a single worker,"
          " open the"
          " file read-only, or move to PostgreSQL for several workers"}});
    return errc::store_in_use;
}

file_guard::file_guard(file_guard&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

file_guard::~file_guard() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

}  // namespace convene::sqlite
