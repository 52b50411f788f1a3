// SPDX-License-Identifier: Apache-2.0
// What every store promises about remote hooks, and about the version that an organisation's rooms share.
#include "store/operations/hooks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Hooks : public conformance {
   protected:
    static remote_hook hook_of(
        const std::string& id, const std::string& room, organization_id organization = acme()
    ) {
        remote_hook hook;
        hook.id = hook_id{id};
        hook.organization = std::move(organization);
        hook.room = room_id{room};
        hook.name = "Name of " + id;
        hook.url = "https://example.com/" + id;
        hook.mode = hook_mode::serial;
        hook.priority = -3;
        hook.channel_types = {"sms", "email"};
        hook.event_types = {event_type::message, event_type::edit};
        hook.deadline = milliseconds{750};
        hook.on_failure = hook_failure_policy::fail_closed;
        hook.secret = "sealed";
        hook.previous_secret = "sealed before";
        hook.previous_until = wall_time{seconds{1'800'000'000}};
        return hook;
    }

    remote_hook add(remote_hook hook) { return must(ops::put_hook{std::move(hook), {}}); }

    [[nodiscard]] std::vector<std::string> hooks_for(const std::string& room) {
        std::vector<std::string> ids;
        for (const remote_hook& hook : must(ops::load_hooks{acme(), room_id{room}}).hooks) {
            ids.push_back(hook.id.str());
        }
        return ids;
    }

    [[nodiscard]] config_version shared_version(organization_id organization = acme()) {
        return must(ops::load_hooks{std::move(organization), {}}).organization_config;
    }
};

CONVENE_ON_EVERY_STORE(Hooks);

// Every field comes back, in its organisation only; times and revision are the store's.
// Proves: S1, X1
TEST_P(Hooks, AreStored) {
    create("r");
    remote_hook wanted = hook_of("h", "r");
    const remote_hook made = add(wanted);
    wanted.revision = 1;
    wanted.created_at = wanted.updated_at = clock().now();
    EXPECT_EQ(made, wanted);
    EXPECT_EQ(must(ops::get_hook{acme(), hook_id{"h"}}), wanted);
    EXPECT_EQ(error_of(ops::put_hook{hook_of("h", "r"), {}}), errc::already_exists);
    const organization_id globex{"globex"};
    EXPECT_EQ(error_of(ops::get_hook{globex, hook_id{"h"}}), errc::not_found);
    EXPECT_EQ(error_of(ops::put_hook{hook_of("i", "r", globex), {}}), errc::not_found);
    EXPECT_EQ(error_of(ops::put_hook{hook_of("i", "absent"), {}}), errc::not_found);
    EXPECT_FALSE(must(ops::delete_hook{globex, hook_id{"h"}, {}}));
    EXPECT_THAT(must(ops::list_hooks{globex, room_id{"r"}}), IsEmpty());
}

// A hook is replaced as it was read, or not at all: nobody undoes a new secret by changing a name.
// Proves: S1
TEST_P(Hooks, AreReplacedAsTheyWereRead) {
    create("r");
    remote_hook first = add(hook_of("h", "r"));
    remote_hook second = first;
    clock().advance(1s);
    first.secret = "another";
    first.room = room_id{"elsewhere"};
    const remote_hook changed = add(first);
    EXPECT_EQ(changed.revision, 2);
    EXPECT_EQ(changed.room, room_id{"r"}) << "a hook stays where it is";
    EXPECT_EQ(changed.updated_at, changed.created_at + 1s);
    second.name = "new name";
    EXPECT_EQ(error_of(ops::put_hook{second, {}}), errc::room_changed);
    EXPECT_EQ(must(ops::get_hook{acme(), hook_id{"h"}}).secret, "another");
    second.id = hook_id{"absent"};
    EXPECT_EQ(error_of(ops::put_hook{second, {}}), errc::not_found);
}

// A room meets its own hooks and its organisation's that are enabled, in the order of priorities, then ids.
// Proves: R9, X1
TEST_P(Hooks, AreLoadedForARoom) {
    create("r");
    create("other");
    remote_hook late = hook_of("a", "");
    late.priority = 9;
    add(late);
    add(hook_of("c", "r"));
    add(hook_of("b", ""));
    add(hook_of("d", "other"));
    remote_hook off = hook_of("e", "r");
    off.is_enabled = false;
    add(off);
    add(hook_of("f", "", organization_id{"globex"}));
    EXPECT_THAT(hooks_for("r"), ElementsAre("b", "c", "a"));
    EXPECT_THAT(hooks_for("other"), ElementsAre("b", "d", "a"));
    EXPECT_EQ(must(ops::list_hooks{acme(), room_id{"r"}}).size(), 2U);
    EXPECT_EQ(must(ops::list_hooks{acme(), {}}).size(), 2U);
    EXPECT_TRUE(must(ops::delete_hook{acme(), hook_id{"b"}, {}}));
    EXPECT_FALSE(must(ops::delete_hook{acme(), hook_id{"b"}, {}}));
    EXPECT_THAT(hooks_for("r"), ElementsAre("c", "a"));
}

// A room's hook raises the room's version, an organisation's that of all its rooms, without touching one of them.
// Proves: R9
TEST_P(Hooks, RaiseAVersion) {
    create("r");
    create("other");
    EXPECT_EQ(shared_version(), 0);
    add(hook_of("h", "r"));
    EXPECT_EQ(get("r").config, 2);
    EXPECT_EQ(get("other").config, 1);
    EXPECT_EQ(shared_version(), 0);
    must(ops::delete_hook{acme(), hook_id{"h"}, {}});
    EXPECT_EQ(get("r").config, 3);
    add(hook_of("o", ""));
    must(ops::delete_hook{acme(), hook_id{"o"}, {}});
    EXPECT_EQ(shared_version(), 2);
    EXPECT_EQ(shared_version(organization_id{"globex"}), 0);
    EXPECT_EQ(get("r").config, 3);
    EXPECT_EQ(must(ops::load_room_head{acme(), room_id{"r"}, {}}).organization_config, 2);
}

// A commit that was decided before an organisation's hook was there stores nothing.
// Proves: R9, L7
TEST_P(Hooks, AreComparedByTheCommit) {
    create("r");
    ops::commit decided = batch("r").add(make_message("e")).take();
    add(hook_of("o", ""));
    EXPECT_EQ(error_of(decided), errc::room_changed);
    EXPECT_THAT(events_of("r"), IsEmpty());
    decided.expected_organization_config = 1;
    must(decided);
    EXPECT_EQ(events_of("r").size(), 1U);
}

// A room and an organisation have so many hooks and no more.
// Proves: R9
TEST_P(Hooks, AreLimited) {
    create("r");
    for (std::size_t i = 0; i < max_remote_hooks; ++i) {
        add(hook_of("r" + std::to_string(i), "r"));
        add(hook_of("o" + std::to_string(i), ""));
    }
    EXPECT_EQ(error_of(ops::put_hook{hook_of("one too many", "r"), {}}), errc::overloaded);
    EXPECT_EQ(error_of(ops::put_hook{hook_of("one too many", ""), {}}), errc::overloaded);
    remote_hook changed = must(ops::get_hook{acme(), hook_id{"r0"}});
    changed.name = "changed";
    add(changed);
}

// The hooks of a room go with it; what is done to a hook is on the audit trail, in the same step.
// Proves: S1, X1
TEST_P(Hooks, GoWithTheirRoom) {
    create("r");
    audit_entry entry;
    entry.organization = acme();
    entry.action = "hook.created";
    entry.target = "h";
    must(ops::put_hook{hook_of("h", "r"), entry});
    const auto trail = must(ops::list_audit{.organization = acme(), .before = {}, .limit = 10});
    ASSERT_EQ(trail.size(), 1U);
    EXPECT_EQ(trail[0].action, "hook.created");
    add(hook_of("o", ""));
    must(ops::delete_room{acme(), room_id{"r"}});
    EXPECT_EQ(error_of(ops::get_hook{acme(), hook_id{"h"}}), errc::not_found);
    create("r");
    EXPECT_THAT(hooks_for("r"), ElementsAre("o"));
}

}  // namespace

}  // namespace convene
