// SPDX-License-Identifier: Apache-2.0
// Webhook subscriptions over HTTP.
#include "store/operations/subscriptions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/http/integration_scene.hpp"

namespace convene {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string all = "/api/v1/webhook-subscriptions";

class WebhookSubscriptions : public testing::Test {
   protected:
    seen_reply create(std::string more = {}, std::string who = "adam") {
        return scene_.post(all, R"({"url":"https://example.com/s")" + more + "}", std::move(who));
    }

    integration_scene scene_;
};

// Made by an admin, with a secret that is shown once; the pump looks again after each change.
// Proves: R19, X3
TEST_F(WebhookSubscriptions, ShowTheirSecretOnce) {
    const seen_reply made = create(R"(,"event_types":["event_blocked"])");
    ASSERT_EQ(made.status, 201) << made.body;
    EXPECT_TRUE(is_webhook_secret(made.text("secret")));
    const std::string path = all + "/" + made.text("subscription", "id");
    EXPECT_EQ(made.header("location"), path);
    EXPECT_EQ(scene_.looks, 1);
    const seen_reply shown = scene_.get(path, "olga");
    EXPECT_EQ(shown.text("event_types"), R"(["event_blocked"])");
    EXPECT_EQ(shown.text("last_error"), "");
    EXPECT_THAT(shown.body, Not(HasSubstr("whsec_")));
    EXPECT_THAT(scene_.get(all, "olga").list("webhook_subscriptions"), SizeIs(1));

    const seen_reply changed = scene_.patch(
        path, R"({"url":"https://example.com/t","event_types":[],"is_enabled":false})", "adam"
    );
    EXPECT_EQ(changed.text("url"), "https://example.com/t");
    EXPECT_EQ(changed.text("event_types"), "[]");
    EXPECT_EQ(changed.text("disabled_reason"), "operator");
    const seen_reply rotated = scene_.post(path + "/rotate-secret", "", "adam");
    EXPECT_EQ(rotated.status, 200);
    EXPECT_NE(rotated.text("secret"), made.text("secret"));
    EXPECT_EQ(scene_.erase(path, "adam").status, 204);
    EXPECT_EQ(scene_.get(path, "adam").status, 404);
    EXPECT_EQ(scene_.looks, 4);
}

// With a key a subscription is made once.
// Proves: R8
TEST_F(WebhookSubscriptions, AKeyMakesOne) {
    const auto keyed = [this] {
        http_request asked = integration_scene::request(
            http_method::post, all, "adam", R"({"url":"https://example.com/s"})"
        );
        asked.headers.add("idempotency-key", "k");
        return scene_.ask(std::move(asked));
    };
    EXPECT_EQ(keyed().status, 201);
    EXPECT_EQ(keyed().text("code"), "SECRET_SHOWN_ONCE");
    EXPECT_THAT(scene_.get(all, "adam").list("webhook_subscriptions"), SizeIs(1));
}

// Who may: members nothing, operators look, admins change; another organisation sees that there is nothing.
// Proves: X1
TEST_F(WebhookSubscriptions, AreForAdmins) {
    const std::string path = all + "/" + create().text("subscription", "id");
    EXPECT_EQ(scene_.get(all, "ann").status, 403);
    EXPECT_EQ(create("", "olga").status, 403);
    EXPECT_EQ(scene_.erase(path, "olga").status, 403);
    EXPECT_EQ(scene_.get(path, "eve").status, 404);
    EXPECT_EQ(scene_.patch(path, "{}", "eve").status, 404);
    EXPECT_EQ(scene_.erase(path, "eve").status, 404);
    EXPECT_THAT(scene_.get(all, "eve").list("webhook_subscriptions"), IsEmpty());
}

// An organisation has twenty at most, and a URL that can't be one is named.
// Proves: R16
TEST_F(WebhookSubscriptions, AreBounded) {
    EXPECT_EQ(
        scene_.post(all, R"({"url":"file:///etc/passwd"})", "adam").fault(), "url: unsupported_url"
    );
    for (std::size_t i = 0; i < most_webhook_subscriptions; ++i) {
        ASSERT_EQ(create().status, 201);
    }
    const seen_reply refused = create();
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.code(), "LIMIT_REACHED");
    EXPECT_EQ(create("", "eve").status, 201);
}

// What is made and changed stands in the audit trail, without a secret.
// Proves: X3
TEST_F(WebhookSubscriptions, AreAudited) {
    create();
    const auto lines = scene_.ask(ops::list_audit{organization_id{"acme"}, std::nullopt, 10});
    ASSERT_THAT(lines, SizeIs(1));
    EXPECT_EQ(lines.front().action, "webhook_subscription.created");
    EXPECT_EQ(lines.front().actor, "user:adam");
}

}  // namespace
}  // namespace convene
