// SPDX-License-Identifier: Apache-2.0
// Gathering facts with system calls and reads.
#include "app/doctor/gathering.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

#include "app/database.hpp"
#include "app/room_listing.hpp"

namespace convene {

namespace {

using writer_state = database_facts::writer_state;

/// Bytes 18 and 19 of a SQLite file say how it is written: 2 means with a write-ahead log.
bool has_write_ahead_log(const std::filesystem::path& database) {
    constexpr off_t version_offset = 18;
    const int descriptor = ::open(database.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    std::array<char, 2> versions{};
    const ssize_t count = ::pread(descriptor, versions.data(), versions.size(), version_offset);
    ::close(descriptor);
    return count == 2 && versions[0] == 2 && versions[1] == 2;
}

database_facts::file_facts look_at_file(const std::filesystem::path& database) {
    database_facts::file_facts facts;
    struct stat about{};
    facts.exists = ::stat(database.c_str(), &about) == 0;
    facts.is_regular = facts.exists && S_ISREG(about.st_mode);
    facts.is_readable = ::access(database.c_str(), R_OK) == 0;
    facts.is_writable = ::access(database.c_str(), W_OK) == 0;
    facts.size = about.st_size;
    facts.has_write_ahead_log = facts.is_readable && has_write_ahead_log(database);

    const std::filesystem::path folder = std::filesystem::absolute(database).parent_path();
    struct statvfs disk{};
    if (::statvfs(folder.c_str(), &disk) == 0) {
        facts.free_bytes = static_cast<std::int64_t>(disk.f_bavail) *
                           static_cast<std::int64_t>(disk.f_frsize);
    }
    return facts;
}

/// A writer holds its lock exclusively; a shared one is asked for and given back at once. (A program that
/// starts to write in this very instant is refused, and succeeds the next time.)
writer_state look_for_writer(const std::filesystem::path& database) {
    const int descriptor = ::open(lock_file_of(database).c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return errno == ENOENT ? writer_state::none : writer_state::unknown;
    }
    const bool is_free = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
    const bool is_held = !is_free && errno == EWOULDBLOCK;
    ::close(descriptor);
    if (is_free) {
        return writer_state::none;
    }
    return is_held ? writer_state::running : writer_state::unknown;
}

/// The first event of a room that has not been delivered.
awaitable<result<std::optional<wall_time>>> first_pending_of(
    conversation_store* store, room behind
) {
    ops::load_lane request;
    request.room = behind.id;
    request.from = behind.delivered_index.next();
    request.limit = 1;
    const auto head = co_await store->run(std::move(request));
    if (!head) {
        co_return head.error();
    }
    if (head->empty()) {
        co_return std::optional<wall_time>{};
    }
    co_return std::optional{head->front().event.created_at};
}

}  // namespace

database_facts look_at_files(const std::filesystem::path& database) {
    database_facts facts;
    facts.file = database;
    facts.about_file = look_at_file(database);
    facts.writer = look_for_writer(database);
    facts.noted_writer = noted_writer(database);
    facts.now = system_wall_clock().now();
    return facts;
}

awaitable<result<std::optional<wall_time>>> find_oldest_pending(conversation_store* store) {
    std::optional<wall_time> oldest;
    room_listing listing{store};
    for (;;) {
        const auto page = co_await listing.next_page();
        if (!page) {
            co_return page.error();
        }
        if (page->empty()) {
            co_return oldest;
        }
        for (const room& one : *page) {
            if (one.delivered_index >= one.latest_index) {
                continue;
            }
            const auto first = co_await first_pending_of(store, one);
            if (!first) {
                co_return first.error();
            }
            if (*first && (!oldest || **first < *oldest)) {
                oldest = *first;
            }
        }
    }
}

}  // namespace convene
