// SPDX-License-Identifier: Apache-2.0
// What every store promises about rooms: who sees them, what changes them and what can't.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/conformance.hpp"
#include "support/describe.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Rooms : public conformance {};

CONVENE_ON_EVERY_STORE(Rooms);

// A room is answered as it was given, with the store's times; counters and epochs are never the
// caller's.
// Proves: R1, R3, S1
TEST_P(Rooms, StartWithFreshCounters) {
    room wanted = make_room("r");
    wanted.external_id = "ticket-7";
    wanted.timers = {60s, 3600s};
    wanted.responses = agent_response_policy::addressed_only;
    wanted.metadata = json_text::trusted(R"({"topic":"billing"})");
    room claimed = wanted;
    claimed.config = 9;
    claimed.timeline_epoch = 9;
    claimed.next_index = event_index{9};
    claimed.event_count = 9;
    claimed.latest_index = event_index{9};
    claimed.delivered_index = event_index{9};
    claimed.lock_epoch = 9;

    const room made = must(ops::create_room{claimed, {}, {}});
    wanted.created_at = wanted.updated_at = wanted.last_activity_at = clock().now();
    EXPECT_EQ(describe(made), describe(wanted));
    EXPECT_EQ(describe(get("r")), describe(wanted));
}

// An id exists once in the store, an external id once in its organisation.
// Proves: S1, X1
TEST_P(Rooms, AreRefusedWhenTheirIdsExist) {
    room first = make_room("r");
    first.external_id = "ticket";
    must(ops::create_room{first, {}, {}});

    EXPECT_EQ(error_of(ops::create_room{make_room("r"), {}, {}}), errc::already_exists);
    const room elsewhere = make_room("r", organization_id{"globex"});
    EXPECT_EQ(error_of(ops::create_room{elsewhere, {}, {}}), errc::already_exists);

    room second = make_room("other");
    second.external_id = "ticket";
    const ops::create_room same_external{second, {make_binding("other", "sms")}, {}};
    EXPECT_EQ(error_of(same_external), errc::already_exists);
    EXPECT_THAT(must(ops::find_rooms_by_channel{acme(), channel_id{"sms"}}), IsEmpty())
        << "a refused room leaves nothing behind";
    second.organization = organization_id{"globex"};
    must(ops::create_room{second, {}, {}});
}

// Rooms without an external id don't exclude each other.
// Proves: S1
TEST_P(Rooms, NeedNoExternalId) {
    create("a");
    create("b");
    EXPECT_EQ(must(ops::find_room_by_external_id{acme(), ""}), std::nullopt);
}

// Another organisation's room is not there; an empty organisation sees only rooms without one.
// Proves: X1 (rk:C20)
TEST_P(Rooms, AreSeenByTheirOrganizationOnly) {
    create("r");
    must(ops::create_room{make_room("free", organization_id{}), {}, {}});
    EXPECT_EQ(error_of(ops::get_room{organization_id{"globex"}, room_id{"r"}}), errc::not_found);
    EXPECT_EQ(error_of(ops::get_room{organization_id{}, room_id{"r"}}), errc::not_found);
    EXPECT_EQ(error_of(ops::get_room{acme(), room_id{"free"}}), errc::not_found);
    EXPECT_EQ(must(ops::get_room{organization_id{}, room_id{"free"}}).id, room_id{"free"});
    EXPECT_EQ(
        error_of(ops::load_room_context{organization_id{"globex"}, room_id{"r"}}), errc::not_found
    );
    EXPECT_FALSE(must(ops::delete_room{organization_id{"globex"}, room_id{"r"}}));
}

// Work that knows only the room learns whose it is.
// Proves: X1
TEST_P(Rooms, KnowTheirOrganization) {
    create("r");
    EXPECT_EQ(must(ops::find_organization{room_id{"r"}}), acme());
    EXPECT_EQ(error_of(ops::find_organization{room_id{"absent"}}), errc::not_found);
}

// The caller's own id finds its room, in its organisation only.
// Proves: X1
TEST_P(Rooms, AreFoundByExternalId) {
    room wanted = make_room("r");
    wanted.external_id = "ticket";
    must(ops::create_room{wanted, {}, {}});
    const auto found = must(ops::find_room_by_external_id{acme(), "ticket"});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->id, room_id{"r"});
    EXPECT_EQ(
        must(ops::find_room_by_external_id{organization_id{"globex"}, "ticket"}), std::nullopt
    );
}

