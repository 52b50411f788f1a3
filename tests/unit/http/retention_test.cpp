// SPDX-License-Identifier: Apache-2.0
// Retention, leases, replays, readiness and identities over HTTP.
#include "store/operations/retention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/store_fixtures.hpp"
#include "unit/http/http_scene.hpp"

namespace convene {
namespace {

using testing::HasSubstr;

/// A coroutine that waits for its lease to be lost, and then lets go.
awaitable<void> hold(lock_manager* locks, lease_name name, wait_flag* lost, wait_flag* let_go) {
    auto held = co_await locks->try_acquire(std::move(name));
    auto endless = [](wait_flag* never) -> awaitable<void> {
        const result<> waited = co_await never->wait();
        static_cast<void>(waited);
    };
    wait_flag never;
    co_await cancelled_by(&(*held)->lost(), endless(&never));
    lost->set();
    const result<> waited = co_await let_go->wait();
    static_cast<void>(waited);
    const result<> released = co_await (*held)->release();
    EXPECT_EQ(released.error(), errc::lease_lost);
}

// Owners say how long their room keeps things, admins how long the organisation does; the shorter holds.
// Proves: R20
TEST(HttpRetention, PoliciesAreSetAndShown) {
    http_scene scene;
    scene.make_room();
    const std::string of_room = "/api/v1/rooms/r/retention";
    EXPECT_EQ(scene.put(of_room, R"({"events_max_age_days":30})", "bob").status, 403);
    EXPECT_EQ(
        scene.put(of_room, R"({"events_max_age_days":0})").fault(),
        "events_max_age_days: out_of_range"
    );
    seen_reply shown = scene.put(of_room, R"({"events_max_age_days":30})");
    ASSERT_EQ(shown.status, 200) << shown.body;
    EXPECT_EQ(shown.text("own", "events_max_age_days"), "30");
    EXPECT_EQ(scene.put("/api/v1/organization/retention", "{}", "olga").status, 403);
    scene.put(
        "/api/v1/organization/retention",
        R"({"events_max_age_days":7,"attachments_max_age_days":5})",
        "adam"
    );
    shown = scene.get(of_room, "bob");
    EXPECT_EQ(shown.text("own", "events_max_age_days"), "30");
    EXPECT_EQ(shown.text("effective", "events_max_age_days"), "7");
    EXPECT_EQ(shown.text("effective", "attachments_max_age_days"), "5");
    EXPECT_EQ(shown.text("effective", "room_delete_after_closed_days"), "null");
    EXPECT_EQ(scene.get(of_room, "eve").status, 404);
    const auto trail = scene.ask(ops::list_audit{organization_id{"acme"}, {}, 10});
    ASSERT_EQ(trail.size(), 2U);
    EXPECT_EQ(trail[0].action, "retention.changed");
}

// The server itself erases what is over age, tells of it, and takes the room's lock and claim meanwhile.
// Proves: R20, R19
TEST(HttpRetention, OldEventsAreErasedByTheServer) {
    http_scene scene;
    scene.make_room();
    scene.say("old");
    scene.put("/api/v1/rooms/r/retention", R"({"events_max_age_days":1})");
    scene.world->clock.advance(std::chrono::days{1});
    scene.loop.advance(std::chrono::minutes{11});
    EXPECT_EQ(scene.timeline_of("acme").size(), 0U);
    const seen_reply told = scene.get("/api/v1/framework-events?type=retention_applied", "olga");
    ASSERT_EQ(told.list("framework_events").size(), 1U);
    scene.say("new");
    ASSERT_EQ(scene.timeline_of("acme").size(), 1U);
    EXPECT_EQ(scene.timeline_of("acme")[0].index, event_index{1});
}

// An erased organisation's rooms are gone some steps later.
// Proves: R20
TEST(HttpRetention, AnErasureIsFinishedByTheServer) {
    http_scene scene;
    scene.make_room();
    scene.ask(ops::create_organization{{organization_id{"acme"}, "Acme"}, {}, {}});
    scene.ask(ops::begin_erasure{organization_id{"acme"}, {}});
    scene.loop.advance(std::chrono::minutes{1});
    EXPECT_EQ(scene.get("/api/v1/rooms", "olga").list("rooms").size(), 0U);
}

// Leases are shown with what they are for and who waits; what another organisation holds is not.
// Proves: L11, X1
TEST(HttpLeases, AreShown) {
    http_scene scene;
    task_scope scope{scene.loop};
    wait_flag lost;
    wait_flag let_go;
    const lease_name name = lease_name::delivery(organization_id{"acme"}, room_id{"r"});
    scope.spawn("hold", hold(scene.locks.get(), name, &lost, &let_go));
    scene.loop.run_ready();
    const seen_reply shown = scene.get("/api/v1/admin/leases", "olga");
    ASSERT_EQ(shown.status, 200) << shown.body;
    EXPECT_THAT(shown.body, HasSubstr(R"("name":"__delivery__:r")"));
    EXPECT_THAT(shown.body, HasSubstr("is elected for the duty retention"));
    EXPECT_THAT(shown.body, HasSubstr(R"({"kind":"delivery","held":1,"waiters":0})"));
    EXPECT_EQ(scene.get("/api/v1/admin/leases?view=waiting", "olga").list("leases").size(), 0U);
    EXPECT_THAT(
        scene.get("/api/v1/admin/leases", "eve").body, testing::Not(HasSubstr("__delivery__"))
    );
    EXPECT_EQ(scene.get("/api/v1/admin/leases").status, 403);
    EXPECT_THAT(
        scene.get("/metrics", "olga").body, HasSubstr(R"(convene_leases_held{kind="delivery"} 1)")
    );

    // Taken away: the holder is told first, and the name is free when it has let go.
    const std::string one = "/api/v1/admin/leases/__delivery__%3Ar";
    const seen_reply preview = scene.erase(one + "?dry_run=1", "olga");
    EXPECT_EQ(preview.text("state"), "dry_run");
    EXPECT_THAT(preview.text("consequence"), HasSubstr("same delivery ids"));
    EXPECT_FALSE(lost.is_set());
    EXPECT_EQ(scene.erase(one, "olga").fault(), "reason: missing_field");
    EXPECT_EQ(scene.erase(one + "?reason=stuck", "eve").status, 404);
    const seen_reply told = scene.erase(one + "?reason=stuck", "olga");
    EXPECT_EQ(told.status, 202);
    EXPECT_EQ(told.text("state"), "told");
    EXPECT_TRUE(lost.is_set());
    EXPECT_FALSE(scene.loop.run(scene.locks->try_acquire(name)).has_value());
    let_go.set();
    scene.loop.run(scope.join());
    EXPECT_TRUE(scene.loop.run(scene.locks->try_acquire(name)).has_value());
    const auto trail = scene.ask(ops::list_audit{organization_id{"acme"}, {}, 10});
    ASSERT_EQ(trail.size(), 1U);
    EXPECT_EQ(trail[0].action, "lease.released");
    EXPECT_EQ(
        trail[0].details.str(),
        R"({"reason":"stuck","worker":")" + scene.kit->incarnation().str() + R"(","confirm":false})"
    );
}

// An operator replays a skip once; the channel gets what it missed under the id it would have had, and the audit trail
// says who did it.
// Proves: D8
TEST(HttpSkips, AreReplayedOnce) {
    http_scene scene;
    const incarnation_id other{"other"};
    binding phone = make_binding("s", "phone");
    const room made = scene.ask(ops::create_room{make_room("s"), {phone}, {}});
    batch_on batch{made};
    batch.add(make_message("e")).deliver_to("phone", other);
    const delivery_row row = batch.commit().deliveries.front();
    scene.ask(batch.take());
    ops::finish_set pass;
    pass.room = made.id;
    pass.claim_epoch = scene.ask(ops::claim_cursor{made.id, other, 0, std::nullopt}).claim_epoch;
    pass.index = event_index{0};
    pass.advance_to = event_index{0};
    pass.results = {{row.id, delivery_state::skipped, 1, {}}};
    pass.skip = delivery_skip{0, made.id, pass.index, pass.index, {event_id{"e"}}, other, "poison"};
    scene.ask(pass);

    const std::string replay = "/api/v1/admin/skips/1/replay";
    EXPECT_EQ(scene.post(replay, "", "ann").status, 403);
    EXPECT_EQ(scene.post(replay, "", "eve").status, 404);
    EXPECT_EQ(scene.post("/api/v1/admin/skips/2/replay", "", "olga").status, 404);
    EXPECT_EQ(scene.post("/api/v1/admin/skips/x/replay", "", "olga").status, 404);
    const seen_reply replayed = scene.post(replay, "", "olga");
    ASSERT_EQ(replayed.status, 200) << replayed.body;
    EXPECT_EQ(replayed.text("queued"), "1");
    scene.loop.advance(std::chrono::seconds{10});
    ASSERT_EQ(scene.phone->sent().size(), 1U);
    EXPECT_EQ(scene.phone->sent().front().event.id, event_id{"e"});
    EXPECT_EQ(scene.phone->sent().front().id, row.id);
    EXPECT_EQ(scene.post(replay, "", "olga").code(), "ALREADY_REPLAYED");
    const auto trail = scene.ask(ops::list_audit{organization_id{"acme"}, {}, 10});
    ASSERT_EQ(trail.size(), 1U);
    EXPECT_EQ(trail[0].action, "skip.replayed");
}

// Ready means that the store answers, with the version of its layout, and that locks can be had.
// Proves: O2
TEST(HttpReadiness, TestsStoreAndLeases) {
    http_scene scene;
    const seen_reply ready = scene.get("/readyz", "");
    EXPECT_EQ(ready.status, 200);
    EXPECT_EQ(ready.text("schema_version"), "0");
    EXPECT_THAT(ready.body, HasSubstr(R"({"name":"leases","is_ok":true})"));
    // Closing fails: the engine holds leases. From then on there are none.
    EXPECT_FALSE(scene.loop.run(scene.locks->close(deadline{scene.loop.now()})).has_value());
    const seen_reply not_ready = scene.get("/readyz", "");
    EXPECT_EQ(not_ready.status, 503);
    EXPECT_THAT(not_ready.body, HasSubstr(R"({"name":"leases","is_ok":false})"));
}

// An identity changes where something is named.
// Proves: X1
TEST(HttpIdentities, AreChanged) {
    http_scene scene;
    const seen_reply made = scene.post(
        "/api/v1/identities", R"({"display_name":"Ann","metadata":{"a":1,"b":2}})", "olga"
    );
    const std::string one = "/api/v1/identities/" + made.text("id");
    const seen_reply changed = scene.patch(
        one, R"({"display_name":"Anna","metadata":{"a":null,"c":3}})", "olga"
    );
    ASSERT_EQ(changed.status, 200) << changed.body;
    EXPECT_EQ(changed.text("display_name"), "Anna");
    EXPECT_EQ(changed.text("metadata"), R"({"b":2,"c":3})");
    EXPECT_EQ(scene.patch(one, "{}", "eve").status, 404);
    EXPECT_EQ(scene.patch(one, "{}").status, 403);
}

}  // namespace
}  // namespace convene
