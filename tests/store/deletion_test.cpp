// SPDX-License-Identifier: Apache-2.0
// What every store promises about hard deletion: indexes stay taken, counters stay, work on the
// event ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Deletion : public conformance {
   protected:
    std::vector<event_id> remove(const std::string& id, bool cascade = true) {
        return must(ops::delete_event{acme(), room_id{"r"}, event_id{id}, cascade});
    }

    void create_thread() {
        create("r");
        must(batch("r")
                 .add(make_message("before"))
                 .add(make_message("root"))
                 .add(make_reply("one", "root"))
                 .add(make_message("between"))
                 .add(make_reply("two", "root"))
                 .take());
    }
};

CONVENE_ON_EVERY_STORE(Deletion);

// A deletion takes the replies with it and answers all ids, the root first.
// Proves: R13 (rk:C12)
TEST_P(Deletion, CascadesToReplies) {
    create_thread();
    EXPECT_THAT(remove("root"), ElementsAre(event_id{"root"}, event_id{"one"}, event_id{"two"}));
    EXPECT_THAT(ids_of(events_of("r")), ElementsAre("before", "between"));
    const ops::get_event gone{acme(), room_id{"r"}, event_id{"one"}};
    EXPECT_EQ(error_of(gone), errc::not_found);
    EXPECT_THAT(must(ops::summarize_threads{acme(), room_id{"r"}, {event_id{"root"}}}), IsEmpty());
}

// Without cascade the replies stay.
// Proves: R13 (rk:C12)
TEST_P(Deletion, KeepsRepliesWhenAsked) {
    create_thread();
    EXPECT_THAT(remove("root", false), ElementsAre(event_id{"root"}));
    EXPECT_THAT(ids_of(events_of("r")), ElementsAre("before", "one", "between", "two"));
    EXPECT_EQ(event("r", "one").parent, event_id{"root"});
}

// An event that names itself as its parent is deleted once, and breaks nothing.
// Proves: R13
TEST_P(Deletion, RemovesItsOwnReplyOnce) {
    create("r");
    must(batch("r").add(make_reply("loop", "loop")).add(make_message("next")).take());
    EXPECT_THAT(remove("loop"), ElementsAre(event_id{"loop"}));
    EXPECT_THAT(ids_of(events_of("r")), ElementsAre("next"));
}

// An event that is absent, of another room or of another organisation is not deleted.
// Proves: R13, X1 (rk:C12)
TEST_P(Deletion, TouchesNothingElse) {
    create_thread();
    create("other");
    EXPECT_THAT(remove("absent"), IsEmpty());
    EXPECT_THAT(
        must(ops::delete_event{acme(), room_id{"other"}, event_id{"root"}, true}), IsEmpty()
    );
    const organization_id globex{"globex"};
    EXPECT_THAT(must(ops::delete_event{globex, room_id{"r"}, event_id{"root"}, true}), IsEmpty());
    EXPECT_EQ(events_of("r").size(), 5u);
}

// Counters stay where they were, and no index is ever used again, not even the newest.
// Proves: R2, R3 (rk:C12)
TEST_P(Deletion, NeverFreesAnIndex) {
    create("r");
    commit_messages("r", {"a", "b"});
    remove("b");
    EXPECT_EQ(get("r").latest_index, event_index{1});
    EXPECT_EQ(get("r").event_count, 2);
    EXPECT_EQ(get("r").next_index, event_index{2});
    commit_messages("r", {"c"});
    EXPECT_EQ(event("r", "c").index, event_index{2});

    remove("a");
    remove("c");
    EXPECT_THAT(events_of("r"), IsEmpty());
    harness().restart();
    commit_messages("r", {"d"});
    EXPECT_EQ(event("r", "d").index, event_index{3});
}

// Reading around a deleted index finds its neighbours.
// Proves: R14
TEST_P(Deletion, LeavesCursorsUsable) {
    create("r");
    commit_messages("r", {"a", "b", "c"});
    remove("b");
    ops::list_events request = list_of("r");
    request.after = event_index{0};
    EXPECT_THAT(ids_of(must(request)), ElementsAre("c"));
    request.after = event_index{1};
    EXPECT_THAT(ids_of(must(request)), ElementsAre("c"));
    request.after.reset();
    request.before = event_index{1};
    EXPECT_THAT(ids_of(must(request)), ElementsAre("a"));
}

