// SPDX-License-Identifier: Apache-2.0
// What every store promises about the engine's own records, about repair, and about being closed.
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

class EngineRecords : public conformance {
   protected:
    std::int64_t tell(const std::vector<std::string>& types) {
        ops::append_notices request;
        for (const std::string& type : types) {
            framework_event& notice = request.notices.emplace_back();
            notice.type = type;
            notice.organization = acme();
            notice.room = room_id{"r"};
            notice.event = event_id{"e"};
            notice.data = json_text::trusted(R"({"n":1})");
        }
        return must(request);
    }

    std::vector<std::string> told(std::int64_t after, std::size_t limit = 100) {
        std::vector<std::string> types;
        for (const framework_event& notice : must(ops::list_notices{after, limit})) {
            types.push_back(notice.type);
        }
        return types;
    }
};

CONVENE_ON_EVERY_STORE(EngineRecords);

// A worker is on record once, from the store's clock on; lists come in the order of incarnations.
// Proves: L10
TEST_P(EngineRecords, RegisterWorkers) {
    ops::worker_row worker;
    worker.incarnation = worker_two();
    worker.host = "host";
    worker.version = "1.2.3";
    worker.format = 7;
    const ops::worker_row made = must(ops::register_worker{worker});
    worker.started_at = clock().now();
    EXPECT_EQ(describe(made), describe(worker));
    EXPECT_EQ(error_of(ops::register_worker{worker}), errc::already_exists);
    register_worker(worker_one());
    const auto workers = must(ops::list_workers{});
    ASSERT_EQ(workers.size(), 2u);
    EXPECT_EQ(workers[0].incarnation, worker_one());
    EXPECT_EQ(describe(workers[1]), describe(worker));
}

// A dead worker stays dead; saying so twice is no mistake.
// Proves: L10
TEST_P(EngineRecords, LeaveTheDeadDead) {
    register_worker(worker_one());
    const auto set = [&](ops::worker_state state) {
        return error_of(ops::set_worker_state{worker_one(), state});
    };
    EXPECT_EQ(set(ops::worker_state::draining), succeeded);
    EXPECT_EQ(set(ops::worker_state::live), succeeded);
    EXPECT_EQ(set(ops::worker_state::dead), succeeded);
    EXPECT_EQ(set(ops::worker_state::dead), succeeded);
    EXPECT_EQ(set(ops::worker_state::live), errc::invalid_argument);
    EXPECT_EQ(set(ops::worker_state::draining), errc::invalid_argument);
    EXPECT_EQ(must(ops::list_workers{}).front().state, ops::worker_state::dead);
    const ops::set_worker_state unknown{worker_two(), ops::worker_state::dead};
    EXPECT_EQ(error_of(unknown), errc::not_found);
}

// Framework events are a log: numbered from 1, kept in order, read from any point.
// Proves: R19
TEST_P(EngineRecords, KeepNoticesInOrder) {
    EXPECT_EQ(tell({}), 0);
    EXPECT_EQ(tell({"a", "b"}), 2);
    EXPECT_EQ(tell({"c"}), 3);
    EXPECT_EQ(tell({}), 3);
    EXPECT_THAT(told(0), ElementsAre("a", "b", "c"));
    EXPECT_THAT(told(1, 1), ElementsAre("b"));
    EXPECT_THAT(told(3), IsEmpty());
    EXPECT_THAT(told(99), IsEmpty());
    EXPECT_THAT(told(-5), ElementsAre("a", "b", "c"));
    const framework_event stored = must(ops::list_notices{2, 1}).front();
    EXPECT_EQ(stored.sequence, 3);
    EXPECT_EQ(stored.organization, acme());
    EXPECT_EQ(stored.room, room_id{"r"});
    EXPECT_EQ(stored.event, event_id{"e"});
    EXPECT_EQ(stored.data.str(), R"({"n":1})");
    EXPECT_EQ(stored.created_at, clock().now());
}

// The log outlives its rooms and a restart, and its numbers go on.
// Proves: R19, S1
TEST_P(EngineRecords, KeepNoticesForGood) {
    create("r");
    tell({"a"});
    must(ops::delete_room{acme(), room_id{"r"}});
    harness().restart();
    EXPECT_THAT(told(0), ElementsAre("a"));
    EXPECT_EQ(tell({"b"}), 2);
}

// A subscriber starts at 0 and only moves forward.
// Proves: R19
TEST_P(EngineRecords, MoveSubscribersForward) {
    EXPECT_EQ(must(ops::get_subscription{"webhooks"}), 0);
    must(ops::put_subscription{"webhooks", 5});
    must(ops::put_subscription{"webhooks", 3});
    EXPECT_EQ(must(ops::get_subscription{"webhooks"}), 5);
    EXPECT_EQ(must(ops::get_subscription{"other"}), 0);
    harness().restart();
    EXPECT_EQ(must(ops::get_subscription{"webhooks"}), 5);
}

// The figures count what is there.
// Proves: O1
TEST_P(EngineRecords, Count) {
    create("r");
    create("empty");
    must(batch("r").add(make_message("a")).deliver_to("one").deliver_to("two").take());
    commit_messages("r", {"b", "c"});
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"c"}});
    const delivery_row row = rows_of("r", "a").front();
    ops::finish_set finished = step("r", claim("r").claim_epoch, 0);
    finished.results = {outcome_of(row, delivery_state::deferred)};
    finished.deferred = {make_outbound(row)};
    finished.skip.emplace().room = room_id{"r"};
    must(finished);

    const ops::store_figures figures = must(ops::read_figures{});
    EXPECT_EQ(figures.rooms, 2);
    EXPECT_EQ(figures.events, 2);
    EXPECT_EQ(figures.pending_deliveries, 1);
    EXPECT_EQ(figures.outbound_waiting, 1);
    EXPECT_EQ(figures.skips, 1);
    EXPECT_EQ(figures.duplicate_rows, 0);
    EXPECT_TRUE(figures.index_is_unique);
}

// A clean store has nothing to repair, says so, and is left as it was.
// Proves: S4 (rk:P6)
TEST_P(EngineRecords, NeedNoRepair) {
    create("r");
    commit_messages("r", {"a", "b", "c"});
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"b"}});
    const std::string before = describe(get("r")) + describe(events_of("r"));

    const auto preview = must(ops::dedupe_event_indices{true});
    EXPECT_EQ(preview.action, "dry_run");
    EXPECT_EQ(preview.duplicate_rows, 0);
    EXPECT_EQ(preview.affected_rooms, 0);
    EXPECT_TRUE(preview.now_unique);
    const auto repair = must(ops::dedupe_event_indices{false});
    EXPECT_EQ(repair.action, "noop");
    EXPECT_TRUE(repair.now_unique);
    EXPECT_EQ(describe(get("r")) + describe(events_of("r")), before);
    commit_messages("r", {"d"});
    EXPECT_EQ(event("r", "d").index, event_index{3});
}

// A closed store answers that it is, and closing it again is no mistake.
// Proves: S1 (rk:C17)
TEST_P(EngineRecords, AreRefusedOnceClosed) {
    const auto closing = GetParam().open();
    const ops::create_room before{make_room("r"), {}, {}};
    ASSERT_TRUE(closing->run(before));
    closing->where().run_until_done(closing->store().close());
    closing->where().run_until_done(closing->store().close());
    const ops::get_room read{acme(), room_id{"r"}};
    EXPECT_EQ(closing->run(read).error(), errc::unavailable);
    const ops::create_room after{make_room("s"), {}, {}};
    EXPECT_EQ(closing->run(after).error(), errc::unavailable);
}

}  // namespace

}  // namespace convene
