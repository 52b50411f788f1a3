// SPDX-License-Identifier: Apache-2.0
// What every store promises about what operators do by hand.
#include "store/operations/operating.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Operating : public conformance {
   protected:
    /// A room whose first two events were passed over: three channels' rows (one bound), an agent's, a hook's.
    void create_skipped() {
        register_worker(worker_one());
        create("r");
        batch_on events = batch("r");
        events.add(make_message("a")).deliver_to("sms").deliver_to("socket").deliver_to("bot");
        events.add(make_message("b")).deliver_to("sms").deliver_to("hook");
        for (delivery_row& row : events.commit().deliveries) {
            row.is_bound = row.channel == channel_id{"socket"};
            row.kind = row.channel == channel_id{"bot"}    ? target_kind::agent
                       : row.channel == channel_id{"hook"} ? target_kind::hook_after
                                                           : target_kind::channel;
        }
        must(events.take());
        ops::finish_set pass = step("r", claim("r").claim_epoch, 0);
        pass.advance_to = event_index{1};
        for (const char* const id : {"a", "b"}) {
            for (const delivery_row& row : rows_of("r", id)) {
                pass.results.push_back(outcome_of(row, delivery_state::skipped));
            }
        }
        delivery_skip& skip = pass.skip.emplace();
        skip.room = room_id{"r"};
        skip.from = event_index{0};
        skip.to = event_index{1};
        skip.events = {event_id{"a"}, event_id{"b"}};
        skip.reason = "poison";
        must(pass);
    }

    std::string states_of(const std::string& event) {
        std::string states;
        for (const char* const channel : {"sms", "socket", "bot", "hook"}) {
            for (const delivery_row& row : rows_of("r", event)) {
                if (row.channel == channel_id{channel}) {
                    states += std::string{channel} + ' ' + std::string{word_of(row.state)} + ' ';
                }
            }
        }
        return states;
    }
};

CONVENE_ON_EVERY_STORE(Operating);

// A replay queues what channels missed, in index order and under the same ids, opens answers and after-hooks again for
// whoever has the claim, and leaves what only a dead process could reach.
// Proves: D8
TEST_P(Operating, ASkipIsReplayed) {
    create_skipped();
    const auto done = must(ops::replay_skip{acme(), 1});
    EXPECT_FALSE(done.is_replayed_before);
    EXPECT_EQ(done.room, room_id{"r"});
    ASSERT_EQ(done.queued.size(), 2u);
    EXPECT_EQ(done.queued[0].event, event_id{"a"});
    EXPECT_EQ(done.queued[1].event, event_id{"b"});
    EXPECT_LT(done.queued[0].id, done.queued[1].id);
    EXPECT_EQ(done.reopened, 2);
    EXPECT_EQ(done.left, 1);
    EXPECT_EQ(states_of("a"), "sms deferred socket skipped bot pending ");
    EXPECT_EQ(states_of("b"), "sms deferred hook pending ");
    const auto due = must(ops::take_due_outbound{});
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0], done.queued[0]);
    for (const delivery_row& row : rows_of("r", "a")) {
        if (row.channel == channel_id{"sms"}) {
            EXPECT_EQ(row.id, due[0].delivery);
        }
        if (row.channel == channel_id{"bot"}) {
            EXPECT_TRUE(row.committed_by.empty());
            EXPECT_EQ(row.outcome, delivery_outcome{});
        }
    }
    EXPECT_EQ(cursor_of("r").delivered, event_index{1});
    const auto orphaned = must(ops::find_orphaned_rooms{});
    ASSERT_EQ(orphaned.size(), 1u);
    EXPECT_EQ(must(ops::adopt_rows{room_id{"r"}, worker_two(), event_index{1}}).size(), 2u);
}

// It happens once, also over a restart, and to nobody else's skip.
// Proves: D8, X1
TEST_P(Operating, ASkipIsReplayedOnce) {
    create_skipped();
    EXPECT_EQ(error_of(ops::replay_skip{organization_id{"globex"}, 1}), errc::not_found);
    EXPECT_EQ(error_of(ops::replay_skip{acme(), 2}), errc::not_found);
    must(ops::replay_skip{acme(), 1});
    harness().restart();
    EXPECT_TRUE(must(ops::list_skips{}).front().is_replayed);
    const auto again = must(ops::replay_skip{acme(), 1});
    EXPECT_TRUE(again.is_replayed_before);
    EXPECT_THAT(again.queued, IsEmpty());
    EXPECT_EQ(must(ops::take_due_outbound{}).size(), 1u);
}

// What was deleted since is not delivered after all.
// Proves: D8, R13
TEST_P(Operating, AReplayLeavesDeletedEvents) {
    create_skipped();
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"a"}, true});
    const auto done = must(ops::replay_skip{acme(), 1});
    ASSERT_EQ(done.queued.size(), 1u);
    EXPECT_EQ(done.queued[0].event, event_id{"b"});
    EXPECT_EQ(done.reopened, 1);
    EXPECT_EQ(done.left, 3);
    EXPECT_EQ(states_of("b"), "sms deferred hook pending ");
}