// Lists come in the order of ids, page by page, by organisation and status.
// Proves: S1
TEST_P(Rooms, AreListedInPages) {
    for (const char* const id : {"d", "a", "c", "b"}) {
        create(id);
    }
    must(ops::create_room{make_room("e", organization_id{"globex"}), {}, {}});
    ops::update_room close = update_of("c");
    close.status = room_status::closed;
    must(close);

    ops::list_rooms request;
    EXPECT_THAT(ids_of(must(request)), ElementsAre("a", "b", "c", "d", "e"));
    request.limit = 2;
    EXPECT_THAT(ids_of(must(request)), ElementsAre("a", "b"));
    request.after = room_id{"b"};
    EXPECT_THAT(ids_of(must(request)), ElementsAre("c", "d"));
    request.organization = acme();
    request.status = room_status::active;
    EXPECT_THAT(ids_of(must(request)), ElementsAre("d"));
    request.limit = 0;
    EXPECT_THAT(must(request), IsEmpty());
}

// The newest first, from the end or from a place, and only those of a participant who is there.
// Proves: S1, X1
TEST_P(Rooms, AreListedNewestFirstForOneParticipant) {
    for (const char* const id : {"d", "a", "c", "b"}) {
        create(id);
    }
    for (const char* const id : {"a", "c", "d"}) {
        must(ops::put_participant{acme(), make_participant(id, "ann")});
    }
    participant left = make_participant("c", "ann");
    left.status = participant_status::left;
    must(ops::put_participant{acme(), left});

    ops::list_rooms request;
    request.order = ops::room_order::newest_first;
    EXPECT_THAT(ids_of(must(request)), ElementsAre("d", "c", "b", "a"));
    request.after = room_id{"c"};
    request.organization = acme();
    EXPECT_THAT(ids_of(must(request)), ElementsAre("b", "a"));
    request.member = participant_id{"ann"};
    EXPECT_THAT(ids_of(must(request)), ElementsAre("a"));
    request.after = room_id{};
    request.limit = 1;
    EXPECT_THAT(ids_of(must(request)), ElementsAre("d"));
    request.order = ops::room_order::oldest_first;
    EXPECT_THAT(ids_of(must(request)), ElementsAre("a"));
}

// A metadata patch merges and unsets keys; it raises no config and touches no counter.
// Proves: R3 (rk:C8)
TEST_P(Rooms, MergeMetadata) {
    room wanted = make_room("r");
    wanted.metadata = json_text::trusted(R"({"keep":1,"drop":2,"change":{"deep":true}})");
    must(ops::create_room{wanted, {}, {}});
    commit_messages("r", {"a"});
    const room before = get("r");

    ops::update_room request = update_of("r");
    request.metadata_patch = json_text::trusted(R"({"change":"new","add":[1]})");
    request.metadata_unset = {"drop", "absent"};
    clock().advance(1s);
    const room after = must(request);
    EXPECT_EQ(after.metadata.str(), R"({"keep":1,"change":"new","add":[1]})");
    EXPECT_EQ(after.config, before.config);
    EXPECT_EQ(after.event_count, before.event_count);
    EXPECT_EQ(after.updated_at, clock().now());
    EXPECT_EQ(after.last_activity_at, before.last_activity_at);
}

// Patches by two callers between commits both land, and no commit loses its place.
// Proves: R3 (rk:C8, rk:D12)
TEST_P(Rooms, KeepCommitsAndPatchesApart) {
    create("r");
    batch_on decided_before = batch("r");
    ops::update_room patch = update_of("r");
    patch.metadata_patch = json_text::trusted(R"({"a":1})");
    must(patch);
    must(decided_before.add(make_message("first")).take());
    patch.metadata_patch = json_text::trusted(R"({"b":2})");
    must(patch);
    EXPECT_EQ(get("r").metadata.str(), R"({"a":1,"b":2})");
    EXPECT_EQ(get("r").event_count, 1);
}

// Metadata is an object; anything else is refused.
// Proves: R16
TEST_P(Rooms, RefuseAPatchThatIsNoObject) {
    create("r");
    ops::update_room request = update_of("r");
    request.metadata_patch = json_text::trusted("[1]");
    EXPECT_EQ(error_of(request), errc::invalid_argument);
    EXPECT_EQ(get("r").metadata.str(), "{}");
}

// Status, timers and response policy raise `config` when they change, and only then.
// Proves: R1
TEST_P(Rooms, RaiseTheirConfigWhenTheyChange) {
    const config_version first = create("r").config;
    ops::update_room request = update_of("r");
    EXPECT_EQ(must(request).config, first);
    request.status = room_status::active;
    request.timers = room_timers{};
    EXPECT_EQ(must(request).config, first) << "nothing differs";
    request.timers = room_timers{60s, std::nullopt};
    EXPECT_EQ(must(request).config, first + 1);
    request.responses = agent_response_policy::addressed_only;
    EXPECT_EQ(must(request).config, first + 2);
    request.status = room_status::closed;
    request.timers = room_timers{};
    EXPECT_EQ(must(request).config, first + 3) << "once for one request";
}

