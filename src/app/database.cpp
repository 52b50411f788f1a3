// SPDX-License-Identifier: Apache-2.0
// Opening the local database.
#include "app/database.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <system_error>

#include "base/config/small_file.hpp"
#include "base/log.hpp"

namespace convene {

namespace {

constexpr std::string_view sqlite_prefix = "sqlite:///";

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
    const error_code code = opened.error();
    failure why = opening_failure(code).value_or(
        store_failure(code, "opening the database (DB_URL)")
    );
    why.text += fmt::format(": {}", file.native());
    const std::string writer = noted_writer(file);
    if (why.ends_with == exit_code::database_in_use && !writer.empty()) {
        why.text += fmt::format(" (process {})", writer);
    }
    return why;
}

}  // namespace

outcome<std::filesystem::path> sqlite_path(std::string_view url) {
    if (!url.starts_with(sqlite_prefix)) {
        return failure{
            exit_code::usage,
            "DB_URL names a PostgreSQL server, which this version does not speak to",
            "use sqlite:///FILE, or sqlite:////FOLDER/FILE for an absolute path"
        };
    }
    const std::string_view path = url.substr(sqlite_prefix.size());
    if (path.starts_with(':') || path.find('?') != std::string_view::npos) {
        return failure{
            exit_code::usage,
            "DB_URL has to name a file, without parameters",
            "use sqlite:///FILE, or sqlite:////FOLDER/FILE for an absolute path"
        };
    }
    return std::filesystem::path{path};
}

outcome<std::unique_ptr<conversation_store>> open_for_reading(
    loop& where, const std::filesystem::path& file
) {
    return open(where, file, sqlite_access::read_only, sqlite_creation::must_exist);
}

outcome<std::unique_ptr<conversation_store>> open_for_writing(
    loop& where, const std::filesystem::path& file, sqlite_creation creation
) {
    return open(where, file, sqlite_access::read_write, creation);
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
