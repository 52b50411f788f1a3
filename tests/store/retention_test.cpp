// SPDX-License-Identifier: Apache-2.0
// What every store promises about how long things are kept, and about erasing an organisation.
#include "store/operations/retention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "store/access_fixture.hpp"
#include "store/operations/attachments.hpp"

namespace convene {

namespace {

using std::chrono::days;
using testing::ElementsAre;
using testing::IsEmpty;

class Retention : public access_conformance {
   protected:
    void keep_events(std::int32_t for_days, const std::string& room = "") {
        retention_policy policy;
        policy.events_max_age_days = for_days;
        must(ops::put_retention{acme(), room_id{room}, policy, {}});
    }

    ops::apply_retention::outcome apply(const std::string& room, std::size_t limit = 100) {
        return must(ops::apply_retention{acme(), room_id{room}, limit});
    }

    std::vector<std::string> due(std::size_t limit = 100) {
        std::vector<std::string> rooms;
        for (const auto& item : must(ops::find_retention_due{room_id{}, limit}).due) {
            rooms.push_back(item.room.str());
        }
        return rooms;
    }

    std::vector<framework_event> told() {
        std::vector<framework_event> all = must(ops::list_notices{0, 1000});
        std::erase_if(all, [](const framework_event& one) {
            return one.type != "retention_applied";
        });
        return all;
    }

    void upload(const std::string& id, const std::string& room) {
        attachment wanted;
        wanted.id = attachment_id{id};
        wanted.organization = acme();
        wanted.room = room_id{room};
        wanted.size_bytes = 1;
        must(ops::begin_attachment{wanted, worker_one()});
        must(ops::append_attachment{wanted.id, worker_one(), 0, "x"});
        must(ops::finish_attachment{wanted.id, worker_one()});
    }

