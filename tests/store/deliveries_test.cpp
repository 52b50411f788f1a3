// SPDX-License-Identifier: Apache-2.0
// What every store promises about delivery rows: who may end them, who takes them over, who is left
// alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"
#include "support/describe.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Deliveries : public conformance {
   protected:
    void SetUp() override {
        register_worker(worker_one());
        register_worker(worker_two());
    }

    /// Commits one event with a row for "sms", as `worker`.
    void commit_for(const std::string& room, const std::string& id, const incarnation_id& worker) {
        room_event next = make_message(id);
        next.committed_by = worker;
        must(batch(room).add(next).deliver_to("sms", worker).take());
    }

    void put(const incarnation_id& executor, const delivery_row& row, delivery_state state) {
        must(ops::put_results{row.room, executor, {outcome_of(row, state)}, {}});
    }

    delivery_row row_of(const std::string& event) { return rows_of("r", event).front(); }

    std::vector<delivery_row> adopt(const incarnation_id& owner, std::int64_t through) {
        return must(ops::adopt_rows{room_id{"r"}, owner, event_index{through}});
    }

    std::vector<std::string> orphans(const std::string& after = "", std::size_t limit = 64) {
        std::vector<std::string> rooms;
        for (const auto& item : must(ops::find_orphaned_rooms{room_id{after}, limit})) {
            EXPECT_EQ(item.organization, acme());
            rooms.push_back(item.room.str());
        }
        return rooms;
    }
};

CONVENE_ON_EVERY_STORE(Deliveries);

// Every field of a row comes back; rows of one event come in the order of their ids.
// Proves: D1, S1
TEST_P(Deliveries, KeepEveryField) {
    create("r");
    batch_on sending = batch("r");
    sending.add(make_message("a"));
    const room_event& sent = sending.commit().events.front();
    delivery_row agent = make_row(sent, "agent");
    agent.kind = target_kind::agent;
    agent.is_bound = true;
    agent.attempts = 2;
    agent.outcome = {"provider", "code", "message", true};
    delivery_row hook = make_row(sent, "hook", incarnation_id{});
    hook.kind = target_kind::hook_after;
    sending.commit().deliveries = {hook, agent};
    must(sending.take());
    EXPECT_EQ(describe(rows_of("r", "a")), describe(std::vector{agent, hook}));
    EXPECT_THAT(rows_of("r", "absent"), IsEmpty());
    EXPECT_THAT(rows_of("absent", "a"), IsEmpty());
}

// The lane has every event from a point on, in order, with its rows, also events without any.
// Proves: D2, D3
TEST_P(Deliveries, AreLoadedInOrder) {
    create("r");
    commit_for("r", "a", worker_one());
    commit_messages("r", {"silent"});
    commit_for("r", "b", worker_one());
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"a"}});

    const auto lane = must(ops::load_lane{room_id{"r"}, event_index{0}});
    ASSERT_EQ(lane.size(), 2u);
    EXPECT_EQ(describe(lane[0].event), describe(event("r", "silent")));
    EXPECT_THAT(lane[0].rows, IsEmpty());
    EXPECT_EQ(describe(lane[1].rows), describe(rows_of("r", "b")));
    const auto one = must(ops::load_lane{room_id{"r"}, event_index{0}, 1});
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one.front().event.id, event_id{"silent"});
    EXPECT_THAT(must(ops::load_lane{room_id{"r"}, event_index{3}}), IsEmpty());
    EXPECT_THAT(must(ops::load_lane{room_id{"absent"}, event_index{0}}), IsEmpty());
}

// The lane shows whose owner is gone: all open rows are a dead worker's or nobody's. One that a
// live worker has keeps the event its, as does a worker that only drains.
// Proves: D7, D9
TEST_P(Deliveries, ShowWhoseOwnerIsGone) {
    create("r");
    room_event shared = make_message("shared");
    must(batch("r")
             .add(shared)
             .deliver_to("one", worker_one())
             .deliver_to("two", worker_two())
             .take());
    const auto is_gone = [&] {
        return must(ops::load_lane{room_id{"r"}, event_index{0}}).front().owner_is_gone;
    };
    EXPECT_FALSE(is_gone());
    bury(worker_one());
    EXPECT_FALSE(is_gone());
    must(ops::set_worker_state{worker_two(), ops::worker_state::draining});
    EXPECT_FALSE(is_gone());
    must(ops::release_rows{worker_two()});
    EXPECT_TRUE(is_gone());
    for (const delivery_row& row : adopt(worker_two(), 0)) {
        put(worker_two(), row, delivery_state::done);
    }
    EXPECT_FALSE(is_gone()) << "nothing is left to do";
}

