// SPDX-License-Identifier: Apache-2.0
// What every store promises about the commit: dense indexes, counters that move by compare, all or
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "store/conformance.hpp"
#include "support/describe.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Commit : public conformance {
   protected:
    /// Expects that `batch` fails with `expected` and that nothing it carries was stored.
    void expect_refused(const ops::commit& batch, errc expected) {
        const std::string before = everything(batch.room);
        EXPECT_EQ(error_of(batch), expected);
        EXPECT_EQ(everything(batch.room), before);
    }

   private:
    /// All that a commit can write to a room.
    std::string everything(const room_id& id) {
        std::string text = describe(get(id.str())) + describe(events_of(id.str()));
        for (const room_event& stored : events_of(id.str())) {
            text += describe(rows_of(id.str(), stored.id.str()));
        }
        text += describe(must(ops::list_tasks{acme(), id, std::nullopt}));
        text += describe(must(ops::list_observations{acme(), id}));
        text += describe(must(ops::list_notices{}));
        text += describe(must(ops::find_inbound_key{acme(), channel_id{"web"}, "inbound"}));
        return text;
    }
};

CONVENE_ON_EVERY_STORE(Commit);

room_task make_task(const std::string& room, const std::string& id) {
    room_task task;
    task.id = task_id{id};
    task.room = room_id{room};
    task.title = "call back";
    return task;
}

observation make_observation(const std::string& room, const std::string& id) {
    observation seen;
    seen.id = observation_id{id};
    seen.room = room_id{room};
    seen.content = "is in a hurry";
    return seen;
}

framework_event make_notice(const std::string& type) {
    framework_event notice;
    notice.type = type;
    return notice;
}

/// A batch that uses every part of a commit.
ops::commit full_batch(batch_on batch) {
    room_event first = make_message("first");
    first.idempotency_key = "key";
    batch.add(first).deliver_to("sms").add(make_message("second"));
    ops::commit full = batch.take();
    const std::string room = full.room.str();
    full.changes.push_back({event_id{"first"}, content::text("changed")});
    full.inbound_keys.push_back({channel_id{"web"}, "inbound", event_id{"first"}, "hash"});
    full.tasks.push_back(make_task(room, "task"));
    full.observations.push_back(make_observation(room, "observation"));
    full.notices.push_back(make_notice("event_blocked"));
    return full;
}

// A new room has no event, and the next one gets index 0.
// Proves: R1
TEST_P(Commit, StartsAnEmptyRoomAtZero) {
    const room info = create("r");
    EXPECT_EQ(info.next_index, event_index{0});
    EXPECT_EQ(info.latest_index, event_index::none());
    EXPECT_EQ(info.event_count, 0);
    EXPECT_EQ(info.delivered_index, event_index::none());
}

// Batches of different sizes follow each other without a gap, and the counters follow them.
// Proves: R1, R3 (rk:A1)
TEST_P(Commit, NumbersBatchesDensely) {
    create("r");
    must(batch("r").add(make_message("a")).take());
    must(batch("r").add(make_message("b")).add(make_message("c")).take());
    must(batch("r").add(make_message("d")).take());

    std::vector<std::int64_t> indexes;
    for (const room_event& stored : events_of("r")) {
        indexes.push_back(stored.index.value());
    }
    EXPECT_THAT(indexes, ElementsAre(0, 1, 2, 3));
    const room info = get("r");
    EXPECT_EQ(info.event_count, 4);
    EXPECT_EQ(info.latest_index, event_index{3});
}

// Blocked events, system notices and segments of a streamed answer are events like any other: each
// takes an index and is counted.
// Proves: R1, R3, R9 (rk:A2, rk:A5, rk:A7)
TEST_P(Commit, CountsEventsOfEveryKind) {
    create("r");
    room_event greeting = make_message("greeting");
    greeting.type = event_type::system;
    room_event segment = make_message("segment-1");
    segment.caused_by = event_id{"question"};
    must(batch("r").add(greeting).add(make_blocked("blocked")).take());
    must(batch("r").add(make_message("question")).take());
    must(batch("r").add(segment).take());

    EXPECT_THAT(
        ids_of(events_of("r")), ElementsAre("greeting", "blocked", "question", "segment-1")
    );
    EXPECT_EQ(get("r").event_count, 4);
    EXPECT_EQ(event("r", "blocked").block_reason, "not_allowed");
}

