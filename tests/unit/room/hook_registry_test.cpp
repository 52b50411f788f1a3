// SPDX-License-Identifier: Apache-2.0
// The hook registry: which definitions it takes, which hooks an event meets, and in which order.
#include "room/hook_registry.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "scene.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

hook_definition named(std::string id, std::int32_t priority = 0) {
    hook_definition hook;
    hook.id = hook_id{std::move(id)};
    hook.priority = priority;
    hook.run = plain_hook{[](const hook_input&) { return hook_verdict::allow(); }};
    return hook;
}

std::string met(
    const hook_registry& hooks,
    const room_event& event,
    hook_point point = hook_point::before_commit
) {
    const scene room;
    std::string text;
    for (const auto& hook : hooks.match(point, room.context.room, event)) {
        text += std::string{text.empty() ? "" : " "} + hook->id.str();
    }
    return text;
}

// Hooks run by priority, ties by id, in whichever order they were added.
// Proves: R9
TEST(HookRegistry, OrdersByPriorityThenId) {
    hook_registry hooks;
    for (const auto& [id, priority] :
         std::vector<std::pair<std::string, int>>{{"b", 0}, {"last", 9}, {"a", 0}, {"first", -9}}) {
        EXPECT_TRUE(hooks.add(named(id, priority)));
    }
    EXPECT_EQ(met(hooks, said_by_bob("event")), "first a b last");
}

// Each filter that is set has to admit the event; one that is not set admits every event.
// Proves: R9
TEST(HookRegistry, MatchesByEveryFilter) {
    const auto meets = [](const std::function<void(hook_definition&)>& filter) {
        hook_definition hook = named("hook");
        filter(hook);
        hook_registry hooks;
        EXPECT_TRUE(hooks.add(std::move(hook)));
        room_event event = said_by_bob("event");
        event.source.channel_type = "websocket";
        return !met(hooks, event).empty();
    };
    EXPECT_TRUE(meets([](hook_definition&) {}));

    EXPECT_TRUE(meets([](hook_definition& h) { h.organization = organization_id{"acme"}; }));
    EXPECT_FALSE(meets([](hook_definition& h) { h.organization = organization_id{"other"}; }));
    EXPECT_TRUE(meets([](hook_definition& h) { h.room = room_id{"room"}; }));
    EXPECT_FALSE(meets([](hook_definition& h) { h.room = room_id{"other"}; }));
    EXPECT_TRUE(meets([](hook_definition& h) { h.channel_types = {"sms", "websocket"}; }));
    EXPECT_FALSE(meets([](hook_definition& h) { h.channel_types = {"sms"}; }));
    EXPECT_TRUE(meets([](hook_definition& h) { h.event_types = {event_type::message}; }));
    EXPECT_FALSE(meets([](hook_definition& h) { h.event_types = {event_type::edit}; }));
    EXPECT_FALSE(meets([](hook_definition& h) { h.point = hook_point::after_delivery; }));
}

// The two points have hooks of their own.
// Proves: R9
TEST(HookRegistry, KeepsThePointsApart) {
    hook_registry hooks;
    hook_definition after = named("after");
    after.point = hook_point::after_delivery;
    EXPECT_TRUE(hooks.add(after));
    EXPECT_TRUE(hooks.add(named("before")));
    EXPECT_EQ(met(hooks, said_by_bob("event")), "before");
    EXPECT_EQ(met(hooks, said_by_bob("event"), hook_point::after_delivery), "after");
}

// An id names one hook.
// Proves: R9
TEST(HookRegistry, RefusesAnIdTwice) {
    hook_registry hooks;
    EXPECT_TRUE(hooks.add(named("hook")));
    EXPECT_EQ(hooks.add(named("hook", 5)).error(), errc::already_exists);
    EXPECT_EQ(met(hooks, said_by_bob("event")), "hook");
}

// A definition that could not run, or could hold a room longer than hooks may, is refused.
// Proves: R9
TEST(HookRegistry, RefusesImpossibleDefinitions) {
    const auto refused = [](const std::function<void(hook_definition&)>& change) {
        hook_definition hook = named("hook");
        change(hook);
        hook_registry hooks;
        return hooks.add(std::move(hook)) == errc::invalid_argument;
    };
    EXPECT_TRUE(refused([](hook_definition& h) { h.id = hook_id{}; }));
    EXPECT_TRUE(refused([](hook_definition& h) { h.id = hook_id{"a\nb"}; }));
    EXPECT_TRUE(refused([](hook_definition& h) { h.run = plain_hook{}; }));
    EXPECT_TRUE(refused([](hook_definition& h) { h.run = coroutine_hook{}; }));

    EXPECT_TRUE(refused([](hook_definition& h) { h.deadline = 0ms; }));
    EXPECT_FALSE(refused([](hook_definition& h) { h.deadline = 1ms; }));
    EXPECT_FALSE(refused([](hook_definition& h) { h.deadline = 2s; }));
    EXPECT_TRUE(refused([](hook_definition& h) { h.deadline = 2001ms; }));
    const auto after = [](std::chrono::milliseconds deadline) {
        return [deadline](hook_definition& h) {
            h.point = hook_point::after_delivery;
            h.deadline = deadline;
        };
    };
    EXPECT_FALSE(refused(after(30s)));
    EXPECT_TRUE(refused(after(30'001ms)));
    EXPECT_TRUE(refused(after(0ms)));
}

// A removed hook is met no more, while a call that has it may go on.
// Proves: R9
TEST(HookRegistry, KeepsARemovedHookForThoseWhoHaveIt) {
    hook_registry hooks;
    EXPECT_TRUE(hooks.add(named("hook")));
    EXPECT_TRUE(hooks.add(named("other")));
    const auto held = hooks.find(hook_id{"hook"});
    ASSERT_NE(held, nullptr);
    hooks.remove(hook_id{"hook"});
    hooks.remove(hook_id{"unknown"});
    EXPECT_EQ(held->id, hook_id{"hook"});
    EXPECT_EQ(hooks.find(hook_id{"hook"}), nullptr);
    EXPECT_EQ(met(hooks, said_by_bob("event")), "other");
    EXPECT_TRUE(hooks.add(named("hook")));
}

}  // namespace
}  // namespace convene
