// SPDX-License-Identifier: Apache-2.0
// What every store promises about the delivery cursor: one step per set, by the claimer, never
// back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "store/conformance.hpp"
#include "support/describe.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Cursor : public conformance {
   protected:
    /// A room "r" with the events e0, e1, ..., each to be delivered to one channel.
    void create_with_deliveries(int count) {
        create("r");
        for (int i = 0; i < count; ++i) {
            must(batch("r").add(make_message("e" + std::to_string(i))).deliver_to("sms").take());
        }
    }

    delivery_row row_of(const std::string& event) { return rows_of("r", event).front(); }

    /// The set of e<index> with its row done and a notice.
    ops::finish_set full_set(std::int64_t epoch, std::int64_t index) {
        ops::finish_set finished = step("r", epoch, index);
        const delivery_row row = row_of("e" + std::to_string(index));
        finished.results = {outcome_of(row, delivery_state::done)};
        finished.notices.emplace_back().type = "delivery_recovered";
        return finished;
    }

    /// All that the end of a set can write.
    std::string everything() {
        std::string text = describe(cursor_of("r"));
        for (const room_event& stored : events_of("r")) {
            text += describe(rows_of("r", stored.id.str()));
        }
        text += describe(must(ops::list_notices{}));
        text += describe(must(ops::list_skips{}));
        text += describe(must(ops::list_outbound_addresses{}));
        return text;
    }

    void expect_refused(const ops::finish_set& request, errc expected) {
        const std::string before = everything();
        EXPECT_EQ(error_of(request), expected);
        EXPECT_EQ(everything(), before);
    }
};

CONVENE_ON_EVERY_STORE(Cursor);

// A room's cursor starts before the first event, unclaimed; a commit does not move it.
// Proves: D3 (rk:C1)
TEST_P(Cursor, StartsBeforeTheFirstEvent) {
    create_with_deliveries(1);
    const delivery_cursor cursor = cursor_of("r");
    EXPECT_EQ(cursor.delivered, event_index::none());
    EXPECT_TRUE(cursor.claimer.empty());
    EXPECT_EQ(cursor.takeovers, 0);
    EXPECT_EQ(error_of(ops::get_cursor{room_id{"absent"}}), errc::not_found);
}

// It moves set by set; the room shows where it is.
// Proves: D3 (rk:C2)
TEST_P(Cursor, StepsSetBySet) {
    create_with_deliveries(2);
    const std::int64_t epoch = claim("r").claim_epoch;
    EXPECT_EQ(must(full_set(epoch, 0)).delivered, event_index{0});
    EXPECT_EQ(must(full_set(epoch, 1)).delivered, event_index{1});
    EXPECT_EQ(cursor_of("r").delivered, event_index{1});
    EXPECT_EQ(get("r").delivered_index, event_index{1});
    EXPECT_EQ(row_of("e1").state, delivery_state::done);
}

// A set that is not the next one, ahead or behind, changes nothing.
// Proves: D3 (rk:C3, rk:C4)
TEST_P(Cursor, RefusesAGapAndAStepBack) {
    create_with_deliveries(4);
    const std::int64_t epoch = claim("r").claim_epoch;
    expect_refused(full_set(epoch, 1), errc::claim_lost);
    must(full_set(epoch, 0));
    expect_refused(full_set(epoch, 2), errc::claim_lost);
    ops::finish_set overlapping = full_set(epoch, 0);
    overlapping.advance_to = event_index{2};
    expect_refused(overlapping, errc::claim_lost);
}

// A step beyond the last event or backwards in itself is a mistake, and changes nothing.
// Proves: D3
TEST_P(Cursor, RefusesImpossibleSteps) {
    create_with_deliveries(2);
    const std::int64_t epoch = claim("r").claim_epoch;
    ops::finish_set beyond = full_set(epoch, 0);
    beyond.advance_to = event_index{2};
    expect_refused(beyond, errc::invalid_argument);
    ops::finish_set backwards = full_set(epoch, 1);
    backwards.advance_to = event_index{0};
    expect_refused(backwards, errc::invalid_argument);
}

