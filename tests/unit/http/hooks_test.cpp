// SPDX-License-Identifier: Apache-2.0
// Remote hooks over HTTP: who may have them, what they must be, their secrets; events sent because of a call.
#include "store/operations/hooks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "hook/hook_secrets.hpp"
#include "unit/http/http_scene.hpp"
#include "webhook/cause_header.hpp"

namespace convene {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string of_room = "/api/v1/rooms/r/hooks";
const std::string of_organization = "/api/v1/hooks";
const std::string hook_body = R"({"url":"https://example.com/hook","on_failure":"fail_closed"})";

// An organisation's hooks are its admins'; a room's are its owners' too. Nobody sees those of another organisation.
// Proves: R9, X1
TEST(HttpHooks, AreForThoseWhoManage) {
    http_scene scene;
    scene.make_room();
    EXPECT_EQ(scene.post(of_organization, hook_body, "ann").status, 403);
    EXPECT_EQ(scene.post(of_organization, hook_body, "olga").status, 403);
    const seen_reply shared = scene.post(of_organization, hook_body, "adam");
    ASSERT_EQ(shared.status, 201) << shared.body;
    EXPECT_EQ(scene.post(of_room, hook_body, "bob").status, 403);
    const seen_reply own = scene.post(of_room, hook_body, "ann");
    ASSERT_EQ(own.status, 201) << own.body;
    EXPECT_EQ(own.text("room_id"), "r");

    EXPECT_EQ(scene.get(of_organization, "adam").list("hooks").size(), 1U);
    EXPECT_EQ(scene.get(of_room, "ann").list("hooks").size(), 1U);
    EXPECT_EQ(scene.get(of_organization + '/' + own.text("id"), "adam").status, 200);
    EXPECT_EQ(scene.get(of_room + '/' + shared.text("id"), "ann").status, 404);

    EXPECT_EQ(scene.get(of_organization, "eve").list("hooks").size(), 0U);
    EXPECT_EQ(scene.get(of_organization + '/' + shared.text("id"), "eve").status, 404);
    EXPECT_EQ(scene.erase(of_organization + '/' + own.text("id"), "eve").status, 404);
    EXPECT_EQ(scene.get(of_room, "eve").status, 404);
    EXPECT_EQ(scene.erase(of_room + '/' + own.text("id"), "ann").status, 204);
    EXPECT_EQ(scene.get(of_room, "ann").list("hooks").size(), 0U);
}

// With a key a hook is made once in its room; its secret is not kept, and the repetition says how to get another.
// Proves: R8, X3
TEST(HttpHooks, AKeyMakesOne) {
    http_scene scene;
    scene.make_room();
    const auto keyed = [&](const std::string& path) {
        http_request asked = http_scene::request(http_method::post, path, "adam", hook_body);
        asked.headers.add("idempotency-key", "k");
        return scene.ask(std::move(asked));
    };
    const seen_reply first = keyed(of_room);
    ASSERT_EQ(first.status, 201) << first.body;
    const seen_reply again = keyed(of_room);
    EXPECT_EQ(again.text("code"), "SECRET_SHOWN_ONCE");
    EXPECT_NE(again.body.find(first.text("id")), std::string::npos);
    EXPECT_EQ(again.body.find(first.text("secret")), std::string::npos);
    EXPECT_EQ(scene.get(of_room, "adam").list("hooks").size(), 1U);
    EXPECT_EQ(keyed(of_organization).status, 201) << "another place has keys of its own";
}

// What can't be a hook is refused by field; a room has so many and no more.
// Proves: R9, X2
TEST(HttpHooks, HaveToBePossible) {
    http_scene scene;
    scene.make_room();
    const auto fault_of = [&](const std::string& body) {
        return scene.post(of_room, body).fault();
    };
    EXPECT_EQ(fault_of(R"({"name":"x"})"), "url: missing_field");
    for (const char* url :
         {"ftp://example.com", "example.com", "https://u:p@example.com", "https://"}) {
        EXPECT_EQ(fault_of(R"({"url":")" + std::string{url} + R"("})"), "url: unsupported_url")
            << url;
    }
    EXPECT_EQ(
        fault_of(R"({"url":"https://example.com","mode":"serial","deadline_ms":2001})"),
        "deadline_ms: out_of_range"
    );
    EXPECT_EQ(
        fault_of(R"({"url":"https://example.com","deadline_ms":10001})"),
        "deadline_ms: out_of_range"
    );
    EXPECT_EQ(fault_of(R"({"url":"https://example.com","secret":"simple"})"), "secret: malformed");
    for (std::size_t i = 0; i < max_remote_hooks; ++i) {
        ASSERT_EQ(scene.post(of_room, hook_body).status, 201);
    }
    EXPECT_EQ(fault_of(hook_body), "hooks: too_many");
}

// What is left out of a change stays as it was.
// Proves: R9
TEST(HttpHooks, AreChanged) {
    http_scene scene;
    scene.make_room();
    const std::string one = of_room + '/' + scene.post(of_room, hook_body).text("id");
    const seen_reply changed = scene.patch(
        one,
        R"({"name":"n","mode":"serial","priority":-1,"event_types":["message"],"is_enabled":false})"
    );
    ASSERT_EQ(changed.status, 200) << changed.body;
    EXPECT_EQ(changed.text("mode"), "serial");
    EXPECT_EQ(changed.text("on_failure"), "fail_closed");
    EXPECT_EQ(changed.text("is_enabled"), "false");
    EXPECT_EQ(scene.get(one).body, changed.body);
    EXPECT_EQ(scene.patch(one, R"({"deadline_ms":5000})").fault(), "deadline_ms: out_of_range");
}

// A secret is shown when it is made, and never again; for a while the one before it counts too.
// Proves: X2, X3
TEST(HttpHooks, ShowASecretOnce) {
    http_scene scene;
    scene.make_room();
    const seen_reply made = scene.post(of_room, hook_body);
    const std::string first = made.text("secret");
    EXPECT_TRUE(is_webhook_secret(first));
    const std::string one = of_room + '/' + made.text("id");
    EXPECT_THAT(scene.get(one).body, Not(HasSubstr("whsec_")));

    const seen_reply rotated = scene.post(one + "/rotate-secret", R"({"overlap_seconds":60})");
    ASSERT_EQ(rotated.status, 200) << rotated.body;
    const std::string second = rotated.text("secret");
    EXPECT_NE(second, first);
    const ops::get_hook request{organization_id{"acme"}, hook_id{made.text("id")}};
    const remote_hook stored = scene.kit_scene::ask(request);
    EXPECT_THAT(stored.secret + stored.previous_secret, Not(HasSubstr("whsec_")));
    const auto good = open_hook_secrets(scene.box, stored, scene.world->clock.now());
    ASSERT_TRUE(good && good->size() == 2U);
    EXPECT_EQ((*good)[0].text(), second);
    EXPECT_EQ((*good)[1].text(), first);
    scene.world->clock.advance(seconds{60});
    EXPECT_EQ(open_hook_secrets(scene.box, stored, scene.world->clock.now())->size(), 1U);
    EXPECT_EQ(scene.post(one + "/rotate-secret", "").status, 200);
}

// Each change is on the audit trail, without secrets.
// Proves: X1, X3
TEST(HttpHooks, AreAudited) {
    http_scene scene;
    scene.make_room();
    const std::string id = scene.post(of_room, hook_body).text("id");
    scene.patch(of_room + '/' + id, R"({"name":"n"})");
    scene.post(of_room + '/' + id + "/rotate-secret", "");
    scene.erase(of_room + '/' + id);
    ops::list_audit request;
    request.organization = organization_id{"acme"};
    std::string actions;
    for (const audit_entry& entry : scene.kit_scene::ask(request)) {
        EXPECT_EQ(entry.target, id);
        EXPECT_EQ(entry.actor, "user:ann");
        EXPECT_THAT(entry.details.str(), Not(HasSubstr("whsec_")));
        actions += entry.action + ' ';
    }
    EXPECT_EQ(actions, "hook.deleted hook.secret_rotated hook.updated hook.created ");
}

/// Says something in room `r` because of a call.
seen_reply say_because(http_scene& scene, const event_cause& cause) {
    http_request sent = http_scene::request(
        http_method::post,
        "/api/v1/rooms/r/events",
        "ann",
        R"({"content":{"type":"text","body":"because"}})"
    );
    sent.headers.add(
        std::string{cause_header}, encode_cause(cause, scene.box, scene.world->clock.now())
    );
    return scene.ask(std::move(sent));
}

// What is sent because of a call is staged where the room waits for the call, and stands in the cascade everywhere.
// Proves: R9, R11
TEST(HttpHooks, CauseWhatIsSentBecauseOfThem) {
    http_scene scene;
    scene.make_room();
    event_cause cause;
    cause.call = "c";
    cause.organization = organization_id{"acme"};
    cause.event = event_id{"e"};
    cause.depth = 1;
    cause.budget = 10;
    const seen_reply stored = say_because(scene, cause);
    EXPECT_EQ(stored.status, 201) << stored.body;
    EXPECT_EQ(stored.text("caused_by"), "e");
    EXPECT_EQ(stored.text("chain_depth"), "2");

    cause.rooms.emplace_back("r");
    const seen_reply staged = say_because(scene, cause);
    EXPECT_EQ(staged.status, 202) << staged.body;
    EXPECT_EQ(staged.text("progress"), "staged");
    scene.loop.run_ready();
    EXPECT_EQ(scene.get("/api/v1/rooms/r/events/" + staged.text("id")).status, 200);

    cause.organization = organization_id{"globex"};
    EXPECT_EQ(say_because(scene, cause).fault(), "Convene-Cause: not_allowed_here");
    cause.organization = organization_id{"acme"};
    const secret_box other{make_deployment_key(system_random())};
    http_request forged = http_scene::request(
        http_method::post,
        "/api/v1/rooms/r/events",
        "ann",
        R"({"content":{"type":"text","body":"forged"}})"
    );
    forged.headers.add(
        std::string{cause_header}, encode_cause(cause, other, scene.world->clock.now())
    );
    EXPECT_EQ(scene.ask(std::move(forged)).fault(), "Convene-Cause: malformed");
    EXPECT_EQ(scene.timeline_of("acme").size(), 2U);
}

}  // namespace
}  // namespace convene