// A result counts from the worker that the row belongs to.
// Proves: L7, D13
TEST_P(Deliveries, TakeResultsFromTheirExecutor) {
    create("r");
    commit_for("r", "a", worker_one());
    put(worker_two(), row_of("a"), delivery_state::done);
    EXPECT_EQ(row_of("a").state, delivery_state::pending);
    put(worker_one(), row_of("a"), delivery_state::streaming);
    EXPECT_EQ(row_of("a").state, delivery_state::streaming);
    put(worker_one(), row_of("a"), delivery_state::done);
    EXPECT_EQ(row_of("a").state, delivery_state::done);
    EXPECT_EQ(row_of("a").attempts, 2);
}

// A final row stays what it is, whoever says otherwise and however late.
// Proves: D7
TEST_P(Deliveries, StayFinal) {
    create("r");
    for (const delivery_state final :
         {delivery_state::done,
          delivery_state::failed,
          delivery_state::deferred,
          delivery_state::skipped}) {
        const std::string id = "e" + std::to_string(static_cast<int>(final));
        commit_for("r", id, worker_one());
        put(worker_one(), row_of(id), final);
        const std::string before = describe(row_of(id));
        put(worker_one(), row_of(id), delivery_state::pending);
        put(worker_one(), row_of(id), delivery_state::done);
        EXPECT_EQ(describe(row_of(id)), before);
    }
    bury(worker_one());
    EXPECT_THAT(adopt(worker_two(), 9), IsEmpty());
}

// Notices beside results are stored.
// Proves: R19
TEST_P(Deliveries, StoreNoticesWithResults) {
    ops::put_results told;
    told.room = room_id{"absent"};
    told.notices.emplace_back().type = "circuit_breaker_opened";
    must(told);
    ASSERT_EQ(must(ops::list_notices{}).size(), 1u);
}

// A taken over row belongs to its new owner alone: the dead one's late result changes nothing.
// Proves: D7, L7
TEST_P(Deliveries, ArePassedOnFromTheDead) {
    create("r");
    commit_for("r", "a", worker_one());
    bury(worker_one());
    const auto adopted = adopt(worker_two(), 0);
    ASSERT_EQ(adopted.size(), 1u);
    EXPECT_EQ(adopted.front().committed_by, worker_two());
    EXPECT_EQ(describe(adopted.front()), describe(row_of("a")));
    put(worker_one(), row_of("a"), delivery_state::failed);
    EXPECT_EQ(row_of("a").state, delivery_state::pending);
    put(worker_two(), row_of("a"), delivery_state::done);
    EXPECT_EQ(row_of("a").state, delivery_state::done);
    EXPECT_THAT(adopt(worker_two(), 0), IsEmpty()) << "nothing is left to adopt";
}

// The answer to an adoption may be lost: asked again, it answers the same rows, until they have ended.
// Proves: D7, D13
TEST_P(Deliveries, AreAnsweredAgainToTheirOwner) {
    create("r");
    commit_for("r", "a", worker_one());
    commit_for("r", "b", worker_two());
    bury(worker_one());
    const auto adopted = adopt(worker_two(), 0);
    ASSERT_EQ(adopted.size(), 1u);
    const auto again = adopt(worker_two(), 0);
    ASSERT_EQ(again.size(), 1u);
    EXPECT_EQ(describe(again.front()), describe(adopted.front()));
    put(worker_two(), row_of("a"), delivery_state::done);
    EXPECT_THAT(adopt(worker_two(), 0), IsEmpty());
}

// The living keep their rows, however slow they are; a draining worker is alive, and so is one
// that nobody has proven dead.
// Proves: D9, L10
TEST_P(Deliveries, AreNotTakenFromTheLiving) {
    create("r");
    commit_for("r", "a", worker_one());
    commit_for("r", "b", incarnation_id{"unregistered"});
    clock().advance(24h);
    EXPECT_THAT(adopt(worker_two(), 9), IsEmpty());
    must(ops::set_worker_state{worker_one(), ops::worker_state::draining});
    EXPECT_THAT(adopt(worker_two(), 9), IsEmpty());
    EXPECT_THAT(orphans(), IsEmpty());
}

