// SPDX-License-Identifier: Apache-2.0
// Opening the database.
#include "app/database.hpp"

#include "convene/postgres_store.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <system_error>

#include "base/config/small_file.hpp"
#include "base/log.hpp"

namespace convene {

namespace {

/// The least important level that is logged.
log_level current_log_level() {
    for (const log_level level :
         {log_level::trace, log_level::debug, log_level::info, log_level::warn, log_level::error}) {
        if (is_log_enabled(level)) {
            return level;
        }
    }
    return log_level::off;
}

/// Silences the log while it lives, unless it is verbose: the store explains its refusals to
/// operators of servers, and a command explains them in its own words.
class quiet_log {
   public:
    quiet_log() : former_(current_log_level()) {
        if (former_ >= log_level::info) {
            set_log_level(log_level::off);
        }
    }

    ~quiet_log() { set_log_level(former_); }

    quiet_log(const quiet_log&) = delete;
    quiet_log& operator=(const quiet_log&) = delete;

   private:
    const log_level former_;
};

/// Why a database can't be opened, beyond what can happen to any operation.
std::optional<failure> opening_failure(error_code code) {
    if (code == errc::store_in_use) {
        return failure{
            exit_code::database_in_use,
            "another process writes this database (DB_URL), and only one may",
            "wait for it or stop it; tail, rooms, export and doctor work beside it"
        };
    }
    if (code == errc::not_found) {
        return failure{
            exit_code::database_problem,
            "the database (DB_URL) does not exist",
            "name another one with --db, or make one: convene import, convene send --create"
        };
    }
    if (code == errc::schema_too_new) {
        return failure{
            exit_code::database_problem,
            "the database (DB_URL) was written by a newer version of this program",
            "use that version, or restore a copy from before the upgrade"
        };
    }
    if (code == errc::schema_unknown) {
        return failure{
            exit_code::database_problem,
            "the file that DB_URL names is no database of this program; it was not touched",
            "name another file with --db"
        };
    }
    return std::nullopt;
}

/// What `open` of a store refused with, and where.
failure refused_opening(error_code code, const database_place& place) {
    failure why = opening_failure(code).value_or(
        store_failure(code, "opening the database (DB_URL)")
    );
    why.text += fmt::format(": {}", place.shown());
    return why;
}

outcome<std::unique_ptr<conversation_store>> open(
    const postgres_options& options, const database_place& place
) {
    const quiet_log quietly;
    auto opened = open_postgres_store(options);
    if (opened) {
        return std::move(*opened);
    }
    if (opened.error() == errc::unavailable) {
        return failure{
            exit_code::database_problem,
            fmt::format("the database (DB_URL) can't be reached: {}", place.shown()),
            "check address, user and password, and that the server runs; --log-level debug shows "
            "what it says"
        };
    }
    if (opened.error() == errc::not_found) {
        return failure{
            exit_code::database_problem,
            fmt::format(
                "the database (DB_URL) holds no rooms yet, or an older layout: {}", place.shown()
            ),
            "start convene serve on it, which makes the tables"
        };
    }
    return refused_opening(opened.error(), place);
}

outcome<std::unique_ptr<conversation_store>> open(
    loop& where, const std::filesystem::path& file, sqlite_access access, sqlite_creation creation
) {
    sqlite_options options;
    options.path = file;
    options.access = access;
    options.creation = creation;
    const quiet_log quietly;
    auto opened = open_sqlite_store(where, system_wall_clock(), options, incarnation_id{});
    if (opened) {
        return std::move(*opened);
    }
    failure why = refused_opening(opened.error(), {file, {}});
    const std::string writer = noted_writer(file);
    if (why.ends_with == exit_code::database_in_use && !writer.empty()) {
        why.text += fmt::format(" (process {})", writer);
    }
    return why;
}

}  // namespace

outcome<std::unique_ptr<conversation_store>> open_for_reading(
    loop& where, const database_place& place
) {
    if (place.is_on_server()) {
        postgres_options options;
        options.address = place.address;
        options.layout = postgres_layout::must_exist;
        options.sessions = 2;
        return open(options, place);
    }
    return open(where, place.file, sqlite_access::read_only, sqlite_creation::must_exist);
}

outcome<std::unique_ptr<conversation_store>> open_for_writing(
    loop& where, const database_place& place, sqlite_creation creation, const incarnation_id& worker
) {
    if (place.is_on_server()) {
        postgres_options options;
        options.address = place.address;
        options.incarnation = worker;
        options.where = &where;
        return open(options, place);
    }
    return open(where, place.file, sqlite_access::read_write, creation);
}

std::filesystem::path lock_file_of(const std::filesystem::path& file) {
    std::error_code unresolved;
    std::filesystem::path resolved = std::filesystem::weakly_canonical(file, unresolved);
    if (unresolved) {
        resolved = file;
    }
    resolved += ".lock";
    return resolved;
}

std::string noted_writer(const std::filesystem::path& file) {
    constexpr std::size_t longest_note = 64;
    const result<std::string> note = read_small_file(lock_file_of(file), longest_note);
    return note ? note->substr(0, note->find('\n')) : std::string{};
}

}  // namespace convene
