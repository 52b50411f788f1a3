// SPDX-License-Identifier: Apache-2.0
// Appends to agent sessions by many connections at once: nothing is lost, counted twice, or stored by a fenced driver.
#include "convene/postgres_lock_manager.hpp"
#include "convene/postgres_store.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/canonical_json.hpp"
#include "store/operations/sessions.hpp"
#include "store/store.hpp"
#include "support/postgres_schema.hpp"
#include "support/store_fixtures.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

/// More through `CONVENE_SESSION_APPENDS`.
int appends_of_a_writer() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes the environment
    const char* const wanted = std::getenv("CONVENE_SESSION_APPENDS");
    return wanted != nullptr ? static_cast<int>(std::strtol(wanted, nullptr, 10)) : 6;
}

/// What one writer adds, and what became of it.
struct writer {
    explicit writer(deadline latest) : until(latest) {}

    conversation_store* store = nullptr;
    lock_manager* locks = nullptr;
    deadline until;
    room_id room;
    std::string name;
    std::int64_t epoch = 0;
    int appends = 0;
    int stored = 0;
    error_code failure;

    [[nodiscard]] std::string key(int number) const { return name + '-' + std::to_string(number); }

    /// A key of its own in each scope.
    [[nodiscard]] state_delta delta(int number) const {
        const json_text own = json_text::trusted("{\"" + key(number) + "\":1}");
        return {own, own, own};
    }
};

awaitable<void> append_state_alone(writer* one) {
    for (int i = 0; i < one->appends && !one->failure; ++i) {
        ops::append_state request{one->room, one->epoch, one->delta(i)};
        const auto appended = co_await one->store->run(std::move(request));
        one->stored += appended ? 1 : 0;
        one->failure = appended ? error_code{} : appended.error();
    }
}

awaitable<void> append_events(writer* one) {
    for (int i = 0; i < one->appends && !one->failure; ++i) {
        ops::load_room_head head{acme(), one->room, {}};
        auto inside = co_await one->store->enter_room(one->locks, std::move(head), one->until);
        if (!inside) {
            one->failure = inside.error();
            co_return;
        }
        ops::commit batch = batch_on{inside->head.room}.add(make_message(one->key(i))).take();
        batch.session.push_back({one->epoch, one->delta(i), {}});
        room_tenure* const tenure = &*inside;
        const auto committed = co_await one->store->commit(
            tenure, std::move(batch), unlock_mode::release
        );
        one->stored += committed ? 1 : 0;
        one->failure = committed ? error_code{} : committed.error();
        if (inside->lock != nullptr) {
            const result<> released = co_await inside->lock->release();
            static_cast<void>(released);  // what was stored is known
        }
    }
}

class sessions_of_many_writers : public testing::Test {
   protected:
    sessions_of_many_writers() {
        postgres_options options;
        options.address = schema_.address();
        options.sessions = 8;
        store_ = open_postgres_store(options).value();
        locks_ = make_postgres_lock_manager(loop_, {schema_.address(), {}, 8});
        for (const char* const id : {"r", "s"}) {
            must(ops::create_room{make_room(id), {}, {}});
            must(ops::open_session{acme(), room_id{id}, channel_id{"agent"}, "ann"});
        }
    }

    ~sessions_of_many_writers() override {
        const result<> closed = loop_.run_until_done(locks_->close(soon()));
        EXPECT_TRUE(closed) << closed.error();
        loop_.run_until_done(store_->close());
    }

    template <class Op>
    typename Op::answer must(Op request) {
        return loop_.run_until_done(store_->run(std::move(request))).value();
    }

    std::int64_t begin(const std::string& room, const std::string& run) {
        ops::begin_run begun;
        begun.run.id = run_id{run};
        begun.run.room = room_id{room};
        begun.run.organization = acme();
        begun.run.worker = worker_one();
        return must(begun).session.driver_epoch;
    }

    /// Half of them append events, on the connections of the locks; half state alone, on those of the store.
    std::vector<std::unique_ptr<writer>> make_writers(const std::string& room, int count) {
        const std::int64_t epoch = begin(room, room + "-run");
        std::vector<std::unique_ptr<writer>> made;
        for (int i = 0; i < count; ++i) {
            auto one = std::make_unique<writer>(soon());
            one->store = store_.get();
            one->locks = locks_.get();
            one->room = room_id{room};
            one->name = room + std::to_string(i);
            one->epoch = epoch;
            one->appends = appends_of_a_writer();
            made.push_back(std::move(one));
        }
        return made;
    }

