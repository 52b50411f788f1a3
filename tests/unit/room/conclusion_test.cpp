// SPDX-License-Identifier: Apache-2.0
// What is made of an event once its hooks have answered.
#include <gtest/gtest.h>

#include "room/gates.hpp"
#include "scene.hpp"
#include "support/manual_wall_clock.hpp"
#include "support/scripted_random.hpp"

namespace convene {
namespace {

class conclusion_test : public testing::Test {
   protected:
    [[nodiscard]] conclusion conclude_on(const proposal& what) {
        return conclude(room.context, what, admitted{what.event, {}}, hooks, &ids);
    }

    void block_by_hook() { hooks.blocked = {"filter", "spam"}; }

    scene room;
    hook_chain_outcome hooks;
    manual_wall_clock clock;
    scripted_random random{{7}};
    id_generator ids{clock, random};
};

using Conclusion = conclusion_test;

injected_event injection(std::string body) {
    injected_event wanted;
    wanted.content = content::text(body);
    wanted.targets = list_of({"web"});
    return wanted;
}

// Without hooks an event that its source may write is committed as it was admitted.
// Proves: R6
TEST_F(Conclusion, KeepsAnAdmittedEvent) {
    const proposal what = proposed(said_by_bob("event"));
    const conclusion made = conclude_on(what);
    EXPECT_EQ(made.event, what.event);
    EXPECT_FALSE(made.change);
    EXPECT_TRUE(made.notices.empty());
    EXPECT_TRUE(made.injected.empty());
}

// What the hooks modified is what is committed.
// Proves: R9
TEST_F(Conclusion, AppliesWhatTheHooksModified) {
    hooks.new_content = content::text("clean");
    hooks.new_metadata = json_text::trusted(R"({"seen":true})");
    const conclusion made = conclude_on(proposed(said_by_bob("event")));
    EXPECT_EQ(made.event.content, content::text("clean"));
    EXPECT_EQ(made.event.metadata.str(), R"({"seen":true})");
}

// A block by a hook is stored with the hook and its reason, and is a notice.
// Proves: R9, R19
TEST_F(Conclusion, StoresTheBlockOfAHook) {
    block_by_hook();
    const conclusion made = conclude_on(proposed(said_by_bob("event")));
    EXPECT_EQ(made.event.status, event_status::blocked);
    EXPECT_EQ(made.event.blocked_by, "filter");
    ASSERT_EQ(made.notices.size(), 1U);
    EXPECT_EQ(made.notices[0].type, "event_blocked");
    EXPECT_EQ(
        made.notices[0].data.str(), R"({"channel":"web","blocked_by":"filter","reason":"spam"})"
    );
}

// Write permission is asked after the hooks, of replies as of everything else.
// Proves: R10, R6, R19
TEST_F(Conclusion, ChecksWritePermissionOfReplies) {
    room.at("helper").is_muted = true;
    const conclusion made = conclude_on(proposed(said("reply", "helper"), origin::reply));
    EXPECT_EQ(made.event.block_reason, "source_muted");
    ASSERT_EQ(made.notices.size(), 1U);
    EXPECT_EQ(made.notices[0].type, "event_blocked");
}

// A hook's reason outranks the permission that would have refused the event as well.
// Proves: R9, R10
TEST_F(Conclusion, KeepsTheHooksReason) {
    room.at("web").is_muted = true;
    block_by_hook();
    EXPECT_EQ(conclude_on(proposed(said_by_bob("event"))).event.block_reason, "spam");
}

// The notices of gates and hooks stay with the event, in the order in which they arose.
// Proves: R19
TEST_F(Conclusion, KeepsAllNotices) {
    framework_event by_gate;
    by_gate.type = "thread_parent_not_found";
    framework_event by_hook;
    by_hook.type = "hook_failed";
    hooks.notices.push_back(by_hook);
    block_by_hook();
    const proposal what = proposed(said_by_bob("event"));
    const conclusion made = conclude(
        room.context, what, admitted{what.event, {by_gate}}, hooks, &ids
    );
    ASSERT_EQ(made.notices.size(), 3U);
    EXPECT_EQ(made.notices[0].type, "thread_parent_not_found");
    EXPECT_EQ(made.notices[1].type, "hook_failed");
    EXPECT_EQ(made.notices[2].type, "event_blocked");
}

// -- changes
// ---------------------------------------------------------------------------------------------

// The target changes with the commit of the edit, to what the hooks made of the new content.
// Proves: R13, R9
TEST_F(Conclusion, ChangesTheTargetToWhatTheHooksLeft) {
    const proposal what = proposed(as_edit(said_by_bob("edit"), "mine"));
    EXPECT_EQ(conclude_on(what).change->new_content, content::text("better"));

    hooks.new_content = content::edit(event_id{"mine"}, content::text("clean"));
    const conclusion made = conclude_on(what);
    ASSERT_TRUE(made.change);
    EXPECT_EQ(made.change->target, event_id{"mine"});
    EXPECT_EQ(made.change->new_content, content::text("clean"));
}

// A blocked change changes nothing, whoever blocked it.
// Proves: R13, R9, R10
TEST_F(Conclusion, LeavesTheTargetOfABlockedChangeAlone) {
    const proposal what = proposed(as_deletion(said_by_bob("deletion"), "mine"));
    EXPECT_TRUE(conclude_on(what).change);

    room.at("web").is_muted = true;
    EXPECT_FALSE(conclude_on(what).change);

    room.at("web").is_muted = false;
    block_by_hook();
    EXPECT_FALSE(conclude_on(what).change);
}

// -- injected events, tasks, observations
// ----------------------------------------------------------------

// An injected event stands where its cause stands, names it, goes where the hook said, and causes
// nothing.
// Proves: R9, R11a, R11
TEST_F(Conclusion, PlacesInjectedEventsBehindTheirCause) {
    proposal cause = proposed(said_by_bob("cause"));
    cause.event.parent = event_id{"root"};
    cause.event.correlation_id = "order-1";
    cause.event.chain_depth = 2;
    cause.event.plan.cascade = cascade_id{"first"};
    cause.event.plan.budget = 9;
    cause.event.plan.trace_parent = "trace";
    cause.chain = {room_id{"outer"}};

    injected_event wanted = injection("note");
    wanted.visibility = visibility{visibility::scope::transport};
    wanted.type = event_type::system;
    wanted.metadata = json_text::trusted(R"({"a":1})");
    hooks.injected = {wanted};

    const conclusion made = conclude_on(cause);
    ASSERT_EQ(made.injected.size(), 1U);
    const proposal& injected = made.injected[0];
    EXPECT_EQ(injected.from, origin::injected);
    EXPECT_EQ(injected.targets, list_of({"web"}));
    EXPECT_EQ(injected.chain, cause.chain);
    EXPECT_FALSE(injected.event.id.empty());
    EXPECT_EQ(injected.event.room, room_id{"room"});
    EXPECT_EQ(injected.event.type, event_type::system);
    EXPECT_EQ(injected.event.content, content::text("note"));
    EXPECT_EQ(injected.event.visibility, wanted.visibility);
    EXPECT_EQ(injected.event.metadata, wanted.metadata);
    EXPECT_EQ(injected.event.caused_by, event_id{"cause"});
    EXPECT_EQ(injected.event.parent, event_id{"root"});
    EXPECT_EQ(injected.event.correlation_id, "order-1");
    EXPECT_EQ(injected.event.chain_depth, 2);
    EXPECT_EQ(injected.event.plan.cascade, cascade_id{"first"});
    EXPECT_EQ(injected.event.plan.trace_parent, "trace");
    EXPECT_EQ(injected.event.plan.budget, 0);
    EXPECT_TRUE(injected.event.source.channel.empty());
}

// Several injected events keep their order, and each is an event of its own.
// Proves: R9
TEST_F(Conclusion, KeepsTheOrderOfInjectedEvents) {
    hooks.injected = {injection("one"), injection("two")};
    const conclusion made = conclude_on(proposed(said_by_bob("cause")));
    ASSERT_EQ(made.injected.size(), 2U);
    EXPECT_EQ(made.injected[0].event.content.body(), "one");
    EXPECT_EQ(made.injected[1].event.content.body(), "two");
    EXPECT_NE(made.injected[0].event.id, made.injected[1].event.id);
}

// A blocked event keeps what its hooks asked for: a muted agent still thinks.
// Proves: R9, R10
TEST_F(Conclusion, KeepsSideEffectsOfABlockedEvent) {
    hooks.injected = {injection("note")};
    hooks.tasks.emplace_back().title = "look";
    hooks.observations.emplace_back().content = "angry";
    block_by_hook();
    const conclusion made = conclude_on(proposed(said_by_bob("event")));
    EXPECT_EQ(made.injected.size(), 1U);
    EXPECT_EQ(made.tasks.size(), 1U);
    EXPECT_EQ(made.observations.size(), 1U);
}

// Tasks and observations get the room and an id where they have none; a channel too, where none is
// named.
// Proves: R9
TEST_F(Conclusion, CompletesTasksAndObservations) {
    hooks.tasks.resize(2);
    hooks.tasks[1].id = task_id{"own"};
    hooks.observations.resize(2);
    hooks.observations[1].id = observation_id{"own"};
    hooks.observations[1].channel = channel_id{"sms"};

    const conclusion made = conclude_on(proposed(said_by_bob("event")));
    EXPECT_FALSE(made.tasks[0].id.empty());
    EXPECT_EQ(made.tasks[1].id, task_id{"own"});
    EXPECT_EQ(made.tasks[0].room, room_id{"room"});
    EXPECT_FALSE(made.observations[0].id.empty());
    EXPECT_EQ(made.observations[0].channel, channel_id{"web"});
    EXPECT_EQ(made.observations[0].room, room_id{"room"});
    EXPECT_EQ(made.observations[1].id, observation_id{"own"});
    EXPECT_EQ(made.observations[1].channel, channel_id{"sms"});
}

}  // namespace
}  // namespace convene