// Open deliveries of a deleted event end as skipped, with the reason; final ones keep what they
// came to.
// Proves: R13, D7
TEST_P(Deletion, EndsOpenDeliveries) {
    create("r");
    must(batch("r")
             .add(make_message("a"))
             .deliver_to("pending")
             .deliver_to("streaming")
             .deliver_to("done")
             .take());
    const auto rows = rows_of("r", "a");
    ASSERT_EQ(rows.size(), 3u);
    must(ops::put_results{
        room_id{"r"},
        worker_one(),
        {outcome_of(rows[0], delivery_state::done), outcome_of(rows[2], delivery_state::streaming)},
        {}
    });
    remove("a");

    const auto closed = rows_of("r", "a");
    ASSERT_EQ(closed.size(), 3u);
    EXPECT_EQ(closed[0].channel, channel_id{"done"});
    EXPECT_EQ(closed[0].state, delivery_state::done);
    EXPECT_EQ(closed[1].state, delivery_state::skipped);
    EXPECT_EQ(closed[1].outcome.error_code, "event_deleted");
    EXPECT_EQ(closed[2].state, delivery_state::skipped);
}

// What was queued for later is taken out of the queue, and its row ends as skipped.
// Proves: R13, D12
TEST_P(Deletion, EmptiesTheOutboundQueue) {
    create("r");
    must(batch("r").add(make_message("a")).deliver_to("sms").take());
    must(batch("r").add(make_message("b")).deliver_to("sms").take());
    ops::finish_set finished = step("r", claim("r").claim_epoch, 0);
    const delivery_row row = rows_of("r", "a").front();
    finished.results = {outcome_of(row, delivery_state::deferred)};
    finished.deferred = {make_outbound(row)};
    must(finished);
    must(ops::put_outbound{make_outbound(rows_of("r", "b").front())});
    remove("a");
    const auto due = must(ops::take_due_outbound{});
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due.front().event, event_id{"b"});
    EXPECT_EQ(rows_of("r", "a").front().state, delivery_state::skipped);
}

// A cursor with nothing but deleted events before it has nothing to wait for: it stands at the end.
// Proves: D3, R13
TEST_P(Deletion, MovesACursorOverADeletedEnd) {
    create("r");
    commit_messages("r", {"a", "b", "c"});
    must(step("r", claim("r").claim_epoch, 0));
    remove("b");
    EXPECT_EQ(cursor_of("r").delivered, event_index{0}) << "there is still an event to deliver";
    remove("c");
    EXPECT_EQ(cursor_of("r").delivered, event_index{2});
    EXPECT_EQ(get("r").delivered_index, event_index{2});
    commit_messages("r", {"d"});
    EXPECT_EQ(cursor_of("r").delivered, event_index{2}) << "a commit moves no cursor";
}

// A step that reaches a deleted end goes on over it, and says where it came to.
// Proves: D3, R13
TEST_P(Deletion, LetsAStepGoOnOverADeletedEnd) {
    create("r");
    commit_messages("r", {"a", "b", "c"});
    remove("c");
    remove("b");
    EXPECT_EQ(must(step("r", claim("r").claim_epoch, 0)).delivered, event_index{2});
    EXPECT_EQ(cursor_of("r").delivered, event_index{2});
}

// A room whose undelivered events were all deleted by hand is no orphan of the worker that
// committed them.
// Proves: D7
TEST_P(Deletion, LeavesNoOrphan) {
    register_worker(worker_one());
    create("r");
    must(batch("r").add(make_message("a")).deliver_to("sms").take());
    bury(worker_one());
    EXPECT_EQ(must(ops::find_orphaned_rooms{}).size(), 1u);
    remove("a");
    EXPECT_THAT(must(ops::find_orphaned_rooms{}), IsEmpty());
}

}  // namespace

}  // namespace convene