// A change that was decided on an older configuration is refused and changes nothing.
// Proves: R1
TEST_P(Rooms, RefuseAChangeDecidedOnAnOlderConfig) {
    const room before = create("r");
    ops::update_room close = update_of("r");
    close.status = room_status::closed;
    close.expected_config = before.config + 1;
    EXPECT_EQ(error_of(close), errc::room_changed);
    EXPECT_EQ(describe(get("r")), describe(before));
    close.expected_config = before.config;
    EXPECT_EQ(must(close).status, room_status::closed);
    EXPECT_EQ(error_of(update_of("absent")), errc::not_found);
}

// Pausing, closing and reopening keep the times of their states.
// Proves: R4, R5
TEST_P(Rooms, KeepTheTimesOfTheirStatus) {
    create("r");
    ops::update_room request = update_of("r");
    request.status = room_status::paused;
    clock().advance(1s);
    EXPECT_EQ(must(request).paused_at, clock().now());
    request.status = room_status::closed;
    clock().advance(1s);
    const wall_time closed_at = clock().now();
    EXPECT_EQ(must(request).closed_at, closed_at);
    request.status = room_status::archived;
    clock().advance(1s);
    EXPECT_EQ(must(request).closed_at, closed_at) << "archiving does not close again";
    request.status = room_status::active;
    const room reopened = must(request);
    EXPECT_EQ(reopened.paused_at, std::nullopt);
    EXPECT_EQ(reopened.closed_at, std::nullopt);
}

// Changing a room never moves counters or cursor, whatever happened since it was read.
// Proves: R3, D3 (rk:C7)
TEST_P(Rooms, NeverRewindCountersOrCursor) {
    create("r");
    commit_messages("r", {"a", "b"});
    const std::int64_t epoch = claim("r").claim_epoch;
    must(step("r", epoch, 0));
    ops::update_room change = update_of("r");
    change.status = room_status::paused;
    const room after = must(change);
    EXPECT_EQ(after.event_count, 2);
    EXPECT_EQ(after.latest_index, event_index{1});
    EXPECT_EQ(after.next_index, event_index{2});
    EXPECT_EQ(after.delivered_index, event_index{0});
}

// -- bindings and participants ----------------------------------------------------------------

// Every field of bindings and participants comes back, limits and retry policies too.
// Proves: S1, D12
TEST_P(Rooms, KeepEveryFieldOfBindingsAndParticipants) {
    binding bound = make_binding("r", "sms");
    bound.kind = channel_kind::intelligence;
    bound.access = access::read_only;
    bound.is_muted = true;
    bound.visibility = visibility{visibility::scope::transport};
    bound.participant = participant_id{"alice"};
    bound.address = "+15550001";
    bound.retry = retry_policy{5, 250ms, 9000ms, 1.5};
    bound.limit = rate_limit{0.5, std::nullopt, 100.0};
    bound.metadata = json_text::trusted(R"({"k":"v"})");
    bound.attached_at = clock().now();
    participant member = make_participant("r", "alice");
    member.role = participant_role::owner;
    member.status = participant_status::inactive;
    member.identity = identity_id{"identity"};
    member.external_id = "external";
    member.metadata = json_text::trusted(R"({"k":"v"})");
    member.joined_at = clock().now();

    create("r");
    must(ops::put_binding{acme(), bound});
    must(ops::put_participant{acme(), member});
    const room_context context = must(ops::load_room_context{acme(), room_id{"r"}});
    ASSERT_EQ(context.bindings.size(), 1u);
    EXPECT_EQ(describe(context.bindings.front()), describe(bound));
    ASSERT_EQ(context.participants.size(), 1u);
    EXPECT_EQ(describe(context.participants.front()), describe(member));
    EXPECT_EQ(describe(context.room), describe(get("r")));
}

// A room is created with its first bindings and participants; both come in the order of their ids.
// Proves: S1
TEST_P(Rooms, AreCreatedWithBindingsAndParticipants) {
    must(ops::create_room{
        make_room("r"),
        {make_binding("r", "web"), make_binding("r", "sms")},
        {make_participant("r", "bob"), make_participant("r", "alice")}
    });
    const room_context context = must(ops::load_room_context{acme(), room_id{"r"}});
    ASSERT_EQ(context.bindings.size(), 2u);
    EXPECT_EQ(context.bindings[0].channel, channel_id{"sms"});
    EXPECT_EQ(context.bindings[1].channel, channel_id{"web"});
    ASSERT_EQ(context.participants.size(), 2u);
    EXPECT_EQ(context.participants[0].id, participant_id{"alice"});
    EXPECT_EQ(context.participants[1].id, participant_id{"bob"});
}

