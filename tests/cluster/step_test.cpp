// SPDX-License-Identifier: Apache-2.0
// The ends of deliveries of many rooms, written together: what they cost, and what one of them can do to the others.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "cluster/cluster_worker.hpp"
#include "support/postgres_schema.hpp"
#include "support/store_fixtures.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr int rooms = 20;

class steps_of_a_worker : public testing::Test {
   protected:
    /// Rooms with events that wait for their deliveries, each with one row.
    void fill(int events) {
        for (int i = 0; i < rooms; ++i) {
            const std::string room = name_of(i);
            worker_.must(ops::create_room{make_room(room), {}, {}});
            for (int n = 0; n < events; ++n) {
                commit(room, n);
            }
            epochs_.push_back(
                worker_.must(ops::claim_cursor{room_id{room}, worker_.incarnation(), 0, {}}
                ).claim_epoch
            );
        }
    }

    void commit(const std::string& room, int n) {
        auto inside = worker_.enter(room);
        ASSERT_TRUE(inside) << inside.error();
        ops::commit batch = batch_on{inside->head.room}
                                .add(make_message(id_of(room, n)))
                                .deliver_to("sms", worker_.incarnation())
                                .take();
        const auto stored = loop_.run_until_done(
            worker_.store().commit(&*inside, std::move(batch), unlock_mode::release)
        );
        ASSERT_TRUE(stored) << stored.error();
    }

    [[nodiscard]] static std::string name_of(int i) { return "room" + std::to_string(i); }

    [[nodiscard]] static std::string id_of(const std::string& room, int n) {
        return room + "-" + std::to_string(n);
    }

    /// The end of the set of one event: its row is done.
    [[nodiscard]] ops::finish_set step(int i, int n) const {
        ops::finish_set made;
        made.room = room_id{name_of(i)};
        made.claim_epoch = epochs_[static_cast<std::size_t>(i)];
        made.index = event_index{n};
        made.advance_to = made.index;
        ops::row_result row;
        row.id = delivery_id{name_of(i) + "/" + id_of(name_of(i), n) + "/sms"};
        row.attempts = 1;
        made.results.push_back(std::move(row));
        return made;
    }

    [[nodiscard]] std::vector<ops::finish_set> step_of_each_room(int n) const {
        std::vector<ops::finish_set> steps(rooms);
        for (int i = 0; i < rooms; ++i) {
            steps[static_cast<std::size_t>(i)] = step(i, n);
        }
        return steps;
    }

    using outcome = result<ops::finish_set::answer>;

    static awaitable<void> keep(conversation_store* store, ops::finish_set one, outcome* into) {
        *into = co_await store->run(std::move(one));
    }

    /// All of them at once.
    std::vector<outcome> run(std::vector<ops::finish_set> steps) {
        std::vector<outcome> outcomes(steps.size(), errc::cancelled);
        task_scope scope{loop_};
        for (std::size_t i = 0; i < steps.size(); ++i) {
            scope.spawn("step", keep(&worker_.store(), std::move(steps[i]), &outcomes[i]));
        }
        loop_.run_until_done(scope.join());
        return outcomes;
    }

    /// Between two looks at what the server has counted. The worker's connections are served meanwhile.
    static awaitable<void> sleep_briefly() {
        const result<> slept = co_await sleep_for(50ms);
        static_cast<void>(slept);  // nobody cancels it
    }

    [[nodiscard]] std::int64_t count(std::string_view sql) {
        return admin_->value_of<std::int64_t>(sql).value_or(-1);
    }

    postgres_schema schema_;
    loop loop_;
    std::unique_ptr<postgres::session> admin_ = schema_.connect();
    cluster_worker worker_{loop_, schema_, "stepping"};
    std::vector<std::int64_t> epochs_;
};