// Adoption goes up to a point, takes what is not final, and answers in the order of the timeline.
// Proves: D7, D2
TEST_P(Deliveries, AreAdoptedInOrderUpToAPoint) {
    create("r");
    for (const char* const id : {"a", "b", "c", "d"}) {
        commit_for("r", id, worker_one());
    }
    put(worker_one(), row_of("a"), delivery_state::streaming);
    put(worker_one(), row_of("b"), delivery_state::done);
    bury(worker_one());
    std::vector<std::string> adopted;
    for (const delivery_row& row : adopt(worker_two(), 2)) {
        adopted.push_back(row.event.str());
    }
    EXPECT_THAT(adopted, ElementsAre("a", "c"));
    EXPECT_EQ(row_of("d").committed_by, worker_one());
    EXPECT_EQ(row_of("b").committed_by, worker_one());
}

// A worker that stops hands over what is not final; anybody with the claim may adopt it.
// Proves: D15
TEST_P(Deliveries, AreHandedOver) {
    create("r");
    create("other");
    commit_for("r", "a", worker_one());
    commit_for("r", "b", worker_one());
    commit_for("other", "c", worker_one());
    commit_for("other", "d", worker_two());
    put(worker_one(), row_of("b"), delivery_state::done);
    EXPECT_EQ(must(ops::release_rows{worker_one()}), 2);
    EXPECT_EQ(must(ops::release_rows{worker_one()}), 0);
    EXPECT_TRUE(row_of("a").committed_by.empty());
    EXPECT_EQ(row_of("b").committed_by, worker_one());
    EXPECT_EQ(rows_of("other", "d").front().committed_by, worker_two());
    EXPECT_THAT(orphans(), ElementsAre("other", "r"));
    EXPECT_EQ(adopt(worker_two(), 0).size(), 1u);
    EXPECT_THAT(orphans(), ElementsAre("other"));
}

// Rooms with open rows of a dead worker are found, in the order of their ids, page by page.
// Proves: D7
TEST_P(Deliveries, OfTheDeadAreFound) {
    for (const char* const id : {"d", "b", "a", "c"}) {
        create(id);
        commit_for(
            id, std::string{"event in "} + id, id == std::string{"c"} ? worker_two() : worker_one()
        );
    }
    EXPECT_THAT(orphans(), IsEmpty());
    bury(worker_one());
    EXPECT_THAT(orphans(), ElementsAre("a", "b", "d"));
    EXPECT_THAT(orphans("", 2), ElementsAre("a", "b"));
    EXPECT_THAT(orphans("b", 2), ElementsAre("d"));
    bury(worker_two());
    EXPECT_THAT(orphans("a", 2), ElementsAre("b", "c"));
}

// A cursor left behind by a dead worker is found although no row is open: the event had no
// recipients, or all its rows are final.
// Proves: D7, D3
TEST_P(Deliveries, LeaveNoForgottenCursor) {
    create("silent");
    commit_messages("silent", {"a"});
    create("r");
    commit_for("r", "b", worker_one());
    put(worker_one(), row_of("b"), delivery_state::done);
    bury(worker_one());
    EXPECT_THAT(orphans(), ElementsAre("r", "silent"));
    must(step("r", claim("r", worker_two()).claim_epoch, 0));
    EXPECT_THAT(orphans(), ElementsAre("silent"));
}

// What counts is the event right in front of the cursor: one by the living keeps the room theirs.
// Proves: D9
TEST_P(Deliveries, WaitForTheLivingHead) {
    create("r");
    room_event by_two = make_message("a");
    by_two.committed_by = worker_two();
    must(batch("r").add(by_two).take());
    commit_messages("r", {"b"});
    bury(worker_one());
    EXPECT_THAT(orphans(), IsEmpty());
    must(step("r", claim("r", worker_two()).claim_epoch, 0));
    EXPECT_THAT(orphans(), ElementsAre("r"));
}

// An after-hook's row behind the cursor is work as well.
// Proves: D7, D11
TEST_P(Deliveries, BehindTheCursorAreFound) {
    create("r");
    commit_for("r", "a", worker_one());
    must(step("r", claim("r").claim_epoch, 0));
    bury(worker_one());
    EXPECT_THAT(orphans(), ElementsAre("r"));
    EXPECT_EQ(adopt(worker_two(), 0).size(), 1u);
    EXPECT_THAT(orphans(), IsEmpty());
}

