// SPDX-License-Identifier: Apache-2.0
// Opening a SQLite file: who may, what is refused and left alone, and what the one writer does
// first.
#include "convene/loop.hpp"
#include "convene/sqlite_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>

#include "base/log.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/schema.hpp"
#include "store/store.hpp"
#include "support/manual_wall_clock.hpp"
#include "support/store_fixtures.hpp"
#include "support/temporary_folder.hpp"

namespace convene {

namespace {

using sqlite::connection;
using sqlite::open_mode;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class SqliteOpening : public testing::Test {
   protected:
    ~SqliteOpening() override { set_log_sink({}); }

    using opened = result<std::unique_ptr<conversation_store>>;

    [[nodiscard]] opened open(
        sqlite_access access = sqlite_access::read_write, incarnation_id self = incarnation_id{}
    ) {
        return open_sqlite_store(loop_, clock_, {.path = path(), .access = access}, self);
    }

    template <class Op>
    [[nodiscard]] result<typename Op::answer> run(conversation_store& store, Op request) {
        return loop_.run_until_done(store.run(std::move(request)));
    }

    void close(opened& store) { loop_.run_until_done((*store)->close()); }

    /// A file with one room in it, closed.
    void make_file() {
        opened store = open();
        run(**store, ops::create_room{make_room("r"), {}, {}}).value();
        close(store);
    }

    /// Changes the file behind the store's back.
    void change(const std::string& statements) {
        const auto database = connection::open(path(), open_mode::create).value();
        database->run_script(statements);
        ASSERT_FALSE(database->failure()) << database->failure_text();
    }

    [[nodiscard]] std::string bytes() const {
        std::ifstream file{path(), std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    /// Collects the log from now on.
    void listen() {
        set_log_sink([this](log_level, std::string_view line) {
            logged_ += std::string{line} + '\n';
        });
    }

    [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "rooms.db"; }

    temporary_folder folder_;
    loop loop_;
    manual_wall_clock clock_;
    std::string logged_;
};

// A file that is not there is created; what is written to it is there when it is opened again.
// Proves: S2, S5
TEST_F(SqliteOpening, KeepsWhatWasStored) {
    make_file();
    opened store = open();
    EXPECT_TRUE(run(**store, ops::get_room{acme(), room_id{"r"}}));
    close(store);
}

// A new file belongs to its owner alone: nobody else on the machine reads conversations.
// Proves: S5
TEST_F(SqliteOpening, CreatesThePrivateFile) {
    make_file();
    const auto mode = std::filesystem::status(path()).permissions();
    EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

// A file that must exist and does not is not created.
// Proves: S5
TEST_F(SqliteOpening, DoesNotCreateWhatMustExist) {
    listen();
    const opened store = open_sqlite_store(
        loop_, clock_, {.path = path(), .creation = sqlite_creation::must_exist}, incarnation_id{}
    );
    EXPECT_EQ(store.error(), errc::not_found);
    EXPECT_FALSE(std::filesystem::exists(path()));
    EXPECT_EQ(open(sqlite_access::read_only).error(), errc::not_found);
}

// While one process writes the file, a second writer is refused with the file and the remedy in
// the log, also through a link; when the first has closed it, the next may write.
// Proves: S5
TEST_F(SqliteOpening, RefusesASecondWriter) {
    opened first = open();
    ASSERT_TRUE(first);
    listen();
    EXPECT_EQ(open().error(), errc::store_in_use);
    EXPECT_THAT(logged_, HasSubstr(path().native()));
    EXPECT_THAT(logged_, HasSubstr("single worker"));

    const std::filesystem::path link = folder_.path() / "link.db";
    std::filesystem::create_symlink(path(), link);
    EXPECT_EQ(
        open_sqlite_store(loop_, clock_, {.path = link}, incarnation_id{}).error(),
        errc::store_in_use
    );

    close(first);
    opened second = open();
    ASSERT_TRUE(second);
    close(second);
}

// A reader opens the file beside its writer, sees what the writer stores, and can't write itself.
// Proves: S5
TEST_F(SqliteOpening, LetsReadersInBesideTheWriter) {
    opened writer = open();
    opened reader = open(sqlite_access::read_only);
    ASSERT_TRUE(reader);
    EXPECT_EQ(run(**reader, ops::get_room{acme(), room_id{"r"}}).error(), errc::not_found);
    run(**writer, ops::create_room{make_room("r"), {}, {}}).value();
    EXPECT_TRUE(run(**reader, ops::get_room{acme(), room_id{"r"}}));
    EXPECT_EQ(run(**reader, ops::create_room{make_room("s"), {}, {}}).error(), errc::unavailable);
    close(reader);
    close(writer);
}

// A database of another program is refused and not one byte of it changes, and no side file
// appears.
// Proves: S2, S5
TEST_F(SqliteOpening, LeavesForeignDatabasesAlone) {
    change("CREATE TABLE schema_migrations (version TEXT); CREATE TABLE customers (name TEXT)");
    const std::string before = bytes();
    listen();
    EXPECT_EQ(open().error(), errc::schema_unknown);
    EXPECT_EQ(open(sqlite_access::read_only).error(), errc::schema_unknown);
    EXPECT_EQ(bytes(), before);
    EXPECT_FALSE(std::filesystem::exists(path().native() + "-wal"));
    EXPECT_THAT(logged_, HasSubstr("not touched"));
}

// A file that is no database at all is refused and left as it is.
// Proves: S2
TEST_F(SqliteOpening, LeavesOtherFilesAlone) {
    const std::string text(5000, 'x');
    std::ofstream{path()} << text;
    listen();
    EXPECT_EQ(open().error(), errc::schema_unknown);
    EXPECT_EQ(bytes(), text);
}

// A file that a newer version has written is refused by the version's own code.
// Proves: S2
TEST_F(SqliteOpening, RefusesANewerLayout) {
    make_file();
    change("INSERT INTO schema_migrations VALUES (1000, '1000_future.sql', 'sum', 0)");
    listen();
    EXPECT_EQ(open().error(), errc::schema_too_new);
    EXPECT_EQ(open(sqlite_access::read_only).error(), errc::schema_too_new);
    EXPECT_THAT(logged_, HasSubstr("newer version"));
}

// A file whose layout was made by other statements than ours is not of a known layout.
// Proves: S2
TEST_F(SqliteOpening, RefusesAChangedMigration) {
    make_file();
    change("UPDATE schema_migrations SET checksum = 'another'");
    listen();
    EXPECT_EQ(open().error(), errc::schema_unknown);
}

// Each step of the layout is on record with its name, checksum and time.
// Proves: S2
TEST_F(SqliteOpening, RecordsMigrations) {
    make_file();
    const auto database = connection::open(path(), open_mode::read_only).value();
    sqlite::query steps = database->select(
        "SELECT name, checksum, applied_at FROM schema_migrations ORDER BY version"
    );
    ASSERT_TRUE(steps.next());
    std::string name;
    std::string checksum;
    wall_time applied_at;
    steps.read(name, checksum, applied_at);
    EXPECT_EQ(name, "0001_initial.sql");
    EXPECT_THAT(checksum, SizeIs(64));
    EXPECT_EQ(applied_at, clock_.now());
}

// A file of the first layout becomes the current one and keeps what it has.
// Proves: S2
TEST_F(SqliteOpening, TakesTheMissingSteps) {
    const sql::migration& first_step = sqlite::known_migrations().front();
    change(
        std::string{first_step.sql} +
        "PRAGMA application_id = 1131312750;"
        "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum"
        " TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;"
        "INSERT INTO schema_migrations VALUES (1, 'first', '" +
        sql::checksum_of(first_step) +
        "', 0);"
        "INSERT INTO subscriptions VALUES ('kept', 7)"
    );
    opened store = open();
    ops::create_organization first;
    first.organization.id = organization_id{"acme"};
    EXPECT_TRUE(run(**store, first));
    EXPECT_EQ(run(**store, ops::get_subscription{"kept"}).value(), 7);
    close(store);
}

// Opening a file that is up to date, as no new worker, writes nothing to it.
// Proves: S2
TEST_F(SqliteOpening, WritesNothingWhenThereIsNothingToDo) {
    make_file();
    const std::string before = bytes();
    opened store = open();
    close(store);
    EXPECT_EQ(bytes(), before);
}

// The holder of the file is alone: all earlier incarnations are dead at once, its own is not.
// Proves: S5, L10, D7
TEST_F(SqliteOpening, BuriesEarlierIncarnations) {
    opened first = open(sqlite_access::read_write, worker_one());
    run(**first, ops::register_worker{{worker_one(), ops::worker_state::live, {}, {}}}).value();
    run(**first, ops::register_worker{{worker_two(), ops::worker_state::draining, {}, {}}}).value();
    close(first);

    opened second = open(sqlite_access::read_write, worker_one());
    const auto workers = run(**second, ops::list_workers{}).value();
    ASSERT_THAT(workers, SizeIs(2));
    EXPECT_EQ(workers[0].state, ops::worker_state::live);
    EXPECT_EQ(workers[1].state, ops::worker_state::dead);
    close(second);
}

// A store with locks of this process needs no warning: the guard keeps other writers away.
// Proves: L12
TEST_F(SqliteOpening, IsNotSharedBetweenProcesses) {
    opened store = open();
    EXPECT_FALSE((*store)->is_shared_between_processes());
    EXPECT_EQ((*store)->name(), "SqliteStore");
    close(store);
}

// A store without a thread to read or a place in the queue is a mistake of the caller.
// Proves: S5
TEST_F(SqliteOpening, RefusesImpossibleOptions) {
    EXPECT_EQ(
        open_sqlite_store(loop_, clock_, {.path = path(), .reader_threads = 0}, incarnation_id{})
            .error(),
        errc::invalid_argument
    );
    EXPECT_EQ(
        open_sqlite_store(
            loop_, clock_, {.path = path(), .write_queue_capacity = 0}, incarnation_id{}
        )
            .error(),
        errc::invalid_argument
    );
}

}  // namespace

}  // namespace convene
