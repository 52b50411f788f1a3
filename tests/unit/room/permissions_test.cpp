// SPDX-License-Identifier: Apache-2.0
// Permissions: who may write, who sees, and what a reader's history holds.
#include "room/permissions.hpp"

#include <gtest/gtest.h>

#include "scene.hpp"

namespace convene {
namespace {

using enum visibility::scope;

/// The reason an event is blocked for; empty if it passes.
std::string refusal_of(const scene& room, room_event event) {
    apply_write_permission(room.context, &event);
    EXPECT_EQ(event.status == event_status::blocked, !event.block_reason.empty());
    return event.block_reason;
}

std::vector<std::string> ids_of(const std::vector<room_event>& events) {
    std::vector<std::string> ids;
    for (const room_event& event : events) {
        ids.push_back(event.id.str());
    }
    return ids;
}

using ids = std::vector<std::string>;

// -- writing
// ---------------------------------------------------------------------------------------------

// What may be written by whom, by access: only the two that include writing let an event pass.
// Proves: R10
TEST(WritePermission, FollowsTheAccessOfTheSource) {
    scene room;
    const auto with = [&room](access given) {
        room.at("web").access = given;
        return refusal_of(room, said_by_bob("event"));
    };
    EXPECT_EQ(with(access::read_write), "");
    EXPECT_EQ(with(access::write_only), "");
    EXPECT_EQ(with(access::read_only), "source_read_only");
    EXPECT_EQ(with(access::none), "source_read_only");
}

// A muted channel is told that it is muted, whatever its access.
// Proves: R10
TEST(WritePermission, BlocksAMutedSource) {
    scene room;
    room.at("helper").is_muted = true;
    EXPECT_EQ(refusal_of(room, said("event", "helper")), "source_muted");
    room.at("helper").access = access::read_only;
    EXPECT_EQ(refusal_of(room, said("event", "helper")), "source_muted");
}

// A channel that was detached while its event was on the way writes nothing.
// Proves: R10
TEST(WritePermission, BlocksASourceThatIsNotBound) {
    const scene room;
    EXPECT_EQ(refusal_of(room, said("event", "fax")), "source_not_bound");
}

// The system writes without a binding.
// Proves: R10
TEST(WritePermission, LetsTheSystemWrite) {
    const scene room;
    EXPECT_EQ(refusal_of(room, said_by_the_system("event")), "");
}

// What a hook or a limit blocked before keeps that reason: it is the one that decided.
// Proves: R10, R9
TEST(WritePermission, KeepsAnEarlierReason) {
    scene room;
    room.at("web").is_muted = true;
    room_event event = said_by_bob("event");
    event.status = event_status::blocked;
    event.blocked_by = "filter";
    event.block_reason = "spam";
    apply_write_permission(room.context, &event);
    EXPECT_EQ(event.blocked_by, "filter");
    EXPECT_EQ(event.block_reason, "spam");
}

// The rule itself stands in the event, beside its reason.
// Proves: R10
TEST(WritePermission, NamesTheRule) {
    scene room;
    room.at("web").is_muted = true;
    room_event event = said_by_bob("event");
    apply_write_permission(room.context, &event);
    EXPECT_EQ(event.blocked_by, "write_permission");
}

// -- seeing
// ----------------------------------------------------------------------------------------------

/// Which of Bob's web channel, the helper and the critic see an event of Ann with this visibility.
std::string seen_with(const visibility& shown) {
    scene room;
    room_event event = said_by_ann("event");
    event.visibility = shown;
    std::string seen;
    for (const char* reader : {"web", "helper", "critic"}) {
        if (is_visible_to(room.context, event, room.at(reader))) {
            seen += std::string{seen.empty() ? "" : " "} + reader;
        }
    }
    return seen;
}

// Each kind of visibility admits exactly those it names.
// Proves: R10
TEST(Visibility, AdmitsThoseItNames) {
    EXPECT_EQ(seen_with(visibility{all}), "web helper critic");
    EXPECT_EQ(seen_with(visibility{transport}), "web");
    EXPECT_EQ(seen_with(visibility{intelligence}), "helper critic");
    EXPECT_EQ(seen_with(visibility{list_of({"critic"})}), "critic");
    EXPECT_EQ(seen_with(visibility{list_of({"web", "helper"})}), "web helper");
    EXPECT_EQ(seen_with(visibility{none}), "");
    EXPECT_EQ(seen_with(visibility{internal}), "");
}

// An event without a wish of its own is as visible as its binding says; a wish of its own wins.
// Proves: R10
TEST(Visibility, FallsBackToTheSourcesBinding) {
    scene room;
    room.at("sms").visibility = visibility{transport};
    room_event event = said_by_ann("event");
    EXPECT_TRUE(is_visible_to(room.context, event, room.at("web")));
    EXPECT_FALSE(is_visible_to(room.context, event, room.at("helper")));

    event.visibility = visibility{intelligence};
    EXPECT_FALSE(is_visible_to(room.context, event, room.at("web")));
    EXPECT_TRUE(is_visible_to(room.context, event, room.at("helper")));
}

// What the system says, or a channel that is gone said, has only its own visibility.
// Proves: R10
TEST(Visibility, IsTheEventsOwnWithoutABinding) {
    scene room;
    EXPECT_TRUE(is_visible_to(room.context, said_by_the_system("event"), room.at("web")));
    EXPECT_TRUE(is_visible_to(room.context, said("event", "fax"), room.at("web")));
}

// Seeing needs read access, except for what is one's own.
// Proves: R10
TEST(Visibility, NeedsReadAccess) {
    scene room;
    for (const access given : {access::write_only, access::none}) {
        room.at("web").access = given;
        EXPECT_FALSE(is_visible_to(room.context, said_by_ann("event"), room.at("web")));
        EXPECT_TRUE(is_visible_to(room.context, said_by_bob("event"), room.at("web")));
    }
    room.at("web").access = access::read_only;
    EXPECT_TRUE(is_visible_to(room.context, said_by_ann("event"), room.at("web")));
}

// Being muted is about writing: a muted reader sees everything.
// Proves: R10
TEST(Visibility, DoesNotDependOnBeingMuted) {
    scene room;
    room.at("web").is_muted = true;
    EXPECT_TRUE(is_visible_to(room.context, said_by_ann("event"), room.at("web")));
}

// What was refused is shown to nobody, not even to its author.
// Proves: R10
TEST(Visibility, HidesBlockedEventsFromEverybody) {
    scene room;
    room_event event = said_by_bob("event");
    event.status = event_status::blocked;
    EXPECT_FALSE(is_visible_to(room.context, event, room.at("web")));
    EXPECT_FALSE(is_visible_to(room.context, event, room.at("helper")));
}

// -- history
// ---------------------------------------------------------------------------------------------

// A reader's history is what was delivered to it and what it said itself, in order.
// Proves: R10
TEST(History, HoldsWhatTheReaderMaySee) {
    scene room;
    std::vector<room_event> events{
        said_by_ann("open"),
        said_by_ann("whisper"),
        said("own", "helper"),
        said("blocked", "critic"),
        said_by_bob("last"),
    };
    events[1].visibility = visibility{list_of({"web"})};
    events[2].visibility = visibility{none};
    events[3].status = event_status::blocked;

    EXPECT_EQ(
        ids_of(visible_history(room.context, room.at("helper"), events)),
        (ids{"open", "own", "last"})
    );
    EXPECT_EQ(
        ids_of(visible_history(room.context, room.at("web"), events)),
        (ids{"open", "whisper", "last"})
    );
}

// A deleted message keeps its place, but neither its text nor its metadata.
// Proves: R10, R13
TEST(History, ShowsATombstoneForADeletedMessage) {
    scene room;
    std::vector<room_event> events{said_by_ann("secret")};
    events[0].is_deleted = true;
    events[0].metadata = json_text::trusted(R"({"draft":"hello"})");

    const auto shown = visible_history(room.context, room.at("web"), events);
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(readable_text(shown[0].content), "[Message deleted]");
    EXPECT_EQ(shown[0].metadata, json_text{});
}

// The text of a deleted message does not come back through the edits it had, in whichever way the
// reader learns of the deletion.
// Proves: R10, R13
TEST(History, HidesTheEditsOfADeletedMessage) {
    scene room;
    std::vector<room_event> events{
        said_by_ann("secret"),
        as_edit(said_by_ann("edit"), "secret"),
        as_edit(said_by_ann("other"), "older"),
        as_deletion(said_by_ann("deletion"), "secret"),
    };
    const auto shown = visible_history(room.context, room.at("web"), events);
    ASSERT_EQ(ids_of(shown), (ids{"secret", "edit", "other", "deletion"}));
    EXPECT_EQ(readable_text(shown[0].content), "[Message deleted]");
    EXPECT_EQ(readable_text(shown[1].content), "[Message deleted]");
    EXPECT_TRUE(shown[1].is_deleted);
    EXPECT_EQ(shown[2].content, events[2].content);
    EXPECT_EQ(shown[3].content, events[3].content);
}

// A deletion that was refused deletes nothing.
// Proves: R13
TEST(History, IgnoresABlockedDeletion) {
    scene room;
    std::vector<room_event> events{
        said_by_ann("kept"),
        as_deletion(said_by_bob("refused"), "kept"),
    };
    events[1].status = event_status::blocked;
    const auto shown = visible_history(room.context, room.at("web"), events);
    ASSERT_EQ(ids_of(shown), (ids{"kept"}));
    EXPECT_EQ(shown[0].content, events[0].content);
}

}  // namespace
}  // namespace convene