// The plan's format is that of the worker that committed the event, whoever had its rows since; it is told where nobody
// alive has them. Who reads only older ones adopts nothing of it, in front of the cursor or behind it.
// Proves: D3, D7
TEST_P(Deliveries, AreAdoptedByWhoReadsTheirFormat) {
    create("r");
    const incarnation_id newer{"newer"};
    ops::register_worker joining;
    joining.worker.incarnation = newer;
    joining.worker.format = 7;
    must(joining);
    commit_for("r", "a", newer);
    commit_for("r", "b", worker_one());
    const auto format = [&] {
        return must(ops::load_lane{room_id{"r"}, event_index{0}}).front().format;
    };
    const auto adopted_by = [&](std::int32_t newest) {
        std::vector<std::int64_t> indexes;
        for (const delivery_row& row :
             must(ops::adopt_rows{room_id{"r"}, worker_two(), event_index{1}, newest})) {
            indexes.push_back(row.index.value());
        }
        return indexes;
    };
    EXPECT_EQ(format(), 0);
    bury(newer);
    bury(worker_one());
    EXPECT_EQ(format(), 7);
    EXPECT_THAT(adopted_by(6), ElementsAre(1));
    EXPECT_EQ(row_of("a").committed_by, newer);
    // What it has already is answered too.
    EXPECT_THAT(adopted_by(7), ElementsAre(0, 1));
    must(ops::release_rows{worker_two()});
    EXPECT_EQ(format(), 7);
    EXPECT_THAT(adopted_by(6), ElementsAre(1));
    EXPECT_THAT(adopted_by(7), ElementsAre(0, 1));
}

// A worker that could not read what is going to be committed is not named as the one that delivers it.
// Proves: D1, D9
TEST_P(Deliveries, AreNotLeftToWhoCannotReadThem) {
    create("r");
    const std::int64_t epoch = claim("r").claim_epoch;
    must(ops::claim_cursor{room_id{"r"}, worker_two(), epoch, std::nullopt});
    EXPECT_EQ(must(ops::load_room_head{acme(), room_id{"r"}, {}, 1}).deliverer, worker_two());
    EXPECT_EQ(must(ops::load_room_head{acme(), room_id{"r"}, {}, 2}).deliverer, incarnation_id{});
}

// The head that a commit is decided on names the worker that delivers the room, as long as it lives.
// Proves: D1, D9
TEST_P(Deliveries, AreMadeByWhoClaimedLast) {
    create("r");
    const ops::load_room_head head{acme(), room_id{"r"}, {}};
    EXPECT_EQ(must(head).deliverer, incarnation_id{});
    const std::int64_t epoch = claim("r").claim_epoch;
    must(ops::claim_cursor{room_id{"r"}, worker_two(), epoch, std::nullopt});
    EXPECT_EQ(must(head).deliverer, worker_two());
    must(ops::set_worker_state{worker_two(), ops::worker_state::draining});
    EXPECT_EQ(must(head).deliverer, incarnation_id{});
    bury(worker_two());
    EXPECT_EQ(must(head).deliverer, incarnation_id{});
}

// A worker finds what is its own to do as it finds what dead ones left: rows, and events without any that it committed.
// Proves: D7
TEST_P(Deliveries, OfOnesOwnAreFound) {
    create("left");
    create("r");
    create("rowless");
    commit_for("r", "a", worker_one());
    must(batch("rowless").add(make_message("b")).take());
    EXPECT_THAT(orphans(), IsEmpty());
    ops::find_orphaned_rooms own;
    own.also_of = worker_one();
    EXPECT_EQ(must(own).size(), 2u);
    own.also_of = worker_two();
    EXPECT_THAT(must(own), IsEmpty());
    must(step("r", claim("r").claim_epoch, 0));
    must(step("rowless", claim("rowless").claim_epoch, 0));
    own.also_of = worker_one();
    EXPECT_EQ(must(own).size(), 1u) << "the step left its row open";
}

// A hook that is about to run again after a crash is counted, until it ran.
// Proves: D8
TEST_P(Deliveries, CountHookRuns) {
    const ops::mark_hook mark{hook_id{"hook"}, "event"};
    EXPECT_EQ(must(mark), 1);
    EXPECT_EQ(must(mark), 2);
    EXPECT_EQ(must(ops::mark_hook{hook_id{"other"}, "event"}), 1);
    harness().restart();
    EXPECT_EQ(must(mark), 3);
    must(ops::clear_hook_mark{hook_id{"hook"}, "event"});
    EXPECT_EQ(must(mark), 1);
}

}  // namespace

}  // namespace convene
