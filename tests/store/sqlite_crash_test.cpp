// SPDX-License-Identifier: Apache-2.0
// Crashes and a disk without space: what was acknowledged is there, what was not is whole or
// absent.
#include "convene/loop.hpp"
#include "convene/sqlite_store.hpp"
#include "convene/task_scope.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/log.hpp"
#include "store/store.hpp"
#include "support/store_fixtures.hpp"
#include "support/temporary_folder.hpp"

namespace convene {

namespace {

constexpr int room_count = 4;

std::string room_name(int number) { return "room-" + std::to_string(number); }

/// The store on the real clock, as a process has it.
class opened_store {
   public:
    explicit opened_store(const std::filesystem::path& path)
        : store_(open_sqlite_store(loop_, system_wall_clock(), {.path = path}, incarnation_id{})
                     .value()) {}

    ~opened_store() { loop_.run_until_done(store_->close()); }

    opened_store(const opened_store&) = delete;
    opened_store& operator=(const opened_store&) = delete;

    template <class Op>
    [[nodiscard]] result<typename Op::answer> run(Op request) {
        return loop_.run_until_done(store_->run(std::move(request)));
    }

    [[nodiscard]] loop& where() { return loop_; }

    [[nodiscard]] conversation_store* store() { return store_.get(); }

    [[nodiscard]] room get(int number) {
        return run(ops::get_room{acme(), room_id{room_name(number)}}).value();
    }

    [[nodiscard]] std::vector<room_event> events_of(int number) {
        ops::list_events all;
        all.organization = acme();
        all.room = room_id{room_name(number)};
        all.limit = 1'000'000;
        return run(std::move(all)).value();
    }

    /// R1, R3: indexes from 0 without a gap, counters equal, rows only for stored events.
    void expect_whole(int number) {
        const room info = get(number);
        const std::vector<room_event> events = events_of(number);
        std::int64_t expected = 0;
        for (const room_event& stored : events) {
            ASSERT_EQ(stored.index.value(), expected) << room_name(number);
            const auto rows = run(ops::list_deliveries{info.id, stored.id}).value();
            ASSERT_EQ(rows.size(), 1U) << stored.id.str();
            ++expected;
        }
        EXPECT_EQ(info.event_count, expected);
        EXPECT_EQ(info.next_index, event_index{expected});
        EXPECT_EQ(info.latest_index, event_index{expected - 1});
    }

   private:
    loop loop_;
    std::unique_ptr<conversation_store> store_;
};

ops::commit next_batch(const room& info, const std::string& round) {
    const std::string id = round + info.id.str() + "-" + std::to_string(info.next_index.value());
    return batch_on{info}.add(make_message(id)).deliver_to("sms").take();
}

/// Commits to one room for ever and writes each acknowledged id to the pipe.
awaitable<void> commit_for_ever(
    conversation_store* store, int number, std::string round, int pipe
) {
    for (;;) {
        ops::get_room get{acme(), room_id{room_name(number)}};
        const auto info = co_await store->run(std::move(get));
        ops::commit batch = next_batch(*info, round);
        const std::string line = batch.events.front().id.str() + "\n";
        const auto committed = co_await store->run(std::move(batch));
        if (committed && ::write(pipe, line.data(), line.size()) < 0) {
            ::_exit(1);
        }
    }
}

/// The child: several rooms at once, so that groups form. It only ends by being killed.
[[noreturn]] void commit_until_killed(
    const std::filesystem::path& path, const std::string& round, int pipe
) {
    opened_store opened{path};
    task_scope scope{opened.where()};
    for (int number = 0; number < room_count; ++number) {
        scope.spawn("commit", commit_for_ever(opened.store(), number, round, pipe));
    }
    opened.where().run();
    ::_exit(0);
}

/// What the child acknowledged before it was killed after about `lines` of them.
std::set<std::string> run_child_and_kill(
    const std::filesystem::path& path, const std::string& round, int lines
) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        commit_until_killed(path, round, ends[1]);
    }
    ::close(ends[1]);

    std::string text;
    char buffer[4096];
    bool is_killed = false;
    for (;;) {
        const ssize_t count = ::read(ends[0], buffer, sizeof buffer);
        if (count <= 0) {
            break;
        }
        text.append(buffer, static_cast<std::size_t>(count));
        if (!is_killed && std::ranges::count(text, '\n') >= lines) {
            EXPECT_EQ(::kill(child, SIGKILL), 0);
            is_killed = true;
        }
    }
    ::close(ends[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";

    std::set<std::string> acknowledged;
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', start)) {
        acknowledged.insert(text.substr(start, end - start));
        start = end + 1;
    }
    return acknowledged;
}

// A process is killed ten times while it commits to four rooms at once. After each time every
// acknowledged event is there, and every room is whole.
// Proves: S5, R1, R3
TEST(SqliteCrash, KeepsWhatWasAcknowledged) {
    const temporary_folder folder;
    const std::filesystem::path path = folder.path() / "rooms.db";
    {
        opened_store opened{path};
        for (int number = 0; number < room_count; ++number) {
            opened.run(ops::create_room{make_room(room_name(number)), {}, {}}).value();
        }
    }
    std::minstd_rand random{20'260'101};
    std::set<std::string> acknowledged;
    for (int round = 0; round < 10; ++round) {
        const int lines = 1 + static_cast<int>(random() % 300);
        acknowledged.merge(run_child_and_kill(path, std::to_string(round) + ":", lines));

        opened_store opened{path};
        std::set<std::string> stored;
        for (int number = 0; number < room_count; ++number) {
            opened.expect_whole(number);
            for (const room_event& event : opened.events_of(number)) {
                stored.insert(event.id.str());
            }
        }
        EXPECT_TRUE(std::ranges::includes(stored, acknowledged)) << "round " << round;
    }
}

/// Keeps files of this process from growing beyond a size.
class file_size_limit {
   public:
    explicit file_size_limit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit limited = before_;
        limited.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &limited);
    }

    ~file_size_limit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

    file_size_limit(const file_size_limit&) = delete;
    file_size_limit& operator=(const file_size_limit&) = delete;

   private:
    rlimit before_{};
};

// The file system takes no more bytes: the commit is answered with an error and nothing of it is
// stored; with space again, the same batch is stored.
// Proves: S5, R1
TEST(SqliteCrash, GoesOnAfterTheDiskWasFull) {
    // Without this the kernel ends a process that reaches the limit.
    const auto previous = std::signal(SIGXFSZ, SIG_IGN);
    set_log_sink([](log_level, std::string_view) {});
    const temporary_folder folder;
    opened_store opened{folder.path() / "rooms.db"};
    opened.run(ops::create_room{make_room(room_name(0)), {}, {}}).value();
    const ops::commit large = batch_on{opened.get(0)}
                                  .add(make_message("large", std::string(240'000, 'x')))
                                  .deliver_to("sms")
                                  .take();
    {
        const file_size_limit full{400'000};
        EXPECT_EQ(opened.run(large).error(), errc::io_failed);
    }
    opened.expect_whole(0);
    EXPECT_EQ(opened.get(0).event_count, 0);
    EXPECT_TRUE(opened.run(large));
    EXPECT_EQ(opened.get(0).event_count, 1);
    set_log_sink({});
    std::signal(SIGXFSZ, previous);
}

}  // namespace

}  // namespace convene