// An event that a hook injected behind its cause, in the cause's batch, has the higher index.
// Proves: R9, R11a (rk:A6)
TEST_P(Commit, KeepsTheOrderOfItsBatch) {
    create("r");
    room_event injected = make_message("injected");
    injected.caused_by = event_id{"cause"};
    must(batch("r").add(make_message("cause")).add(injected).take());
    EXPECT_EQ(event("r", "cause").index, event_index{0});
    EXPECT_EQ(event("r", "injected").index, event_index{1});
    EXPECT_EQ(event("r", "injected").caused_by, event_id{"cause"});
}

// Two rooms count for themselves.
// Proves: R1
TEST_P(Commit, NumbersEachRoomByItself) {
    create("one");
    create("two");
    commit_messages("one", {"a", "b"});
    commit_messages("two", {"c"});
    EXPECT_EQ(get("one").latest_index, event_index{1});
    EXPECT_EQ(event("two", "c").index, event_index{0});
}

// Every field of an event comes back as it was given; only its time is the store's.
// Proves: S1, R17
TEST_P(Commit, StoresEveryFieldOfAnEvent) {
    create("r");
    room_event full = make_message("full", "Grüße, 世界 🎉");
    full.type = event_type::reaction;
    full.source.external_id = "+15550001";
    full.source.provider_message_id = "provider-1";
    full.status = event_status::blocked;
    full.blocked_by = "hook";
    full.block_reason = "spam";
    full.visibility = visibility{{channel_id{"sms"}, channel_id{"web"}}};
    full.addressed_to.emplace();
    full.response_visibility = visibility{visibility::scope::internal};
    full.chain_depth = 3;
    full.caused_by = event_id{"cause"};
    full.parent = event_id{"root"};
    full.correlation_id = "correlation";
    full.idempotency_key = "key";
    full.request_hash = "hash";
    full.metadata = json_text::trusted(R"({"n":1.50,"deep":{"list":[1,"\"",null]}})");
    full.is_edited = true;
    full.is_deleted = true;
    full.plan = {7, cascade_id{"cascade"}, 12, "00-trace"};

    batch_on batch_of_one = batch("r");
    batch_of_one.add(full);
    const wall_time committed_at = must(batch_of_one.take()).committed_at;
    full.room = room_id{"r"};
    full.index = event_index{0};
    full.created_at = committed_at;
    EXPECT_EQ(describe(event("r", "full")), describe(full));
}

// "Addressed to nobody" is not "addressed to everybody".
// Proves: S1
TEST_P(Commit, TellsNobodyFromEverybody) {
    create("r");
    room_event nobody = make_message("nobody");
    nobody.addressed_to.emplace();
    must(batch("r").add(nobody).add(make_message("everybody")).take());
    EXPECT_THAT(event("r", "nobody").addressed_to, testing::Optional(IsEmpty()));
    EXPECT_EQ(event("r", "everybody").addressed_to, std::nullopt);
}

// All that a batch carries is there at once, with one time, the store's own.
// Proves: R1, R9, S1
TEST_P(Commit, StoresAllPartsOfABatchAtOneTime) {
    create("r");
    clock().advance(5s);
    const wall_time at = must(full_batch(batch("r"))).committed_at;
    EXPECT_EQ(at, clock().now());

    EXPECT_EQ(event("r", "first").created_at, at);
    EXPECT_EQ(event("r", "first").content.body(), "changed");
    EXPECT_TRUE(event("r", "first").is_edited);
    ASSERT_EQ(rows_of("r", "first").size(), 1u);
    EXPECT_EQ(rows_of("r", "first").front().state, delivery_state::pending);
    const auto tasks = must(ops::list_tasks{acme(), room_id{"r"}, std::nullopt});
    ASSERT_EQ(tasks.size(), 1u);
    EXPECT_EQ(tasks.front().created_at, at);
    const auto seen = must(ops::list_observations{acme(), room_id{"r"}});
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen.front().created_at, at);
    const auto notices = must(ops::list_notices{});
    ASSERT_EQ(notices.size(), 1u);
    EXPECT_EQ(notices.front().created_at, at);
    EXPECT_EQ(get("r").last_activity_at, at);
}