/// The row of an event for a channel.
delivery_row row_for(const std::vector<delivery_row>& rows, const char* channel) {
    for (const delivery_row& row : rows) {
        if (row.channel == channel_id{channel}) {
            return row;
        }
    }
    return {};
}

// What failed or was skipped of an event behind the cursor is delivered again under the same ids: channels over the
// queue, the rest by whoever has the claim. What was delivered is not, nor what only a dead process could reach.
// Proves: D8
TEST_P(Operating, AnEventIsRedelivered) {
    create_skipped();
    batch_on more = batch("r");
    more.add(make_message("c")).deliver_to("sms").deliver_to("mail").deliver_to("socket");
    more.commit().deliveries[2].is_bound = true;
    must(more.take());
    const std::vector<delivery_row> planned = rows_of("r", "c");
    ops::finish_set ended = step("r", claim("r").claim_epoch, 2);
    ended.results = {
        outcome_of(row_for(planned, "sms"), delivery_state::failed),
        outcome_of(row_for(planned, "mail"), delivery_state::done),
        outcome_of(row_for(planned, "socket"), delivery_state::failed),
    };
    must(ended);

    const ops::reopened_rows sent = must(ops::redeliver_event{acme(), room_id{"r"}, event_id{"c"}});
    ASSERT_EQ(sent.queued.size(), 1U);
    EXPECT_EQ(sent.queued.front().delivery, row_for(planned, "sms").id);
    EXPECT_EQ(sent.reopened, 0);
    EXPECT_EQ(sent.left, 1);
    EXPECT_EQ(row_for(rows_of("r", "c"), "mail").state, delivery_state::done);
    EXPECT_EQ(row_for(rows_of("r", "c"), "sms").outcome, delivery_outcome{});

    const ops::reopened_rows old = must(ops::redeliver_event{acme(), room_id{"r"}, event_id{"a"}});
    EXPECT_EQ(old.queued.size(), 1U);
    EXPECT_EQ(old.reopened, 1);
    EXPECT_EQ(states_of("a"), "sms deferred socket skipped bot pending ");
    // What is under way is not begun a second time.
    const ops::reopened_rows again = must(ops::redeliver_event{acme(), room_id{"r"}, event_id{"a"}}
    );
    EXPECT_THAT(again.queued, IsEmpty());
    EXPECT_EQ(again.reopened, 0);
}

// In front of the cursor the lane itself delivers, in its order: nothing goes to the queue.
// Proves: D2, D8
TEST_P(Operating, TheHeadIsReopenedInItsPlace) {
    register_worker(worker_one());
    create("r");
    must(batch("r").add(make_message("a")).deliver_to("sms").deliver_to("mail").take());
    const std::vector<delivery_row> planned = rows_of("r", "a");
    ops::put_results failed{room_id{"r"}, worker_one(), {}, {}};
    failed.results = {outcome_of(row_for(planned, "sms"), delivery_state::failed)};
    must(failed);
    const ops::reopened_rows done = must(ops::redeliver_event{acme(), room_id{"r"}, event_id{"a"}});
    EXPECT_THAT(done.queued, IsEmpty());
    EXPECT_EQ(done.reopened, 1);
    const delivery_row reopened = row_for(rows_of("r", "a"), "sms");
    EXPECT_EQ(reopened.state, delivery_state::pending);
    EXPECT_TRUE(reopened.committed_by.empty());
}

// Only events that are there, of one's own organisation.
// Proves: X1
TEST_P(Operating, WhatIsNotThereIsNotRedelivered) {
    create_skipped();
    const organization_id globex{"globex"};
    EXPECT_EQ(error_of(ops::redeliver_event{globex, room_id{"r"}, event_id{"a"}}), errc::not_found);
    EXPECT_EQ(error_of(ops::redeliver_event{acme(), room_id{"r"}, event_id{"x"}}), errc::not_found);
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"a"}, true});
    EXPECT_EQ(error_of(ops::redeliver_event{acme(), room_id{"r"}, event_id{"a"}}), errc::not_found);
}

