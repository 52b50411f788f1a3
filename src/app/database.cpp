// SPDX-License-Identifier: Apache-2.0
// Opening the local database.
#include "app/database.hpp"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "base/config/small_file.hpp"
#include "base/log.hpp"

namespace convene {

namespace {

constexpr std::string_view sqlite_prefix = "sqlite:///";

/// Silences the log while it lives: the store explains its refusals to operators of servers, and a command
/// explains them in its own words.
class quiet_log {
   public:
    quiet_log() : was_verbose_(is_log_enabled(log_level::info)) {
        if (!was_verbose_) {
            set_log_level(log_level::off);
        }
    }

    ~quiet_log() {
        if (!was_verbose_) {
            set_log_level(log_level::warn);
        }
    }

    quiet_log(const quiet_log&) = delete;
    quiet_log& operator=(const quiet_log&) = delete;

   private:
    const bool was_verbose_;
};

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
    failure why = store_failure(opened.error(), "opening the database (DB_URL)");
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