// Twenty rooms that end a set at the same time cost two transactions: the first goes alone, the others wait for it and go
// together.
// Proves: D3
TEST_F(steps_of_a_worker, GoTogether) {
    fill(1);
    std::vector<ops::finish_set> steps = step_of_each_room(0);
    for (const outcome& one : run(std::move(steps))) {
        ASSERT_TRUE(one) << one.error();
        EXPECT_EQ(one->delivered, event_index{0});
    }
    EXPECT_EQ(count("SELECT count(DISTINCT xmin::text) FROM room_cursors"), 2);
    EXPECT_EQ(count("SELECT count(*) FROM deliveries WHERE state < 3"), 0);
}

// One that misses its compare stores nothing, and those beside it are stored.
// Proves: D3, D7, L7
TEST_F(steps_of_a_worker, MissEachForItself) {
    fill(1);
    std::vector<ops::finish_set> steps = step_of_each_room(0);
    steps[7].claim_epoch += 1;
    steps[9].index = event_index{1};
    steps[9].advance_to = event_index{1};
    const std::vector<outcome> outcomes = run(std::move(steps));
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (i == 7) {
            EXPECT_EQ(outcomes[i].error(), errc::claim_lost);
        } else if (i == 9) {
            EXPECT_EQ(outcomes[i].error(), errc::invalid_argument);
        } else {
            EXPECT_TRUE(outcomes[i]) << i;
        }
    }
    EXPECT_EQ(count("SELECT count(*) FROM deliveries WHERE state < 3"), 2);
    EXPECT_EQ(count("SELECT count(*) FROM room_cursors WHERE delivered_index = -1"), 2);
}

// What the database refuses for its data is refused alone.
// Proves: D3
TEST_F(steps_of_a_worker, FailEachForItself) {
    fill(1);
    std::vector<ops::finish_set> steps = step_of_each_room(0);
    steps[5].results.front().outcome.error_message = std::string{"\xff\xfe"};
    const std::vector<outcome> outcomes = run(std::move(steps));
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        EXPECT_EQ(outcomes[i].has_value(), i != 5) << i;
    }
    EXPECT_EQ(count("SELECT count(*) FROM deliveries WHERE state < 3"), 1);
}

// Steps of one room are made one after the other, each on what the one before has stored, however they come.
// Proves: D3, D4
TEST_F(steps_of_a_worker, KeepTheOrderOfARoom) {
    fill(4);
    std::vector<ops::finish_set> steps;
    for (int n = 0; n < 4; ++n) {
        steps.push_back(step(3, n));
    }
    for (const outcome& one : run(std::move(steps))) {
        EXPECT_TRUE(one) << one.error();
    }
    EXPECT_EQ(count("SELECT delivered_index FROM room_cursors WHERE room_id = 'room3'"), 3);
}

// The hot rows stay on their page: no index holds a column that a message changes. What the room waits for is indexed,
// and changes only where no row tells it.
// Proves: S1
TEST_F(steps_of_a_worker, KeepHotRowsOnTheirPages) {
    constexpr int events = 10;
    fill(events);
    for (int n = 0; n < events; ++n) {
        for (const outcome& one : run(step_of_each_room(n))) {
            ASSERT_TRUE(one) << one.error();
        }
    }
    constexpr std::int64_t changes = 2LL * rooms * events;
    constexpr std::string_view seen =
        "SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'room_cursors' AND schemaname ="
        " current_schema()";
    // Sessions hand in what they counted when they have been idle for some time, or end.
    const auto patience = std::chrono::steady_clock::now() + 20s;
    while (count(seen) < rooms * (events + 1) && std::chrono::steady_clock::now() < patience) {
        loop_.run_until_done(sleep_briefly());
    }
    EXPECT_GE(
        count("SELECT sum(n_tup_upd)::bigint FROM pg_stat_user_tables WHERE relname IN"
              " ('rooms', 'room_cursors') AND schemaname = current_schema()"),
        changes
    );
    // A page that is full is left once; what makes room on it comes by later.
    EXPECT_LE(
        count("SELECT sum(n_tup_upd - n_tup_hot_upd)::bigint FROM pg_stat_user_tables WHERE relname"
              " IN ('rooms', 'room_cursors') AND schemaname = current_schema()"),
        changes / 10
    );
}

}  // namespace

}  // namespace convene
