// SPDX-License-Identifier: Apache-2.0
// The bus of workers: what one says the others hear, once, and a break is told.
#include "convene/postgres_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "live/postgres/notify_bus.hpp"
#include "store/store.hpp"
#include "support/postgres_schema.hpp"
#include "support/store_fixtures.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 20s;

room_news committed(const std::string& room) {
    return {room_news_kind::committed, acme(), room_id{room}, {}};
}

class news_of_two_workers : public testing::Test {
   protected:
    void SetUp() override {
        // The layout has the table of workers, which every connection of a worker looks at.
        loop_.run_until_done(open_store());
        for (notify_bus* const one : {&first_, &second_}) {
            one->start();
            // What was said before it listened was not heard.
            EXPECT_TRUE(hear(*one).may_have_missed);
        }
    }

    void TearDown() override {
        loop_.run_until_done(first_.stop());
        loop_.run_until_done(second_.stop());
    }

    awaitable<void> open_store() {
        postgres_options options;
        options.address = schema_.address();
        auto store = open_postgres_store(options).value();
        co_await store->close();
    }

    heard_news hear(notify_bus& at) {
        auto heard = loop_.run_until_done(with_deadline(deadline{loop_.now() + patience}, at.hear())
        );
        EXPECT_TRUE(heard) << heard.error();
        return heard ? std::move(*heard) : heard_news{};
    }

    /// Until so many pieces of news have come, or some may have been missed.
    std::vector<room_news> hear_many(notify_bus& at, std::size_t count) {
        std::vector<room_news> all;
        while (all.size() < count) {
            heard_news next = hear(at);
            if (next.may_have_missed || next.news.empty()) {
                ADD_FAILURE() << "something was missed";
                break;
            }
            std::ranges::move(next.news, std::back_inserter(all));
        }
        return all;
    }

    static incarnation_id id_of(const std::string& worker) {
        return incarnation_id{worker + '-' + std::to_string(::getpid())};
    }

    postgres_schema schema_;
    loop loop_;
    notify_bus first_{loop_, schema_.address(), id_of("first")};
    notify_bus second_{loop_, schema_.address(), id_of("second")};
};

// What is said is heard by the others, whatever it holds, and not by oneself.
// Proves: V6
TEST_F(news_of_two_workers, IsHeardByTheOther) {
    first_.publish(committed("r \"1\"\\"));
    first_.publish({room_news_kind::erased, {}, room_id{"r2"}, {"e1", "e2"}});
    const std::vector<room_news> heard = hear_many(second_, 2);
    ASSERT_EQ(heard.size(), 2u);
    EXPECT_EQ(heard[0], committed("r \"1\"\\"));
    EXPECT_EQ(heard[1].names, (std::vector<std::string>{"e1", "e2"}));
    second_.publish(committed("r3"));
    EXPECT_EQ(hear_many(first_, 1).front(), committed("r3")) << "its own words came back";
}

// The same thing said a hundred times before it is sent is said once.
// Proves: V6
TEST_F(news_of_two_workers, IsSaidOnce) {
    for (int i = 0; i < 100; ++i) {
        first_.publish(committed("hot"));
    }
    first_.publish(committed("last"));
    EXPECT_EQ(hear_many(second_, 2).size(), 2u);
}

// More than one notification holds goes in several.
// Proves: V6
TEST_F(news_of_two_workers, IsCutIntoPieces) {
    for (int i = 0; i < 1000; ++i) {
        first_.publish(committed("a room with quite a long name " + std::to_string(i)));
    }
    EXPECT_EQ(hear_many(second_, 1000).size(), 1000u);
}

// What does not fit is not silently left out: others look at everything.
// Proves: V6
TEST_F(news_of_two_workers, SaysWhenItCannotSayAll) {
    room_news many{room_news_kind::erased, {}, room_id{"r"}, {}};
    many.names.resize(1000, "event");
    first_.publish(std::move(many));
    EXPECT_TRUE(hear(second_).may_have_missed);
}

// A connection that is cut is opened again, and whoever listened is told that something may have been missed.
// Proves: V6, O4
TEST_F(news_of_two_workers, TellsOfABreak) {
    const auto admin = schema_.connect();
    const auto ended = admin->value_of<std::int64_t>(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = ?1",
        "convene " + id_of("second").str()
    );
    ASSERT_EQ(ended, 1);
    EXPECT_TRUE(hear(second_).may_have_missed);
    first_.publish(committed("after"));
    EXPECT_EQ(hear_many(second_, 1).front(), committed("after"));
}

}  // namespace

}  // namespace convene
