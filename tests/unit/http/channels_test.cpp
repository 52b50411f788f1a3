// SPDX-License-Identifier: Apache-2.0
// Registered channels over HTTP.
#include "store/operations/channels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/http/integration_scene.hpp"

namespace convene {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Channels : public testing::Test {
   protected:
    /// A channel that was registered, by its id.
    std::string make(std::string more = {}) {
        const seen_reply made = scene_.register_channel(std::move(more));
        EXPECT_EQ(made.status, 201) << made.body;
        secret_ = made.text("secret");
        return made.text("channel", "id");
    }

    integration_scene scene_;
    std::string secret_;
};

// Registered by an admin, shown to operators; the secret is in the first answer and in no other.
// Proves: X1, X3
TEST_F(Channels, ShowTheirSecretOnce) {
    const seen_reply made = scene_.register_channel(
        R"(,"name":"CRM","rate_limit":{"per_second":1},"attempt_deadline_ms":2000)"
    );
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string id = made.text("channel", "id");
    EXPECT_EQ(made.header("location"), "/api/v1/channels/" + id);
    EXPECT_TRUE(is_webhook_secret(made.text("secret")));
    const seen_reply shown = scene_.get("/api/v1/channels/" + id, "olga");
    EXPECT_EQ(shown.status, 200);
    EXPECT_EQ(shown.text("name"), "CRM");
    EXPECT_EQ(shown.text("rate_limit", "per_second"), "1");
    EXPECT_EQ(shown.text("attempt_deadline_ms"), "2000");
    EXPECT_EQ(shown.text("retry"), "null");
    EXPECT_THAT(shown.body, Not(HasSubstr("whsec_")));
    const seen_reply listed = scene_.get("/api/v1/channels", "olga");
    EXPECT_THAT(listed.list("channels"), SizeIs(1));
    EXPECT_THAT(listed.body, Not(HasSubstr("whsec_")));
}

// With a key a channel is registered once.
// Proves: R8
TEST_F(Channels, AKeyMakesOne) {
    const auto keyed = [this] {
        http_request asked = integration_scene::request(
            http_method::post,
            "/api/v1/channels",
            "adam",
            R"({"type":"webhook","url":"https://example.com/c"})"
        );
        asked.headers.add("idempotency-key", "k");
        return scene_.ask(std::move(asked));
    };
    EXPECT_EQ(keyed().status, 201);
    EXPECT_EQ(keyed().text("code"), "SECRET_SHOWN_ONCE");
    EXPECT_THAT(scene_.get("/api/v1/channels", "adam").list("channels"), SizeIs(1));
}

// Who may: members nothing, operators look, admins change; another organisation sees that there is nothing.
// Proves: X1
TEST_F(Channels, AreForAdmins) {
    const std::string path = "/api/v1/channels/" + make();
    EXPECT_EQ(scene_.get("/api/v1/channels", "ann").status, 403);
    EXPECT_EQ(scene_.get(path, "ann").status, 403);
    EXPECT_EQ(scene_.patch(path, R"({"name":"x"})", "olga").status, 403);
    EXPECT_EQ(scene_.erase(path, "olga").status, 403);
    EXPECT_EQ(scene_.get(path, "eve").status, 404);
    EXPECT_EQ(scene_.patch(path, R"({"name":"x"})", "eve").status, 404);
    EXPECT_EQ(scene_.post(path + "/rotate-secret", "{}", "eve").status, 404);
    EXPECT_EQ(scene_.erase(path, "eve").status, 404);
    EXPECT_THAT(scene_.get("/api/v1/channels", "eve").list("channels"), IsEmpty());
    EXPECT_EQ(scene_.get(path, "adam").status, 200);
}

// What breaks a rule is named, and nothing is stored.
// Proves: R16, X2
TEST_F(Channels, NameWhatIsWrong) {
    const auto fault = [this](const std::string& body) {
        return scene_.post("/api/v1/channels", body, "adam").fault();
    };
    EXPECT_EQ(fault(R"({"type":"webhook","url":"ftp://x"})"), "url: unsupported_url");
    EXPECT_EQ(fault(R"({"type":"webhook"})"), "url: missing_field");
    EXPECT_EQ(fault(R"({"type":"fax","url":"https://x"})"), "type: unknown_value");
    EXPECT_EQ(
        fault(R"({"type":"webhook","url":"https://x","secret":"short"})"), "secret: malformed"
    );
    EXPECT_EQ(
        fault(R"({"type":"webhook","url":"https://x","attempt_deadline_ms":1})"),
        "attempt_deadline_ms: out_of_range"
    );
    EXPECT_THAT(scene_.get("/api/v1/channels", "adam").list("channels"), IsEmpty());
}

// What is named changes, the rest stays; a secret of the provider's own is taken; what was removed is gone.
// Proves: D12
TEST_F(Channels, Change) {
    const std::string id = make(R"(,"name":"CRM","retry":{"max_retries":1})");
    const std::string path = "/api/v1/channels/" + id;
    seen_reply changed = scene_.patch(path, R"({"url":"https://example.com/new"})", "adam");
    EXPECT_EQ(changed.text("url"), "https://example.com/new");
    EXPECT_EQ(changed.text("name"), "CRM");
    EXPECT_EQ(changed.text("retry", "max_retries"), "1");
    changed = scene_.patch(path, R"({"is_enabled":false,"retry":null})", "adam");
    EXPECT_EQ(changed.text("disabled_reason"), "operator");
    EXPECT_EQ(changed.text("retry"), "null");
    changed = scene_.patch(path, R"({"is_enabled":true})", "adam");
    EXPECT_EQ(changed.text("disabled_reason"), "");

    const std::string own = webhook_secret::generate(system_random()).text();
    const seen_reply rotated = scene_.post(
        path + "/rotate-secret", R"({"secret":")" + own + R"(","overlap_seconds":60})", "adam"
    );
    EXPECT_EQ(rotated.status, 200);
    EXPECT_EQ(rotated.text("secret"), own);
    EXPECT_NE(rotated.text("channel", "previous_secret_until"), "null");

    EXPECT_EQ(scene_.erase(path, "adam").status, 204);
    EXPECT_EQ(scene_.get(path, "adam").status, 404);
    EXPECT_EQ(scene_.patch(path, "{}", "adam").status, 404);
}

// Rooms of its organisation attach it as any channel; those of another are told that there is none.
// Proves: X1, D12
TEST_F(Channels, AreAttachedInTheirOrganisation) {
    const std::string id = make();
    scene_.make_room();
    const std::string body = R"({"channel_id":")" + id + R"("})";
    const seen_reply attached = scene_.post("/api/v1/rooms/r/channels", body);
    EXPECT_EQ(attached.status, 201) << attached.body;
    EXPECT_EQ(attached.text("channel_type"), "webhook");
    EXPECT_EQ(scene_.say("hello").status, 201);
    EXPECT_THAT(scene_.receiver.got, SizeIs(1));

    const seen_reply theirs = scene_.post("/api/v1/rooms", R"({"id":"t"})", "eve");
    ASSERT_EQ(theirs.status, 201);
    EXPECT_EQ(
        scene_.post("/api/v1/rooms/t/channels", body, "eve").code(), "CHANNEL_NOT_REGISTERED"
    );
    EXPECT_EQ(
        scene_.post("/api/v1/rooms", R"({"channels":[)" + body + "]}", "eve").code(),
        "CHANNEL_NOT_REGISTERED"
    );
}

// A destination where something is wrong shows with its channel.
// Proves: D12
TEST_F(Channels, ShowHowTheyFare) {
    const std::string id = make(R"(,"retry":{"max_retries":0})");
    scene_.make_room();
    scene_.post("/api/v1/rooms/r/channels", R"({"channel_id":")" + id + R"(","address":"555"})");
    scene_.receiver.answers["https://example.com/hook"] = 500;
    for (int i = 0; i < 6; ++i) {
        scene_.say("hello");
    }
    const seen_reply shown = scene_.get("/api/v1/channels/" + id, "olga");
    const auto destinations = shown.list("destinations");
    ASSERT_THAT(destinations, SizeIs(1));
    EXPECT_EQ(destinations.front(), R"({"address":"555","breaker":"open","waiting":1})");
    const seen_reply other = scene_.get("/api/v1/channels/" + make(), "olga");
    EXPECT_THAT(other.list("destinations"), IsEmpty());
}

// An agent is registered with all of its settings; its key reaches the client of its provider and no answer.
// Proves: A8, A9, X3
TEST_F(Channels, RegisterAgentsWithoutShowingTheirKey) {
    const seen_reply made = scene_.register_agent(
        R"(,"model":"m-1","base_url":"http://127.0.0.1:11434/v1","instructions":"Be brief.","tools":["add_task","add_task"],"streams":false)",
        R"(,"name":"Helper","metadata":{"team":"x"})"
    );
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_EQ(made.text("secret"), "null");
    const std::string id = made.text("channel", "id");
    const seen_reply shown = scene_.get("/api/v1/channels/" + id, "olga");
    EXPECT_EQ(shown.text("type"), "agent");
    EXPECT_EQ(shown.text("agent", "provider"), "scripted");
    EXPECT_EQ(shown.text("agent", "model"), "m-1");
    EXPECT_EQ(shown.text("agent", "tools"), R"(["add_task"])");
    EXPECT_EQ(shown.text("agent", "max_rounds"), "10");
    EXPECT_EQ(shown.text("agent", "tool_calls_visible_to"), "internal");
    EXPECT_EQ(shown.text("has_api_key"), "true");
    EXPECT_EQ(shown.text("metadata"), R"({"team":"x"})");
    const seen_reply listed = scene_.get("/api/v1/channels", "olga");
    for (const seen_reply& answer : {made, shown, listed}) {
        EXPECT_THAT(answer.body, Not(HasSubstr("very-secret")));
    }
    const registered_channel stored = scene_.ask(ops::get_channel{channel_id{id}});
    EXPECT_THAT(stored.secrets.current, Not(HasSubstr("very-secret")));
    ASSERT_THAT(scene_.models, SizeIs(1));
    EXPECT_EQ(scene_.models[0].api_key, "sk-very-secret");
    EXPECT_EQ(scene_.models[0].base_url, "http://127.0.0.1:11434/v1");

    scene_.make_room();
    const seen_reply attached = scene_.post(
        "/api/v1/rooms/r/channels", R"({"channel_id":")" + id + R"("})"
    );
    EXPECT_EQ(attached.text("kind"), "intelligence") << attached.body;
    EXPECT_EQ(scene_.say("hello").status, 201);
    const seen_reply timeline = scene_.get("/api/v1/rooms/r/events");
    EXPECT_THAT(timeline.body, HasSubstr("I am here."));
}

// What a webhook has an agent has not, and the other way round; both are named.
// Proves: R16, X2, A8
TEST_F(Channels, NameWhatIsWrongWithAnAgent) {
    const auto fault = [this](const std::string& settings, const std::string& more) {
        return scene_.register_agent(settings, more).fault();
    };
    EXPECT_EQ(fault(R"(,"base_url":"ftp://x")", ""), "agent.base_url: unsupported_url");
    EXPECT_EQ(fault(R"(,"tools":["sudo"])", ""), "agent.tools[0]: unknown_value");
    EXPECT_EQ(fault(R"(,"max_rounds":0)", ""), "agent.max_rounds: out_of_range");
    EXPECT_EQ(fault(R"(,"temperature":3)", ""), "agent.temperature: out_of_range");
    EXPECT_EQ(fault(R"(,"api_key":"k")", ""), "agent.api_key: unknown_field");
    EXPECT_EQ(fault("", R"(,"url":"https://example.com")"), "url: not_allowed_here");
    EXPECT_EQ(fault("", R"(,"secret":"whsec_x")"), "secret: not_allowed_here");
    EXPECT_EQ(fault("", R"(,"metadata":{"agent":{}})"), "metadata.agent: not_allowed_here");
    const auto post = [this](const std::string& body) {
        return scene_.post("/api/v1/channels", body, "adam").fault();
    };
    EXPECT_EQ(post(R"({"type":"agent"})"), "agent: missing_field");
    EXPECT_EQ(post(R"({"type":"agent","agent":{}})"), "agent.provider: missing_field");
    EXPECT_EQ(
        post(R"({"type":"webhook","url":"https://x","api_key":"k"})"), "api_key: not_allowed_here"
    );
    EXPECT_THAT(scene_.get("/api/v1/channels", "adam").list("channels"), IsEmpty());
}

// Settings are replaced as a whole, the key apart from them, and neither takes the owner's metadata along.
// Proves: A8, X3
TEST_F(Channels, ChangeAgents) {
    const std::string path = "/api/v1/channels/" +
                             scene_
                                 .register_agent(R"(,"model":"m-1")", R"(,"metadata":{"team":"x"})")
                                 .text("channel", "id");
    seen_reply changed = scene_.patch(
        path, R"({"agent":{"provider":"scripted","model":"m-2"}})", "adam"
    );
    EXPECT_EQ(changed.text("agent", "model"), "m-2");
    EXPECT_EQ(changed.text("metadata"), R"({"team":"x"})");
    changed = scene_.patch(path, R"({"metadata":{"team":"y"},"api_key":"sk-other"})", "adam");
    EXPECT_EQ(changed.text("agent", "model"), "m-2");
    EXPECT_EQ(changed.text("metadata"), R"({"team":"y"})");
    EXPECT_THAT(changed.body, Not(HasSubstr("sk-other")));
    EXPECT_EQ(scene_.models.back().api_key, "sk-other");
    changed = scene_.patch(path, R"({"api_key":""})", "adam");
    EXPECT_EQ(changed.text("has_api_key"), "false");
    EXPECT_EQ(scene_.models.back().api_key, "");
    EXPECT_EQ(
        scene_.patch(path, R"({"url":"https://x"})", "adam").fault(), "url: not_allowed_here"
    );
    EXPECT_EQ(scene_.post(path + "/rotate-secret", "{}", "adam").code(), "NO_SECRET");
    EXPECT_EQ(scene_.erase(path, "adam").status, 204);
}

// One agent that can't be made here leaves all other channels in service.
// Proves: A8, D7
TEST_F(Channels, AreServedBesideAnAgentThatIsNot) {
    EXPECT_EQ(
        scene_.post("/api/v1/channels", R"({"type":"agent","agent":{"provider":"openai"}})", "adam")
            .status,
        201
    );
    const std::string hook = make();
    ASSERT_TRUE(scene_.loop.run(scene_.channels.load()));
    EXPECT_EQ(scene_.kit->find_channel(channel_id{hook})->type(), "webhook");
}

}  // namespace
}  // namespace convene