// Adding, replacing and removing a binding or a participant raises the room's config in the same
// transaction.
// Proves: R1, R10
TEST_P(Rooms, RaiseTheirConfigWithBindingsAndParticipants) {
    const config_version first = create("r").config;
    must(ops::put_binding{acme(), make_binding("r", "sms")});
    EXPECT_EQ(get("r").config, first + 1);
    binding muted = make_binding("r", "sms");
    muted.is_muted = true;
    must(ops::put_binding{acme(), muted});
    EXPECT_EQ(get("r").config, first + 2);
    must(ops::put_participant{acme(), make_participant("r", "alice")});
    EXPECT_EQ(get("r").config, first + 3);
    EXPECT_TRUE(must(ops::remove_binding{acme(), room_id{"r"}, channel_id{"sms"}}));
    EXPECT_EQ(get("r").config, first + 4);
    EXPECT_FALSE(must(ops::remove_binding{acme(), room_id{"r"}, channel_id{"sms"}}));
    EXPECT_EQ(get("r").config, first + 4) << "nothing was removed";
    EXPECT_THAT(must(ops::load_room_context{acme(), room_id{"r"}}).bindings, IsEmpty());
}

// Bindings and participants need their room, in their organisation.
// Proves: X1
TEST_P(Rooms, RefuseBindingsOfOthers) {
    create("r");
    const organization_id globex{"globex"};
    EXPECT_EQ(error_of(ops::put_binding{globex, make_binding("r", "sms")}), errc::not_found);
    EXPECT_EQ(
        error_of(ops::put_participant{globex, make_participant("r", "eve")}), errc::not_found
    );
    const ops::remove_binding removal{globex, room_id{"r"}, channel_id{"sms"}};
    EXPECT_EQ(error_of(removal), errc::not_found);
}

// -- deletion ---------------------------------------------------------------------------------

// A deleted room takes all that belongs to it; a room made later under its id starts empty.
// Proves: R20, S1 (rk:C17)
TEST_P(Rooms, AreDeletedWithAllThatBelongsToThem) {
    register_worker(worker_one());
    room wanted = make_room("r");
    wanted.external_id = "ticket";
    wanted.timers = {60s, 60s};
    must(ops::create_routed_room{wanted, {make_binding("r", "sms")}, {}, channel_id{"sms"}, "+1555"}
    );
    room_event keyed = make_message("a");
    keyed.idempotency_key = "key";
    batch_on first = batch("r");
    first.add(keyed).deliver_to("sms");
    first.commit().inbound_keys.push_back({channel_id{"sms"}, "inbound", event_id{"a"}, "hash"});
    must(first.take());
    must(ops::put_read_marker{acme(), room_id{"r"}, {"", "alice", event_index{0}}, false});
    must(ops::put_outbound{make_outbound(rows_of("r", "a").front())});
    bury(worker_one());

    EXPECT_TRUE(must(ops::delete_room{acme(), room_id{"r"}}));
    EXPECT_FALSE(must(ops::delete_room{acme(), room_id{"r"}}));
    EXPECT_EQ(error_of(ops::get_room{acme(), room_id{"r"}}), errc::not_found);
    EXPECT_EQ(must(ops::find_route{acme(), channel_id{"sms"}, "+1555"}), std::nullopt);
    EXPECT_THAT(must(ops::find_rooms_by_channel{acme(), channel_id{"sms"}}), IsEmpty());
    EXPECT_EQ(must(ops::find_room_by_external_id{acme(), "ticket"}), std::nullopt);
    EXPECT_FALSE(must(ops::find_inbound_key{acme(), channel_id{"sms"}, "inbound"}).has_value());
    EXPECT_THAT(rows_of("r", "a"), IsEmpty());
    EXPECT_THAT(must(ops::find_orphaned_rooms{}), IsEmpty());
    EXPECT_THAT(must(ops::take_due_outbound{}), IsEmpty());
    clock().advance(1h);
    EXPECT_THAT(must(ops::apply_due_timers{}).changed, IsEmpty());

    create("r");
    EXPECT_THAT(events_of("r"), IsEmpty());
    EXPECT_THAT(must(ops::list_read_markers{acme(), room_id{"r"}, ""}), IsEmpty());
    EXPECT_THAT(must(ops::load_room_head{acme(), room_id{"r"}, {"key"}}).hits, IsEmpty());
    must(batch("r").add(keyed).take());
}

// What is given in and what is answered are copies: changing them changes no room.
// Proves: S1 (rk:C17)
TEST_P(Rooms, AreCopiedInAndOut) {
    create("r");
    room copy = get("r");
    copy.status = room_status::archived;
    copy.metadata = json_text::trusted(R"({"changed":true})");
    EXPECT_EQ(get("r").status, room_status::active);
    EXPECT_EQ(get("r").metadata.str(), "{}");
}

}  // namespace

}  // namespace convene