// A commit that was decided on an older or newer next index stores nothing.
// Proves: R1, R3
TEST_P(Commit, IsRefusedWhenTheNextIndexMoved) {
    create("r");
    ops::commit stale = full_batch(batch("r"));
    commit_messages("r", {"other"});
    expect_refused(stale, errc::room_changed);
    stale.expected_next = event_index{9};
    expect_refused(stale, errc::room_changed);
}

// A commit that was decided on another configuration stores nothing: permissions are as of the
// commit.
// Proves: R1, R10
TEST_P(Commit, IsRefusedWhenTheConfigChanged) {
    create("r");
    const ops::commit stale = full_batch(batch("r"));
    must(ops::put_binding{acme(), make_binding("r", "sms")});
    expect_refused(stale, errc::room_changed);
}

// A commit that was decided on another status stores nothing, whatever it would change it to.
// Proves: R1, R4
TEST_P(Commit, IsRefusedWhenTheStatusChanged) {
    create("r");
    ops::commit stale = full_batch(batch("r"));
    ops::update_room close = update_of("r");
    close.status = room_status::closed;
    must(close);
    stale.expected_config = get("r").config;
    expect_refused(stale, errc::room_changed);
}

// A holder whose lock was taken over by another, which raised the epoch, stores nothing.
// Proves: L7, R1
TEST_P(Commit, IsRefusedWhenTheLockEpochRose) {
    create("r");
    const std::int64_t mine = must(ops::raise_lock_epoch{acme(), room_id{"r"}});
    ops::commit fenced = full_batch(batch("r"));
    fenced.expected_lock_epoch = mine;
    const std::int64_t theirs = must(ops::raise_lock_epoch{acme(), room_id{"r"}});
    EXPECT_GT(theirs, mine);
    expect_refused(fenced, errc::room_changed);

    fenced.expected_lock_epoch = theirs;
    must(fenced);
    EXPECT_EQ(get("r").event_count, 2);
}

// A room that is absent, or another organisation's, takes no commit.
// Proves: R1, X1
TEST_P(Commit, IsRefusedWithoutItsRoom) {
    create("r");
    ops::commit foreign = full_batch(batch("r"));
    foreign.organization = organization_id{"globex"};
    expect_refused(foreign, errc::room_changed);

    const ops::commit absent = full_batch(batch_on{make_room("absent")});
    EXPECT_EQ(error_of(absent), errc::room_changed);
}

// An index that is taken is a loud error, and the batch around it is not stored.
// Proves: R2 (rk:P1)
TEST_P(Commit, IsRefusedLoudlyForATakenIndex) {
    create("r");
    commit_messages("r", {"a", "b"});
    ops::commit broken = full_batch(batch("r"));
    broken.events.back().index = event_index{1};
    expect_refused(broken, errc::duplicate_index);
}

// Two events of one batch with one index are the same loud error.
// Proves: R2
TEST_P(Commit, IsRefusedLoudlyForOneIndexTwice) {
    create("r");
    ops::commit broken = full_batch(batch("r"));
    broken.events.back().index = broken.events.front().index;
    expect_refused(broken, errc::duplicate_index);
}

// A batch that would leave a hole is not stored.
// Proves: R1
TEST_P(Commit, IsRefusedForAGap) {
    create("r");
    ops::commit broken = full_batch(batch("r"));
    broken.events.back().index = event_index{2};
    broken.deliveries.clear();
    expect_refused(broken, errc::invalid_argument);
}

// An event that is stored already, in this room or another, is not stored again.
// Proves: R1
TEST_P(Commit, IsRefusedForAKnownEvent) {
    create("r");
    create("other");
    commit_messages("r", {"second"});
    expect_refused(full_batch(batch("r")), errc::invalid_argument);
    expect_refused(full_batch(batch("other")), errc::invalid_argument);
}

// A key that was stored meanwhile refuses the whole batch, so that the stored event is answered.
// Proves: R2, R8 (rk:C11)
TEST_P(Commit, IsRefusedForAKnownKey) {
    create("r");
    room_event first = make_message("earlier");
    first.idempotency_key = "key";
    must(batch("r").add(first).take());
    expect_refused(full_batch(batch("r")), errc::duplicate_key);
}