// A stopped lane is stopped for every worker and over restarts; who holds the claim can't step any more until it has
// read so. It goes on when told.
// Proves: D14, L7
TEST_P(Operating, ALaneIsPausedForEverybody) {
    register_worker(worker_one());
    create("r");
    commit_messages("r", {"a"});
    const delivery_cursor held = claim("r");
    EXPECT_FALSE(held.paused_at);
    const auto paused = must(ops::set_lane_state{acme(), room_id{"r"}, ops::lane_state::paused});
    EXPECT_TRUE(paused.is_changed);
    ASSERT_TRUE(paused.cursor.paused_at);
    EXPECT_EQ(*paused.cursor.paused_at, clock().now());
    EXPECT_EQ(error_of(step("r", held.claim_epoch, 0)), errc::claim_lost);

    harness().restart();
    EXPECT_EQ(cursor_of("r"), paused.cursor);
    const auto again = must(ops::set_lane_state{acme(), room_id{"r"}, ops::lane_state::paused});
    EXPECT_FALSE(again.is_changed);
    EXPECT_EQ(again.cursor, paused.cursor);
    EXPECT_TRUE(claim("r", worker_two()).paused_at);

    const auto resumed = must(ops::set_lane_state{acme(), room_id{"r"}, ops::lane_state::running});
    EXPECT_TRUE(resumed.is_changed);
    EXPECT_FALSE(resumed.cursor.paused_at);
    EXPECT_FALSE(
        must(ops::set_lane_state{acme(), room_id{"r"}, ops::lane_state::running}).is_changed
    );
    EXPECT_EQ(
        error_of(
            ops::set_lane_state{organization_id{"globex"}, room_id{"r"}, ops::lane_state::paused}
        ),
        errc::not_found
    );
}

// Stopped lanes are listed whether or not a worker has the room, only one's own, in pages.
// Proves: L11, X1
TEST_P(Operating, PausedLanesAreListed) {
    for (const char* const id : {"r1", "r2", "r3"}) {
        create(id);
        must(ops::set_lane_state{acme(), room_id{id}, ops::lane_state::paused});
    }
    commit_messages("r2", {"a", "b"});
    must(ops::set_lane_state{acme(), room_id{"r3"}, ops::lane_state::running});
    const auto all = must(ops::list_paused_lanes{acme(), {}, 10});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].room, room_id{"r1"});
    EXPECT_EQ(all[1].room, room_id{"r2"});
    EXPECT_EQ(all[1].delivered, event_index::none());
    EXPECT_EQ(all[1].latest, event_index{1});
    EXPECT_EQ(all[1].paused_at, clock().now());
    EXPECT_EQ(must(ops::list_paused_lanes{acme(), {}, 1}).size(), 1U);
    EXPECT_EQ(must(ops::list_paused_lanes{acme(), room_id{"r1"}, 10}).size(), 1U);
    EXPECT_THAT(must(ops::list_paused_lanes{organization_id{"globex"}, {}, 10}), IsEmpty());
}

// An identity changes where something is named; metadata key by key; only its own organisation's.
// Proves: X1
TEST_P(Operating, IdentitiesChange) {
    identity person;
    person.id = identity_id{"p"};
    person.organization = acme();
    person.display_name = "Ann";
    person.metadata = json_text::trusted(R"({"a":1,"b":2})");
    must(ops::create_identity{person});
    ops::update_identity change{acme(), person.id, std::nullopt, std::nullopt, {}};
    EXPECT_EQ(must(change).display_name, "Ann");
    change.display_name = "Anna";
    change.metadata_patch = json_text::trusted(R"({"b":3})");
    change.metadata_unset = {"a"};
    must(change);
    const identity read = must(ops::get_identity{acme(), person.id});
    EXPECT_EQ(read.display_name, "Anna");
    EXPECT_EQ(read.metadata.str(), R"({"b":3})");
    change.metadata_patch = json_text::trusted("[]");
    EXPECT_EQ(error_of(change), errc::invalid_argument);
    change.organization = organization_id{"globex"};
    EXPECT_EQ(error_of(change), errc::not_found);
}

// After a restore nothing that a worker or a reader knew before counts: positions are of another counting, claims and
// locks are fenced, and all workers are dead.
// Proves: L7, R18
TEST_P(Operating, ARestoreIsNoted) {
    create("r");
    commit_messages("r", {"a", "b"});
    register_worker(worker_one());
    const delivery_cursor before = claim("r");
    must(ops::open_session{acme(), room_id{"r"}, channel_id{"agent"}, "ann"});
    const auto done = must(ops::note_restore{});
    EXPECT_EQ(done.rooms, 1);
    EXPECT_EQ(done.workers, 1);
    const room after = get("r");
    EXPECT_EQ(after.timeline_epoch, 1);
    EXPECT_EQ(after.lock_epoch, 1);
    EXPECT_EQ(after.next_index, event_index{2});
    EXPECT_EQ(error_of(step("r", before.claim_epoch, 0)), errc::claim_lost);
    EXPECT_EQ(error_of(ops::append_state{room_id{"r"}, 0, {}}), errc::driver_fenced);
    EXPECT_EQ(must(ops::list_workers{}).front().state, ops::worker_state::dead);
    EXPECT_EQ(must(ops::note_restore{}).workers, 0);
}

// A probe answers as long as the store does.
// Proves: O2
TEST_P(Operating, AProbeAnswers) {
    const auto closing = GetParam().open();
    const ops::probe_store probe;
    ASSERT_TRUE(closing->run(probe).has_value());
    closing->where().run_until_done(closing->store().close());
    EXPECT_EQ(closing->run(probe).error(), errc::unavailable);
}

}  // namespace

}  // namespace convene
