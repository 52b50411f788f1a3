// SPDX-License-Identifier: Apache-2.0
// What every store promises about room timers: quiet rooms pause, paused rooms close, by the
// store's clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class Timers : public conformance {
   protected:
    room create_timed(const std::string& id, room_timers timers) {
        room wanted = make_room(id);
        wanted.timers = timers;
        return must(ops::create_room{wanted, {}, {}});
    }

    std::vector<std::string> fire() { return ids_of(must(ops::apply_due_timers{}).changed); }
};

CONVENE_ON_EVERY_STORE(Timers);

// A quiet room pauses when its time has come, not before; the answer has its new state.
// Proves: R5
TEST_P(Timers, PauseAQuietRoom) {
    const room made = create_timed("r", {60s, std::nullopt});
    clock().advance(60s - 1us);
    EXPECT_THAT(fire(), IsEmpty());
    clock().advance(1us);
    const auto answer = must(ops::apply_due_timers{});
    ASSERT_EQ(answer.changed.size(), 1u);
    EXPECT_EQ(answer.changed.front().status, room_status::paused);
    EXPECT_EQ(answer.changed.front().paused_at, clock().now());
    EXPECT_EQ(answer.changed.front().config, made.config + 1);
    EXPECT_FALSE(answer.has_more);
    EXPECT_EQ(get("r").status, room_status::paused);
}

// A paused room closes after its second span, measured from the pause, and then rests.
// Proves: R5
TEST_P(Timers, CloseAPausedRoom) {
    create_timed("r", {60s, 3600s});
    clock().advance(2h);
    EXPECT_THAT(fire(), ElementsAre("r"));
    EXPECT_THAT(fire(), IsEmpty()) << "one step at a time";
    clock().advance(3600s);
    EXPECT_THAT(fire(), ElementsAre("r"));
    EXPECT_EQ(get("r").status, room_status::closed);
    EXPECT_EQ(get("r").closed_at, clock().now());
    clock().advance(24h);
    EXPECT_THAT(fire(), IsEmpty());
}

// A room that was active since its timer was armed is armed again, and pauses counted from its
// last event.
// Proves: R5
TEST_P(Timers, WaitFromTheLastActivity) {
    create_timed("r", {60s, std::nullopt});
    clock().advance(50s);
    commit_messages("r", {"a"});
    clock().advance(50s);
    EXPECT_THAT(fire(), IsEmpty());
    clock().advance(9s);
    EXPECT_THAT(fire(), IsEmpty());
    clock().advance(1s);
    EXPECT_THAT(fire(), ElementsAre("r"));
}

// A message that resumes a paused room starts its quiet time afresh.
// Proves: R4, R5
TEST_P(Timers, StartAfreshWhenARoomResumes) {
    create_timed("r", {60s, 600s});
    clock().advance(60s);
    EXPECT_THAT(fire(), ElementsAre("r"));
    clock().advance(500s);
    batch_on resuming = batch("r");
    resuming.add(make_message("a"));
    resuming.commit().new_status = room_status::active;
    must(resuming.take());
    clock().advance(59s);
    EXPECT_THAT(fire(), IsEmpty());
    clock().advance(1s);
    EXPECT_THAT(fire(), ElementsAre("r"));
    EXPECT_EQ(get("r").status, room_status::paused);
}

// Timers that are set, changed or removed later count from then on.
// Proves: R5
TEST_P(Timers, FollowTheirSettings) {
    create("r");
    clock().advance(1h);
    EXPECT_THAT(fire(), IsEmpty()) << "no timer is set";
    ops::update_room request = update_of("r");
    request.timers = room_timers{7200s, std::nullopt};
    must(request);
    clock().advance(1h);
    request.timers = room_timers{10'000s, std::nullopt};
    must(request);
    EXPECT_THAT(fire(), IsEmpty()) << "the span was made longer";
    request.timers = room_timers{};
    must(request);
    clock().advance(24h);
    EXPECT_THAT(fire(), IsEmpty()) << "and removed";
    request.timers = room_timers{1s, std::nullopt};
    must(request);
    EXPECT_THAT(fire(), ElementsAre("r")) << "the room has long been quiet";
}

// A room that was paused by hand closes by its timer as well; a closed or archived one is left
// alone.
// Proves: R5
TEST_P(Timers, MindTheStatus) {
    for (const char* const id : {"paused", "closed", "archived"}) {
        create_timed(id, {60s, 60s});
    }
    for (const auto& [id, status] :
         {std::pair{"paused", room_status::paused},
          std::pair{"closed", room_status::closed},
          std::pair{"archived", room_status::archived}}) {
        ops::update_room request = update_of(id);
        request.status = status;
        must(request);
    }
    clock().advance(60s);
    EXPECT_THAT(fire(), ElementsAre("paused"));
    EXPECT_EQ(get("paused").status, room_status::closed);
    EXPECT_EQ(get("archived").status, room_status::archived);
}

// All rooms that are due are reached, however many there are, in calls of limited work.
// Proves: R5
TEST_P(Timers, ReachEveryRoomInSmallCalls) {
    for (int i = 0; i < 7; ++i) {
        create_timed("r" + std::to_string(i), {60s, std::nullopt});
    }
    clock().advance(60s);
    std::vector<std::string> reached;
    std::size_t calls = 0;
    for (bool has_more = true; has_more && calls < 10; ++calls) {
        const auto answer = must(ops::apply_due_timers{3});
        EXPECT_LE(answer.changed.size(), 3u);
        for (const room& changed : answer.changed) {
            reached.push_back(changed.id.str());
        }
        has_more = answer.has_more;
    }
    EXPECT_THAT(reached, UnorderedElementsAre("r0", "r1", "r2", "r3", "r4", "r5", "r6"));
    EXPECT_EQ(calls, 3u);
}

// Every change is told: a framework event names the room and what happened.
// Proves: R5, R19
TEST_P(Timers, TellWhatTheyDid) {
    create_timed("r", {60s, 60s});
    clock().advance(60s);
    fire();
    clock().advance(60s);
    fire();
    const auto notices = must(ops::list_notices{});
    ASSERT_EQ(notices.size(), 2u);
    EXPECT_EQ(notices[0].type, "room_paused");
    EXPECT_EQ(notices[1].type, "room_closed");
    EXPECT_EQ(notices[1].room, room_id{"r"});
    EXPECT_EQ(notices[1].organization, acme());
    EXPECT_EQ(notices[1].created_at, clock().now());
}

// An absurd span is "never" and breaks nothing.
// Proves: R5
TEST_P(Timers, SurviveAbsurdSpans) {
    create_timed("r", {std::chrono::seconds::max(), std::chrono::seconds::max()});
    clock().advance(24h);
    EXPECT_THAT(fire(), IsEmpty());
}

// Timers are kept over a restart.
// Proves: R5, S1
TEST_P(Timers, SurviveARestart) {
    create_timed("r", {60s, std::nullopt});
    harness().restart();
    clock().advance(60s);
    EXPECT_THAT(fire(), ElementsAre("r"));
}

}  // namespace

}  // namespace convene