// One step may cover events behind the set that have no recipients.
// Proves: D3 (rk:C5)
TEST_P(Cursor, PassesEventsWithoutRecipients) {
    create_with_deliveries(1);
    commit_messages("r", {"silent", "still"});
    ops::finish_set finished = full_set(claim("r").claim_epoch, 0);
    finished.advance_to = event_index{2};
    EXPECT_EQ(must(finished).delivered, event_index{2});
    EXPECT_EQ(cursor_of("r").delivered, event_index{2});
}

// A room that is not there has no set to finish and no claim to take.
// Proves: D3 (rk:C6)
TEST_P(Cursor, NeedsItsRoom) {
    const ops::claim_cursor taking{room_id{"absent"}, worker_one(), 0, std::nullopt};
    EXPECT_EQ(error_of(taking), errc::claim_lost);
    EXPECT_EQ(error_of(step("absent", 0, 0)), errc::claim_lost);
}

// Repeating a step whose answer was lost succeeds and changes nothing: nothing is counted twice.
// Proves: D3, D13
TEST_P(Cursor, CanRepeatAStep) {
    create_with_deliveries(2);
    const std::int64_t epoch = claim("r").claim_epoch;
    ops::finish_set first = full_set(epoch, 0);
    first.skip.emplace().room = room_id{"r"};
    first.deferred = {make_outbound(row_of("e0"))};
    must(first);
    const std::string before = everything();
    EXPECT_EQ(must(first).delivered, event_index{0});
    EXPECT_EQ(everything(), before);

    must(full_set(epoch, 1));
    EXPECT_EQ(must(first).delivered, event_index{1}) << "also when the cursor went on";
}

// Taking the claim raises its epoch and names the claimer; who compares with an older epoch loses.
// Proves: D4, L7
TEST_P(Cursor, IsClaimedByCompare) {
    create_with_deliveries(1);
    const delivery_cursor first = claim("r", worker_one());
    EXPECT_EQ(first.claimer, worker_one());
    const delivery_cursor second = claim("r", worker_two());
    EXPECT_EQ(second.claimer, worker_two());
    EXPECT_GT(second.claim_epoch, first.claim_epoch);
    const ops::claim_cursor late{room_id{"r"}, worker_one(), first.claim_epoch, std::nullopt};
    EXPECT_EQ(error_of(late), errc::claim_lost);
    EXPECT_EQ(describe(cursor_of("r")), describe(second));
}

// A worker that lost its claim while it was frozen changes nothing any more: no row, no notice, no
// step.
// Proves: D3, L7
TEST_P(Cursor, IsNotMovedByAZombie) {
    create_with_deliveries(2);
    const std::int64_t zombie = claim("r", worker_one()).claim_epoch;
    const std::int64_t successor = claim("r", worker_two()).claim_epoch;
    ops::finish_set late = full_set(zombie, 0);
    late.skip.emplace().room = room_id{"r"};
    late.deferred = {make_outbound(row_of("e0"))};
    expect_refused(late, errc::claim_lost);
    must(full_set(successor, 0));
    expect_refused(late, errc::claim_lost);
    expect_refused(full_set(zombie, 1), errc::claim_lost);
}

// The takeover count belongs to the head: it is written with the claim and gone once the head is
// passed.
// Proves: D8
TEST_P(Cursor, CountsTakeoversOfItsHead) {
    create_with_deliveries(1);
    const std::int64_t epoch = claim("r").claim_epoch;
    const delivery_cursor taken = must(ops::claim_cursor{room_id{"r"}, worker_two(), epoch, 2});
    EXPECT_EQ(taken.takeovers, 2);
    EXPECT_EQ(claim("r").takeovers, 2) << "a claim that says nothing leaves it";
    must(full_set(cursor_of("r").claim_epoch, 0));
    EXPECT_EQ(cursor_of("r").takeovers, 0);
}