// The same key twice in one batch is no different.
// Proves: R8
TEST_P(Commit, IsRefusedForOneKeyTwice) {
    create("r");
    ops::commit twice = full_batch(batch("r"));
    twice.events.back().idempotency_key = "key";
    expect_refused(twice, errc::duplicate_key);
}

// An inbound key is unique in its channel, in whichever room its event was stored.
// Proves: R8
TEST_P(Commit, IsRefusedForAKnownInboundKey) {
    create("r");
    create("other");
    batch_on elsewhere = batch("other");
    elsewhere.add(make_message("there"));
    elsewhere.commit().inbound_keys.push_back(
        {channel_id{"web"}, "inbound", event_id{"there"}, "hash"}
    );
    must(elsewhere.take());
    expect_refused(full_batch(batch("r")), errc::duplicate_key);
}

// An edit of an event that the room does not have stores neither the edit nor anything beside it.
// Proves: R13
TEST_P(Commit, IsRefusedForAnUnknownTarget) {
    create("r");
    ops::commit broken = full_batch(batch("r"));
    broken.changes.push_back({event_id{"nowhere"}, std::nullopt});
    expect_refused(broken, errc::target_event_not_found);
}

// A delivery row belongs to an event of its batch.
// Proves: D1
TEST_P(Commit, IsRefusedForARowWithoutItsEvent) {
    create("r");
    ops::commit broken = full_batch(batch("r"));
    broken.deliveries.front().event = event_id{"elsewhere"};
    expect_refused(broken, errc::invalid_argument);
}

// One target gets one row per event.
// Proves: D1, D7
TEST_P(Commit, IsRefusedForOneDeliveryTwice) {
    create("r");
    ops::commit broken = full_batch(batch("r"));
    broken.deliveries.push_back(broken.deliveries.front());
    expect_refused(broken, errc::invalid_argument);
}

// A task or an observation that is there already refuses the batch.
// Proves: R9
TEST_P(Commit, IsRefusedForAKnownTaskOrObservation) {
    create("r");
    must(ops::add_task{acme(), make_task("r", "known")});
    ops::commit with_task = full_batch(batch("r"));
    with_task.tasks.push_back(make_task("r", "known"));
    expect_refused(with_task, errc::invalid_argument);

    ops::commit with_observation = full_batch(batch("r"));
    with_observation.observations.push_back(with_observation.observations.front());
    expect_refused(with_observation, errc::invalid_argument);
}

// After every refusal the next commit works: nothing was taken.
// Proves: R1, R2
TEST_P(Commit, WorksAfterARefusal) {
    create("r");
    ops::commit broken = full_batch(batch("r"));
    broken.changes.push_back({event_id{"nowhere"}, std::nullopt});
    EXPECT_EQ(error_of(broken), errc::target_event_not_found);
    broken.changes.pop_back();
    must(broken);
    EXPECT_EQ(get("r").event_count, 2);
}

// A new event resumes a paused room: the status changes in the transaction of the event, and
// raises `config`.
// Proves: R4
TEST_P(Commit, ResumesAPausedRoom) {
    create("r");
    ops::update_room pause = update_of("r");
    pause.status = room_status::paused;
    const room paused = must(pause);
    EXPECT_TRUE(paused.paused_at.has_value());

    batch_on resuming = batch("r");
    resuming.add(make_message("a"));
    resuming.commit().new_status = room_status::active;
    must(resuming.take());
    const room resumed = get("r");
    EXPECT_EQ(resumed.status, room_status::active);
    EXPECT_EQ(resumed.paused_at, std::nullopt);
    EXPECT_GT(resumed.config, paused.config);
}

// A commit that changes no status leaves `config` alone, so that decisions in flight stay valid.
// Proves: R3
TEST_P(Commit, DoesNotRaiseTheConfig) {
    const room before = create("r");
    commit_messages("r", {"a", "b"});
    EXPECT_EQ(get("r").config, before.config);
    EXPECT_EQ(get("r").updated_at, before.updated_at);
}

// A batch without events stores tasks and observations and moves no counter.
// Proves: R3, R10
TEST_P(Commit, MovesNoCounterWithoutEvents) {
    const room before = create("r");
    clock().advance(1s);
    ops::commit thinking = batch("r").take();
    thinking.tasks.push_back(make_task("r", "task"));
    thinking.observations.push_back(make_observation("r", "observation"));
    must(thinking);
    EXPECT_EQ(describe(get("r")), describe(before));
    EXPECT_EQ(must(ops::list_tasks{acme(), room_id{"r"}, std::nullopt}).size(), 1u);
}

