// SPDX-License-Identifier: Apache-2.0
// Opens files so that one that is not ours is left as it was.
#include "store/sqlite/opening.hpp"

#include <fcntl.h>
#include <optional>
#include <string>
#include <unistd.h>

#include "base/log.hpp"
#include "store/sqlite/schema.hpp"

namespace convene::sqlite {

namespace {

const char* remedy_of(const error_code& refusal) {
    if (refusal == errc::schema_too_new) {
        return "the file was written by a newer version of this program: upgrade, or restore an "
               "older copy";
    }
    if (refusal == errc::schema_unknown) {
        return "this is not a database of ours, or others changed its tables; it was not touched: "
               "choose another path";
    }
    if (refusal == errc::not_found) {
        return "there is no such file";
    }
    if (refusal == errc::store_busy) {
        return "another program keeps the database locked: close it and try again";
    }
    return "the file could not be opened: check that it is on a local disk, and its permissions";
}

error_code refused(
    const std::filesystem::path& path, const error_code& why, const std::string& detail
) {
    log(log_level::error,
        "sqlite_open_failed",
        {{"path", path.native()}, {"error", why}, {"detail", detail}, {"message", remedy_of(why)}});
    return why;
}

/// Conversations are nobody else's business: only the owner may read a new file. SQLite gives its side files the
/// same mode.
void create_privately(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor >= 0) {
        ::close(descriptor);
    }
}

void set_up_writer(connection& database) {
    database.run_script(
        "PRAGMA journal_mode = WAL;"
        "PRAGMA synchronous = FULL;"  // acknowledged means on disk
        "PRAGMA journal_size_limit = 67108864;"
        "PRAGMA cache_size = -65536;"  // 64 MiB
        "PRAGMA temp_store = MEMORY;"
        "PRAGMA secure_delete = ON;"  // what was erased is not left in free pages
        "PRAGMA foreign_keys = OFF"   // operations remove what belongs together themselves
    );
}

/// SQLite goes on without a log where it can't have one, which is not what was promised.
void expect_write_ahead_log(connection& database) {
    const std::optional<std::string> mode = database.value_of<std::string>("PRAGMA journal_mode");
    if (mode != "wal") {
        database.fail(errc::io_failed, "the file system allows no write-ahead log");
    }
}

void set_up_reader(connection& database) {
    database.run_script(
        "PRAGMA query_only = ON;"
        "PRAGMA cache_size = -16384;"  // 16 MiB
        "PRAGMA temp_store = MEMORY"
    );
}

void bury_earlier_incarnations(connection& database, const incarnation_id& self) {
    database.run("UPDATE workers SET state = 3 WHERE incarnation <> ?1 AND state <> 3", self);
}

/// Everything that follows the decision that the file may be written.
result<> prepare_for_writing(
    connection& database, layout found, const wall_clock& clock, const incarnation_id& self
) {
    database.forget_failure();
    set_up_writer(database);
    expect_write_ahead_log(database);
    if (database.failure()) {
        return database.failure();
    }
    if (found != layout::current) {
        if (const result<> migrated = migrate(database, clock); !migrated) {
            return migrated;
        }
    }
    if (const result<> settled = settle_event_index(database); !settled) {
        return settled;
    }
    bury_earlier_incarnations(database, self);
    return database.failure() ? result<>{database.failure()} : result<>{};
}

}  // namespace

result<std::unique_ptr<connection>> open_for_writing(
    const sqlite_options& options, const wall_clock& clock, const incarnation_id& self
) {
    const std::filesystem::path& path = options.path;
    if (!std::filesystem::exists(path)) {
        if (options.creation == sqlite_creation::must_exist) {
            return refused(path, errc::not_found, {});
        }
        create_privately(path);
    }
    result<std::unique_ptr<connection>> opened = connection::open(path, open_mode::read_write);
    if (!opened) {
        return refused(path, opened.error(), {});
    }
    connection& database = **opened;
    const result<layout> found = inspect_layout(database);
    if (!found) {
        return refused(path, found.error(), database.failure_text());
    }
    if (const result<> prepared = prepare_for_writing(database, *found, clock, self); !prepared) {
        return refused(path, prepared.error(), database.failure_text());
    }
    return opened;
}

result<std::unique_ptr<connection>> open_for_reading(const std::filesystem::path& path) {
    if (!std::filesystem::exists(path)) {
        return refused(path, errc::not_found, {});
    }
    result<std::unique_ptr<connection>> opened = connection::open(path, open_mode::read_only);
    if (!opened) {
        return refused(path, opened.error(), {});
    }
    connection& database = **opened;
    const result<layout> found = inspect_layout(database);
    if (!found) {
        return refused(path, found.error(), database.failure_text());
    }
    if (*found != layout::current) {
        return refused(
            path,
            errc::schema_unknown,
            "an earlier version wrote it: let this version write it once"
        );
    }
    set_up_reader(database);
    if (database.failure()) {
        return refused(path, database.failure(), database.failure_text());
    }
    return opened;
}

}  // namespace convene::sqlite