    static void start(task_scope& scope, const std::vector<std::unique_ptr<writer>>& writers) {
        for (std::size_t i = 0; i < writers.size(); ++i) {
            writer* const one = writers[i].get();
            if (i % 2 == 0) {
                scope.spawn(one->name, append_events(one));
            } else {
                scope.spawn(one->name, append_state_alone(one));
            }
        }
    }

    [[nodiscard]] ops::get_session::answer session(const std::string& room) {
        return must(ops::get_session{acme(), room_id{room}});
    }

    [[nodiscard]] deadline soon() const { return deadline{loop_.now() + 60s}; }

    static std::set<std::string> keys_of(const json_text& state) {
        std::set<std::string> keys;
        for (const json_member& one : members_of(state.str())) {
            keys.emplace(one.key);
        }
        return keys;
    }

    postgres_schema schema_;
    loop loop_;
    std::unique_ptr<conversation_store> store_;
    std::unique_ptr<postgres_lock_manager> locks_;
};

// Twelve writers of one session and four of another one of the same owner, on sixteen connections: every append is
// counted once, every key is there in its scope, every event has its index.
// Proves: A4
TEST_F(sessions_of_many_writers, LoseNothing) {
    auto all = make_writers("r", 12);
    for (auto& one : make_writers("s", 4)) {
        all.push_back(std::move(one));
    }
    task_scope scope{loop_};
    start(scope, all);
    loop_.run_until_done(scope.join());

    std::set<std::string> of_r;
    std::set<std::string> of_both;
    for (const auto& one : all) {
        EXPECT_FALSE(one->failure) << one->name << ": " << one->failure.message();
        for (int i = 0; i < one->appends; ++i) {
            of_both.insert(one->key(i));
            if (one->room == room_id{"r"}) {
                of_r.insert(one->key(i));
            }
        }
    }
    const auto read = session("r");
    EXPECT_EQ(read.session.sequence, 12 * appends_of_a_writer());
    EXPECT_EQ(session("s").session.sequence, 4 * appends_of_a_writer());
    EXPECT_EQ(keys_of(read.state.session), of_r);
    EXPECT_EQ(keys_of(read.state.user), of_both);
    EXPECT_EQ(keys_of(read.state.app), of_both);
    const room info = must(ops::get_room{acme(), room_id{"r"}});
    EXPECT_EQ(info.event_count, 6 * appends_of_a_writer());
    ops::list_events timeline = list_of("r");
    timeline.limit = 10'000;
    std::int64_t index = 0;
    for (const room_event& event : must(timeline)) {
        EXPECT_EQ(event.index.value(), index++);
    }
    EXPECT_EQ(index, info.event_count);
}

// Somebody else takes the session while sixteen writers append: what was stored is what was answered as stored, the
// rest was fenced, and after the takeover nothing comes in.
// Proves: A4, L7
TEST_F(sessions_of_many_writers, StoreNothingOnceTheyAreFenced) {
    const auto all = make_writers("r", 16);
    task_scope scope{loop_};
    start(scope, all);
    const result<> slept = loop_.run_until_done(sleep_for(5ms));
    EXPECT_TRUE(slept);
    begin("r", "taken-over");
    const auto at_takeover = session("r");
    loop_.run_until_done(scope.join());

    std::int64_t stored = 0;
    std::int64_t events = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        stored += all[i]->stored;
        events += i % 2 == 0 ? all[i]->stored : 0;
        EXPECT_TRUE(all[i]->stored == all[i]->appends || all[i]->failure == errc::driver_fenced)
            << all[i]->name << ": " << all[i]->failure.message();
    }
    const auto after = session("r");
    EXPECT_EQ(after.session.sequence, stored);
    EXPECT_EQ(after.session.sequence, at_takeover.session.sequence);
    EXPECT_EQ(keys_of(after.state.session).size(), static_cast<std::size_t>(stored));
    EXPECT_EQ(after.state, at_takeover.state);
    EXPECT_EQ(must(ops::get_room{acme(), room_id{"r"}}).event_count, events);
}

}  // namespace

}  // namespace convene