// An edit and a soft delete change their targets in their own transaction; a deleted event keeps
// its content.
// Proves: R13
TEST_P(Commit, EditsAndSoftDeletesTargets) {
    create("r");
    commit_messages("r", {"edited", "deleted"});
    room_event edit = make_message("edit");
    edit.type = event_type::edit;
    room_event removal = make_message("removal");
    removal.type = event_type::remove;
    batch_on changing = batch("r");
    changing.add(edit).add(removal);
    changing.commit().changes = {
        {event_id{"edited"}, content::text("better")}, {event_id{"deleted"}, std::nullopt}
    };
    must(changing.take());

    EXPECT_EQ(event("r", "edited").content.body(), "better");
    EXPECT_TRUE(event("r", "edited").is_edited);
    EXPECT_FALSE(event("r", "edited").is_deleted);
    EXPECT_EQ(event("r", "deleted").content.body(), "hello");
    EXPECT_TRUE(event("r", "deleted").is_deleted);
    EXPECT_EQ(event("r", "edit").index, event_index{2});
}

// A message and its edit may meet in one batch.
// Proves: R13
TEST_P(Commit, EditsATargetOfTheSameBatch) {
    create("r");
    must(full_batch(batch("r")));
    EXPECT_EQ(event("r", "first").content.body(), "changed");
}

// A reply is stored only while its agent's row is open and still the writer's.
// Proves: L7, D7
TEST_P(Commit, IsRefusedWhenAGuardIsLost) {
    create("r");
    must(batch("r").add(make_message("question")).deliver_to("agent").take());
    const delivery_row row = rows_of("r", "question").front();

    ops::commit reply = full_batch(batch("r"));
    reply.guards = {{row.id, worker_two()}};
    expect_refused(reply, errc::claim_lost);
    reply.guards = {{delivery_id{"unknown"}, worker_one()}};
    expect_refused(reply, errc::claim_lost);

    must(ops::put_results{room_id{"r"}, worker_one(), {outcome_of(row, delivery_state::done)}, {}});
    reply.guards = {{row.id, worker_one()}};
    expect_refused(reply, errc::claim_lost);
}

// A lost guard is told before a moved room: the writer must stop, not decide again.
// Proves: L7
TEST_P(Commit, LooksAtGuardsFirst) {
    create("r");
    ops::commit reply = full_batch(batch("r"));
    reply.guards = {{delivery_id{"unknown"}, worker_one()}};
    commit_messages("r", {"other"});
    expect_refused(reply, errc::claim_lost);
}

// A whole answer and the end of its row are one transaction; a row that is final stays as it was.
// Proves: D7
TEST_P(Commit, EndsTheRowOfAReply) {
    create("r");
    must(batch("r").add(make_message("question")).deliver_to("agent").take());
    const delivery_row row = rows_of("r", "question").front();

    batch_on reply = batch("r");
    reply.add(make_message("answer"));
    reply.commit().guards = {{row.id, worker_one()}};
    reply.commit().row_ends = {{row.id, delivery_state::done, 2}};
    must(reply.take());
    const delivery_row ended = rows_of("r", "question").front();
    EXPECT_EQ(ended.state, delivery_state::done);
    EXPECT_EQ(ended.attempts, 2);

    batch_on late = batch("r");
    late.add(make_message("late"));
    late.commit().row_ends = {{row.id, delivery_state::failed, 3}};
    must(late.take());
    EXPECT_EQ(describe(rows_of("r", "question").front()), describe(ended));
}

// What was committed is there after the store was closed and opened again, and the next commit
// follows it.
// Proves: R1, S1
TEST_P(Commit, SurvivesARestart) {
    create("r");
    must(full_batch(batch("r")));
    const std::string events = describe(events_of("r"));
    const std::string rows = describe(rows_of("r", "first"));
    harness().restart();
    EXPECT_EQ(describe(events_of("r")), events);
    EXPECT_EQ(describe(rows_of("r", "first")), rows);
    commit_messages("r", {"next"});
    EXPECT_EQ(event("r", "next").index, event_index{2});
}

}  // namespace

}  // namespace convene
