// SPDX-License-Identifier: Apache-2.0
// Realtime events within one process.
#include "live/realtime.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

realtime_event typing_in(std::string room, std::string who = "ann") {
    realtime_event event;
    event.organization = organization_id{"acme"};
    event.room = room_id{std::move(room)};
    event.type = realtime_type::typing;
    event.participant = participant_id{std::move(who)};
    return event;
}

class Realtime : public testing::Test {
   protected:
    result<realtime_event> take(realtime_subscription& from) {
        return loop_.run(from.next(deadline{loop_.now()}));
    }

    [[nodiscard]] std::unique_ptr<realtime_subscription> subscribe(
        std::string room, std::string organization = "acme"
    ) {
        return backend_->subscribe(
            organization_id{std::move(organization)}, room_id{std::move(room)}
        );
    }

    manual_loop loop_;
    std::unique_ptr<realtime_backend> backend_ = make_in_memory_realtime();
};

// Everybody in the room gets it, in order; nobody elsewhere does, whatever their ids look like.
// Proves: V1, X1
TEST_F(Realtime, ReachesTheRoomAndNothingElse) {
    const auto here = subscribe("r");
    const auto also_here = subscribe("r");
    const auto elsewhere = subscribe("s");
    const auto foreign = subscribe("r", "acme2");
    backend_->publish(typing_in("r", "ann"));
    backend_->publish(typing_in("r", "bob"));
    for (const auto* subscriber : {&here, &also_here}) {
        EXPECT_EQ(take(**subscriber)->participant.str(), "ann");
        EXPECT_EQ(take(**subscriber)->participant.str(), "bob");
    }
    EXPECT_EQ(take(*elsewhere).error(), errc::timed_out);
    EXPECT_EQ(take(*foreign).error(), errc::timed_out);
}

// One that does not take its events keeps the newest, and is told how many it missed.
// Proves: V1
TEST_F(Realtime, DropsTheOldestOfASlowSubscriber) {
    const auto slow = subscribe("r");
    for (int i = 0; i < 100; ++i) {
        backend_->publish(typing_in("r", std::to_string(i)));
    }
    EXPECT_EQ(slow->dropped(), 36U);
    EXPECT_EQ(take(*slow)->participant.str(), "36");
}

// A subscription that has ended gets nothing and holds nothing up.
// Proves: V1
TEST_F(Realtime, GoesOnWithoutThoseWhoLeft) {
    auto gone = subscribe("r");
    const auto there = subscribe("r");
    gone.reset();
    backend_->publish(typing_in("r"));
    EXPECT_TRUE(take(*there));
}

// The words are what clients send and get.
// Proves: V1
TEST_F(Realtime, KnowsItsWords) {
    for (const realtime_type type :
         {realtime_type::typing,
          realtime_type::presence,
          realtime_type::reaction,
          realtime_type::read_receipt,
          realtime_type::custom}) {
        EXPECT_EQ(realtime_type_from(word_of(type)), type);
    }
    EXPECT_FALSE(realtime_type_from("shouting"));
}

}  // namespace
}  // namespace convene