    bool has_attachment(const std::string& id) {
        return run(ops::get_attachment{acme(), attachment_id{id}}).has_value();
    }
};

CONVENE_ON_EVERY_STORE(Retention);

// Policies are kept for a room and for its organisation; of the two the shorter span holds, each by itself.
// Proves: R20
TEST_P(Retention, TheShorterOfTwoPoliciesHolds) {
    create("r");
    EXPECT_EQ(must(ops::get_retention{acme(), room_id{"r"}}).effective, retention_policy{});
    must(ops::put_retention{acme(), room_id{}, {30, std::nullopt, 10}, {}});
    must(ops::put_retention{acme(), room_id{"r"}, {60, 7, 5}, {}});
    harness().restart();
    auto found = must(ops::get_retention{acme(), room_id{"r"}});
    EXPECT_EQ(found.own, (retention_policy{60, 7, 5}));
    EXPECT_EQ(found.effective, (retention_policy{30, 7, 5}));
    found = must(ops::get_retention{acme(), room_id{}});
    EXPECT_EQ(found.effective, (retention_policy{30, std::nullopt, 10}));
    must(ops::put_retention{acme(), room_id{"r"}, {}, {}});
    EXPECT_EQ(must(ops::get_retention{acme(), room_id{"r"}}).own, retention_policy{});
    EXPECT_EQ(error_of(ops::get_retention{globex(), room_id{"r"}}), errc::not_found);
    EXPECT_EQ(error_of(ops::put_retention{globex(), room_id{"r"}, {1, 1, 1}, {}}), errc::not_found);
}

// Events that are over age go from the lowest index on, in bounded steps; the first young one ends it, and what is told
// names the indexes.
// Proves: R20, R19
TEST_P(Retention, OldEventsGoInIndexOrder) {
    create("r");
    commit_messages("r", {"a", "b", "c"});
    clock().advance(days{2});
    commit_messages("r", {"d"});
    keep_events(3);
    EXPECT_THAT(due(), IsEmpty());
    clock().advance(days{1});
    EXPECT_THAT(due(), ElementsAre("r"));
    auto step = apply("r", 2);
    EXPECT_THAT(step.events, ElementsAre(event_id{"a"}, event_id{"b"}));
    EXPECT_TRUE(step.has_more);
    step = apply("r", 2);
    EXPECT_THAT(step.events, ElementsAre(event_id{"c"}));
    EXPECT_FALSE(step.has_more);
    EXPECT_THAT(ids_of(events_of("r")), ElementsAre("d"));
    EXPECT_THAT(due(), IsEmpty());
    EXPECT_THAT(apply("r").events, IsEmpty());
    const auto notices = told();
    ASSERT_EQ(notices.size(), 2u);
    EXPECT_EQ(notices[0].organization, acme());
    EXPECT_EQ(notices[0].room, room_id{"r"});
    EXPECT_EQ(notices[0].data.str(), R"({"from_index":0,"to_index":1,"events":2,"attachments":0})");
}

// Indexes are not used again, counters stay, the room's next event goes on; a deleted event is on record.
// Proves: R20, R1, R2, R3
TEST_P(Retention, LeavesIndexesAndCountersAlone) {
    create("r");
    commit_messages("r", {"a", "b"});
    keep_events(1);
    clock().advance(days{1});
    apply("r");
    EXPECT_EQ(get("r").latest_index, event_index{1});
    EXPECT_EQ(get("r").event_count, 2);
    harness().restart();
    commit_messages("r", {"c"});
    EXPECT_EQ(event("r", "c").index, event_index{2});
    EXPECT_EQ(get("r").event_count, 3);
    EXPECT_EQ(get("r").delivered_index, event_index{1});
}

// The key of an event that went answers as deleted for a day, and then is free.
// Proves: R20, R8
TEST_P(Retention, KeysOfErasedEventsAnswerForADay) {
    create("r");
    room_event keyed = make_message("a");
    keyed.idempotency_key = "k";
    keyed.request_hash = "hash";
    must(batch("r").add(keyed).take());
    keep_events(1);
    clock().advance(days{1});
    apply("r");
    const ops::load_room_head look{acme(), room_id{"r"}, {"k"}};
    auto hits = must(look).hits;
    ASSERT_EQ(hits.size(), 1u);
    EXPECT_FALSE(hits[0].event.has_value());
    clock().advance(days{1});
    EXPECT_THAT(must(look).hits, IsEmpty());
}

// Nothing of an erased event's deliveries is left: neither rows with their addresses, nor what was to be delivered.
// Proves: R20, D7
TEST_P(Retention, DeliveriesGoWithTheirEvents) {
    register_worker(worker_one());
    create("r");
    must(batch("r").add(make_message("a")).deliver_to("sms").take());
    must(ops::put_outbound{make_outbound(rows_of("r", "a").front())});
    keep_events(1);
    clock().advance(days{1});
    apply("r");
    EXPECT_THAT(rows_of("r", "a"), IsEmpty());
    EXPECT_THAT(must(ops::list_outbound_addresses{}), IsEmpty());
    EXPECT_EQ(cursor_of("r").delivered, event_index{0});
    bury(worker_one());
    EXPECT_THAT(must(ops::find_orphaned_rooms{}), IsEmpty());
}

// A reply that is young enough stays when its root goes.
// Proves: R20, R12
TEST_P(Retention, YoungRepliesStay) {
    create("r");
    commit_messages("r", {"root"});
    clock().advance(days{1});
    must(batch("r").add(make_reply("reply", "root")).take());
    keep_events(1);
    apply("r");
    EXPECT_THAT(ids_of(events_of("r")), ElementsAre("reply"));
}

// Attachments go at their own age, whether a message names them or not, and with the event that alone named them.
// Proves: R20
TEST_P(Retention, AttachmentsGoAtTheirAge) {
    register_worker(worker_one());
    create("r");
    upload("old", "r");
    clock().advance(days{1});
    upload("young", "r");
    must(ops::put_retention{acme(), room_id{"r"}, {std::nullopt, 1, std::nullopt}, {}});
    EXPECT_THAT(due(), ElementsAre("r"));
    EXPECT_EQ(apply("r").attachments, 1);
    EXPECT_FALSE(has_attachment("old"));
    EXPECT_TRUE(has_attachment("young"));
    EXPECT_THAT(due(), IsEmpty());
    ASSERT_EQ(told().size(), 1u);
    EXPECT_EQ(told()[0].data.str(), R"({"events":0,"attachments":1})");
}

// A room that is closed for long enough is deleted with all it has; an open one never, nor one that was reopened.
// Proves: R20
TEST_P(Retention, ClosedRoomsAreDeleted) {
    register_worker(worker_one());
    for (const char* const id : {"closed", "open", "reopened"}) {
        create(id);
        commit_messages(id, {std::string{id} + "-1"});
    }
    upload("a", "closed");
    for (const char* const id : {"closed", "reopened"}) {
        ops::update_room close = update_of(id);
        close.status = room_status::closed;
        must(close);
    }
    must(ops::put_retention{acme(), room_id{}, {std::nullopt, std::nullopt, 7}, {}});
    clock().advance(days{6});
    ops::update_room reopen = update_of("reopened");
    reopen.status = room_status::active;
    must(reopen);
    EXPECT_THAT(due(), IsEmpty());
    clock().advance(days{1});
    EXPECT_THAT(due(), ElementsAre("closed"));
    const auto done = apply("closed");
    EXPECT_TRUE(done.is_room_deleted);
    EXPECT_FALSE(done.has_more);
    EXPECT_EQ(error_of(ops::get_room{acme(), room_id{"closed"}}), errc::not_found);
    EXPECT_FALSE(has_attachment("a"));
    EXPECT_FALSE(apply("open").is_room_deleted);
    ASSERT_EQ(told().size(), 1u);
    EXPECT_EQ(told()[0].data.str(), R"({"room_deleted":true,"events":0,"attachments":0})");
}

// The search for rooms looks at a bounded number of them and tells where to go on.
// Proves: R20
TEST_P(Retention, RoomsAreLookedAtInPages) {
    for (const char* const id : {"r1", "r2", "r3"}) {
        create(id);
        commit_messages(id, {std::string{id} + "-1"});
    }
    EXPECT_FALSE(must(ops::find_retention_due{room_id{}, 1}).has_more);
    keep_events(1, "r3");
    clock().advance(days{1});
    const auto first = must(ops::find_retention_due{room_id{}, 2});
    EXPECT_THAT(first.due, IsEmpty());
    EXPECT_EQ(first.last, room_id{"r2"});
    EXPECT_TRUE(first.has_more);
    const auto second = must(ops::find_retention_due{first.last, 2});
    ASSERT_EQ(second.due.size(), 1u);
    EXPECT_EQ(second.due[0].room, room_id{"r3"});
    EXPECT_EQ(second.due[0].organization, acme());
    EXPECT_FALSE(second.has_more);
}

// An erasure shuts an organisation's people out at once, then takes its rooms step by step, then all the rest, and
// nothing of another organisation's. Its id is not given again meanwhile.
// Proves: R20, X1
TEST_P(Retention, AnOrganizationIsErased) {
    register_worker(worker_one());
    add_user("ann", user_role::admin);
    add_user("bob", user_role::admin, globex());
    for (const char* const id : {"r1", "r2", "r3"}) {
        create(id);
        commit_messages(id, {std::string{id} + "-1"});
    }
    upload("a", "r1");
    keep_events(5);
    must(ops::create_room{make_room("theirs", globex()), {}, {}});
    identity person;
    person.id = identity_id{"p"};
    person.organization = acme();
    must(ops::create_identity{person});
    must(ops::link_address{acme(), person.id, "sms", "1"});
    must(ops::append_audit{{.organization = acme(), .action = "x"}});
    must(ops::append_audit{{.organization = globex(), .action = "y"}});
    framework_event notice;
    notice.type = "t";
    notice.organization = acme();
    must(ops::append_notices{{notice}});

    EXPECT_FALSE(must(ops::begin_erasure{organization_id{"nobody"}, {}}));
    EXPECT_TRUE(must(ops::begin_erasure{acme(), {}}));
    EXPECT_FALSE(must(ops::begin_erasure{acme(), {}}));
    EXPECT_EQ(error_of(ops::get_organization{acme()}), errc::not_found);
    EXPECT_FALSE(must(ops::find_user_by_email{"ann@example.com"}).has_value());
    EXPECT_EQ(error_of(ops::create_organization{{acme(), "Again"}, {}, {}}), errc::already_exists);

    auto step = must(ops::continue_erasure{2});
    EXPECT_EQ(step.organization, acme());
    EXPECT_THAT(step.rooms, ElementsAre(room_id{"r1"}, room_id{"r2"}));
    EXPECT_TRUE(step.has_more);
    harness().restart();
    step = must(ops::continue_erasure{2});
    EXPECT_THAT(step.rooms, ElementsAre(room_id{"r3"}));
    EXPECT_FALSE(step.has_more);
    EXPECT_TRUE(must(ops::continue_erasure{2}).organization.empty());

    EXPECT_FALSE(has_attachment("a"));
    EXPECT_EQ(error_of(ops::get_identity{acme(), person.id}), errc::not_found);
    EXPECT_FALSE(must(ops::resolve_identity{acme(), "sms", "1"}).has_value());
    EXPECT_THAT(must(ops::list_audit{acme(), {}, 100}), IsEmpty());
    EXPECT_THAT(must(ops::list_notices{0, 100}), IsEmpty());
    EXPECT_EQ(must(ops::list_audit{globex(), {}, 100}).size(), 1u);
    EXPECT_TRUE(must(ops::find_user_by_email{"bob@example.com"}).has_value());
    EXPECT_TRUE(run(ops::get_room{globex(), room_id{"theirs"}}).has_value());

    // Then the id is free, and sequences go on where they were.
    must(ops::create_organization{{acme(), "Again"}, {}, {}});
    EXPECT_EQ(must(ops::append_notices{{notice}}), 2);
    EXPECT_EQ(must(ops::get_retention{acme(), room_id{}}).own, retention_policy{});
}

// Thousands of lines go in bounded steps.
// Proves: R20
TEST_P(Retention, AnErasureTakesBoundedSteps) {
    ops::append_notices many;
    many.notices.resize(1500);
    for (framework_event& notice : many.notices) {
        notice.type = "t";
        notice.organization = acme();
    }
    must(many);
    must(ops::begin_erasure{acme(), {}});
    EXPECT_TRUE(must(ops::continue_erasure{}).has_more);
    EXPECT_EQ(must(ops::list_notices{0, 2000}).size(), 500u);
    EXPECT_FALSE(must(ops::continue_erasure{}).has_more);
    EXPECT_THAT(must(ops::list_notices{0, 2000}), IsEmpty());
}

}  // namespace

}  // namespace convene
