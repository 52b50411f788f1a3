// SPDX-License-Identifier: Apache-2.0
// The lane machine by script: what it does next for every view of a room.
#include "room/lane_fsm.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace convene {

void PrintTo(lane_action::what action, std::ostream* out) { *out << static_cast<int>(action); }

namespace {

using what = lane_action::what;
using std::chrono::milliseconds;

monotonic_time at(milliseconds since_start) { return monotonic_time{since_start}; }

lane_view delivered_to(std::int64_t cursor) {
    lane_view view;
    view.delivered = event_index{cursor};
    return view;
}

std::vector<lane_head> stored(std::initializer_list<lane_head> heads) { return heads; }

lane_head head(std::int64_t index, head_owner owner) {
    return lane_head{event_index{index}, owner};
}

constexpr lane_policy redeliver{};
constexpr lane_policy skip{delivery_recovery::skip, milliseconds{50}};

// An empty lane that was not told to look rests.
// Proves: D2, D14
TEST(LaneFsm, RestsWhenThereIsNothingToDo) {
    lane_fsm fsm{redeliver};
    EXPECT_EQ(fsm.next(delivered_to(3)).action, what::rest);
}

// The entry right behind the cursor runs, without a look at the store.
// Proves: D2 (rk:L1)
TEST(LaneFsm, RunsTheEntryBehindTheCursor) {
    lane_fsm fsm{redeliver};
    lane_view view = delivered_to(3);
    view.first_local = event_index{4};
    const lane_action next = fsm.next(view);
    EXPECT_EQ(next.action, what::run_local);
    EXPECT_EQ(next.index, event_index{4});
}

// An entry further on never runs before what lies between: the machine looks first.
// Proves: D2, D3 (rk:L4)
TEST(LaneFsm, LooksBeforeItRunsBeyondAHole) {
    lane_fsm fsm{redeliver};
    lane_view view = delivered_to(-1);
    view.first_local = event_index{1};
    EXPECT_EQ(fsm.next(view).action, what::look);
}

// A live worker's event is waited for, however long; the claim is given up meanwhile.
// Proves: D4, D9 (rk:L4, rk:L21)
TEST(LaneFsm, NeverTakesALiveWorkersEvent) {
    for (const lane_policy policy : {redeliver, skip}) {
        lane_fsm fsm{policy};
        lane_view view = delivered_to(-1);
        view.first_local = event_index{1};
        view.stored = stored({head(0, head_owner::live_other), head(1, head_owner::me)});
        for (const milliseconds now : {milliseconds{0}, milliseconds{1'000'000}}) {
            view.now = at(now);
            EXPECT_EQ(fsm.next(view).action, what::wait_for_owner);
        }
    }
}

// A newer worker's plan that nobody alive has is left to newer workers, however long: never run, passed or waited out.
// Proves: D3, D7
TEST(LaneFsm, LeavesNewerPlansToNewerWorkers) {
    for (const lane_policy policy : {redeliver, skip}) {
        lane_fsm fsm{policy};
        lane_view view = delivered_to(-1);
        view.first_local = event_index{1};
        view.takeovers = 3;
        view.stored = stored({head(0, head_owner::newer), head(1, head_owner::me)});
        for (const milliseconds now : {milliseconds{0}, milliseconds{1'000'000}}) {
            view.now = at(now);
            EXPECT_EQ(fsm.next(view).action, what::leave_to_newer);
        }
    }
}

// A hole that is given up ends before a newer worker's plan.
// Proves: D3, D8
TEST(LaneFsm, SkipsNoNewerPlanWithAHole) {
    lane_fsm fsm{skip};
    lane_view view = delivered_to(-1);
    view.must_look = true;
    view.stored = stored({head(0, head_owner::dead), head(1, head_owner::newer)});
    EXPECT_EQ(fsm.next(view).action, what::wait);
    view.now = at(milliseconds{50});
    const lane_action next = fsm.next(view);
    EXPECT_EQ(next.action, what::skip);
    EXPECT_EQ(next.index, event_index{0});
}

// Indexes that were hard-deleted are stepped over up to the next event.
// Proves: D3, R13
TEST(LaneFsm, StepsOverDeletedIndexes) {
    lane_fsm fsm{redeliver};
    lane_view view = delivered_to(4);
    view.must_look = true;
    view.stored = stored({head(7, head_owner::me)});
    const lane_action next = fsm.next(view);
    EXPECT_EQ(next.action, what::step_over);
    EXPECT_EQ(next.index, event_index{6});
}

// An event without open rows needs nobody: whoever has the claim steps over it.
// Proves: D3 (rk:L2)
TEST(LaneFsm, StepsOverWhatNeedsNobody) {
    lane_fsm fsm{redeliver};
    lane_view view = delivered_to(4);
    view.must_look = true;
    view.stored = stored({head(5, head_owner::nobody_needed)});
    EXPECT_EQ(fsm.next(view).action, what::step_over);
}

// An event of ours that is not queued (its commit's answer was lost) is executed from the store.
// Proves: D3, D13
TEST(LaneFsm, RunsItsOwnStoredEvent) {
    lane_fsm fsm{redeliver};
    lane_view view = delivered_to(-1);
    view.must_look = true;
    view.stored = stored({head(0, head_owner::me)});
    EXPECT_EQ(fsm.next(view).action, what::run_stored);
}

// DELIVERY_RECOVERY=redeliver: a dead worker's event is taken over at once.
// Proves: D7
TEST(LaneFsm, TakesOverADeadWorkersEventAtOnce) {
    lane_fsm fsm{redeliver};
    lane_view view = delivered_to(-1);
    view.must_look = true;
    view.stored = stored({head(0, head_owner::dead)});
    const lane_action next = fsm.next(view);
    EXPECT_EQ(next.action, what::take_over);
    EXPECT_TRUE(next.is_crash_takeover);
}

// What a worker handed over in order is taken at once too, and does not count as a crash, whatever the policy.
// Proves: D15, N4
TEST(LaneFsm, TakesWhatWasHandedOverWithoutCounting) {
    for (const lane_policy policy : {redeliver, skip}) {
        lane_fsm fsm{policy};
        lane_view view = delivered_to(-1);
        view.must_look = true;
        view.takeovers = 2;
        view.stored = stored({head(0, head_owner::handed_over)});
        const lane_action next = fsm.next(view);
        EXPECT_EQ(next.action, what::take_over);
        EXPECT_FALSE(next.is_crash_takeover);
    }
}

// An event that keeps killing its workers waits 5 s, then 30 s and one target at a time, then is skipped.
// Proves: D8
TEST(LaneFsm, QuarantinesPoisonAfterThreeTakeovers) {
    lane_fsm fsm{redeliver};
    lane_view view = delivered_to(-1);
    view.must_look = true;
    view.stored = stored({head(0, head_owner::dead)});

    view.takeovers = 1;
    view.now = at(milliseconds{1000});
    EXPECT_EQ(fsm.next(view).action, what::wait);
    view.now = at(milliseconds{5999});
    EXPECT_EQ(fsm.next(view).action, what::wait);
    view.now = at(milliseconds{6000});
    EXPECT_EQ(fsm.next(view).action, what::take_over);
    EXPECT_FALSE(fsm.next(view).is_one_by_one);

    lane_fsm third{redeliver};
    view.takeovers = 2;
    view.now = at(milliseconds{1000});
    EXPECT_EQ(third.next(view).until, at(milliseconds{31'000}));
    view.now = at(milliseconds{31'000});
    EXPECT_TRUE(third.next(view).is_one_by_one);

    view.takeovers = 3;
    const lane_action last = third.next(view);
    EXPECT_EQ(last.action, what::skip);
    EXPECT_STREQ(last.reason, "poison");
    EXPECT_EQ(last.index, event_index{0});
}

// DELIVERY_RECOVERY=skip: a hole of dead events is passed over after the gap timeout, exactly, in one step.
// Proves: D8 (rk:L5, rk:L20)
TEST(LaneFsm, SkipsAHoleAfterTheGapTimeout) {
    lane_fsm fsm{skip};
    lane_view view = delivered_to(-1);
    view.first_local = event_index{3};
    view.stored = stored(
        {head(0, head_owner::dead),
         head(1, head_owner::dead),
         head(2, head_owner::dead),
         head(3, head_owner::me)}
    );
    view.now = at(milliseconds{10});
    EXPECT_EQ(fsm.next(view).action, what::wait);
    EXPECT_EQ(fsm.next(view).until, at(milliseconds{60}));
    view.now = at(milliseconds{59});
    EXPECT_EQ(fsm.next(view).action, what::wait);
    view.now = at(milliseconds{60});
    const lane_action next = fsm.next(view);
    EXPECT_EQ(next.action, what::skip);
    EXPECT_EQ(next.index, event_index{2});
    EXPECT_STREQ(next.reason, "gap_timeout");
}

// DELIVERY_RECOVERY=skip: a local plan is never jumped, even where dead events lie on both sides of it.
// Proves: D8, D9 (rk:L6)
TEST(LaneFsm, NeverSkipsPastALocalPlan) {
    lane_fsm fsm{skip};
    lane_view view = delivered_to(-1);
    view.first_local = event_index{1};
    view.stored = stored(
        {head(0, head_owner::dead),
         head(1, head_owner::me),
         head(2, head_owner::dead),
         head(3, head_owner::me)}
    );
    view.now = at(milliseconds{0});
    EXPECT_EQ(fsm.next(view).action, what::wait);
    view.now = at(milliseconds{50});
    EXPECT_EQ(fsm.next(view).index, event_index{0});

    view.delivered = event_index{1};
    view.first_local = event_index{3};
    view.stored = stored({head(2, head_owner::dead), head(3, head_owner::me)});
    EXPECT_EQ(fsm.next(view).action, what::wait) << "a second hole has its own wait";
    view.now = at(milliseconds{100});
    EXPECT_EQ(fsm.next(view).index, event_index{2});
}

// A stopped lane starts nothing, whoever has the head; without work it rests.
// Proves: D2
TEST(LaneFsm, StandsStillWhileItIsPaused) {
    lane_fsm fsm{redeliver};
    lane_view view = delivered_to(3);
    view.is_paused = true;
    EXPECT_EQ(fsm.next(view).action, what::rest);
    view.must_look = true;
    for (const head_owner owner : {head_owner::me, head_owner::dead, head_owner::nobody_needed}) {
        view.stored = stored({head(4, owner)});
        EXPECT_EQ(fsm.next(view).action, what::stand_still);
    }
    view.first_local = event_index{4};
    EXPECT_EQ(fsm.next(view).action, what::stand_still);
    view.is_paused = false;
    EXPECT_EQ(fsm.next(view).action, what::run_local);
}

// An operator passes over the head that is there, and only the one that they saw.
// Proves: D8
TEST(LaneFsm, JudgesASkipByHand) {
    const event_index head{4};
    EXPECT_EQ(judge_skip({event_index{3}, {}, {}}), lane_verdict::nothing_waits);
    EXPECT_EQ(judge_skip({event_index{3}, {}, head}), lane_verdict::nothing_waits);
    EXPECT_EQ(judge_skip({event_index{3}, head, {}}), lane_verdict::done);
    EXPECT_EQ(judge_skip({event_index{3}, head, head}), lane_verdict::done);
    EXPECT_EQ(judge_skip({event_index{3}, head, event_index{3}}), lane_verdict::head_moved);
}

// Redelivery means the head; where nothing waits, the last event that was delivered.
// Proves: D8
TEST(LaneFsm, KnowsWhatIsMeantToBeRedelivered) {
    EXPECT_EQ(redelivery_target({event_index{3}, event_index{4}, {}}), event_index{4});
    EXPECT_EQ(redelivery_target({event_index{3}, {}, {}}), event_index{3});
    EXPECT_FALSE(redelivery_target({event_index::none(), {}, {}}));
}

}  // namespace
}  // namespace convene