// What a set came to, what it deferred, what it skipped and what it tells are stored with the
// step, at the store's time.
// Proves: D3, D8, D12, D13
TEST_P(Cursor, StoresAllOfASet) {
    create_with_deliveries(1);
    clock().advance(3s);
    ops::finish_set finished = full_set(claim("r").claim_epoch, 0);
    finished.results.front().state = delivery_state::deferred;
    finished.results.front().outcome = {"provider-1", "rate_limited", "too many", true};
    finished.deferred = {make_outbound(row_of("e0"))};
    delivery_skip& skip = finished.skip.emplace();
    skip.room = room_id{"r"};
    skip.from = skip.to = event_index{0};
    skip.events = {event_id{"e0"}};
    skip.owner = worker_two();
    skip.reason = "poison";
    must(finished);

    const delivery_row row = row_of("e0");
    EXPECT_EQ(row.state, delivery_state::deferred);
    EXPECT_EQ(row.attempts, 1);
    EXPECT_EQ(describe(row.outcome), describe(finished.results.front().outcome));
    const auto skips = must(ops::list_skips{});
    ASSERT_EQ(skips.size(), 1u);
    skip.id = skips.front().id;
    skip.created_at = clock().now();
    EXPECT_EQ(describe(skips.front()), describe(skip));
    const auto due = must(ops::take_due_outbound{});
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due.front().delivery, row.id);
    const auto notices = must(ops::list_notices{});
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_EQ(notices.front().created_at, clock().now());
}

// A row that is final keeps its state, whatever a set says it came to.
// Proves: D7
TEST_P(Cursor, LeavesFinalRowsAlone) {
    create_with_deliveries(1);
    const delivery_row row = row_of("e0");
    must(ops::put_results{room_id{"r"}, worker_one(), {outcome_of(row, delivery_state::failed)}, {}}
    );
    must(full_set(claim("r").claim_epoch, 0));
    EXPECT_EQ(row_of("e0").state, delivery_state::failed);
}

// Results of another room's rows, or of none, are passed over.
// Proves: D3
TEST_P(Cursor, TouchesRowsOfItsRoomOnly) {
    create_with_deliveries(1);
    create("other");
    must(batch("other").add(make_message("there")).deliver_to("sms").take());
    ops::finish_set finished = full_set(claim("r").claim_epoch, 0);
    finished.results.push_back(outcome_of(rows_of("other", "there").front(), delivery_state::failed)
    );
    finished.results.push_back({delivery_id{"unknown"}, delivery_state::done, 1, {}});
    must(finished);
    EXPECT_EQ(rows_of("other", "there").front().state, delivery_state::pending);
}

// Skips are listed from a point on, for one room or all, oldest first.
// Proves: D8
TEST_P(Cursor, ListsSkips) {
    create_with_deliveries(3);
    create("other");
    commit_messages("other", {"a"});
    const auto skip_at = [&](const std::string& room, std::int64_t index) {
        ops::finish_set finished = step(room, claim(room).claim_epoch, index);
        delivery_skip& skip = finished.skip.emplace();
        skip.room = room_id{room};
        skip.from = skip.to = event_index{index};
        must(finished);
    };
    skip_at("r", 0);
    skip_at("other", 0);
    skip_at("r", 1);

    const auto all = must(ops::list_skips{});
    ASSERT_EQ(all.size(), 3u);
    EXPECT_LT(all[0].id, all[1].id);
    const auto of_room = must(ops::list_skips{room_id{"r"}, all[0].id, 50});
    ASSERT_EQ(of_room.size(), 1u);
    EXPECT_EQ(of_room.front().from, event_index{1});
    EXPECT_EQ(must(ops::list_skips{std::nullopt, 0, 2}).size(), 2u);
}

// Cursor, claim and takeovers are kept over a restart.
// Proves: D3, S1
TEST_P(Cursor, SurvivesARestart) {
    create_with_deliveries(2);
    must(full_set(claim("r").claim_epoch, 0));
    must(ops::claim_cursor{room_id{"r"}, worker_two(), cursor_of("r").claim_epoch, 1});
    const std::string before = everything();
    harness().restart();
    EXPECT_EQ(everything(), before);
    must(full_set(cursor_of("r").claim_epoch, 1));
}

}  // namespace

}  // namespace convene
