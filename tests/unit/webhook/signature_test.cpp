// SPDX-License-Identifier: Apache-2.0
// Signatures of webhooks: published and golden vectors, and what is not believed.
#include "webhook/signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "support/documentation.hpp"
#include "support/scripted_random.hpp"

namespace convene {

namespace {

using testing::HasSubstr;

constexpr wall_time signed_at{seconds{1'767'225'600}};
const std::string delivery = "01890a5d-ac96-774b-bcce-b302099a8057";
const std::string body = R"({"hello":"grüß dich"})";

webhook_secret rising_secret() {
    std::vector<std::uint8_t> bytes(32);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    scripted_random random{bytes};
    return webhook_secret::generate(random);
}

webhook_secret falling_secret() {
    return *webhook_secret::parse("whsec_//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=");
}

std::vector<webhook_secret> both_secrets() { return {falling_secret(), rising_secret()}; }

std::vector<webhook_secret> one_secret() { return {rising_secret()}; }

webhook_headers signed_headers() { return sign_webhook(delivery, signed_at, body, one_secret()); }

/// The one refusal that a changed field leads to.
std::optional<webhook_refusal> refusal_with(
    std::string webhook_headers::* field, std::string value
) {
    webhook_headers headers = signed_headers();
    headers.*field = std::move(value);
    return refusal_of_webhook(headers, body, one_secret(), signed_at);
}

// The example that the authors of Standard Webhooks publish with their libraries.
// Proves: X2
TEST(WebhookSignature, GivesThePublishedVector) {
    const auto secret = webhook_secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    ASSERT_TRUE(secret.has_value());
    const webhook_headers headers = sign_webhook(
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        wall_time{seconds{1'614'265'330}},
        R"({"test": 2432232314})",
        std::vector{*secret}
    );
    EXPECT_EQ(headers.timestamp, "1614265330");
    EXPECT_EQ(headers.signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

// With one secret and with two, the fields are what the page of the format shows, computed by another
// implementation.
// Proves: X2
TEST(WebhookSignature, GivesTheGoldenVectors) {
    const std::string page = documentation_page("formats/webhooks.md");
    const webhook_headers headers = sign_webhook(delivery, signed_at, body, both_secrets());
    EXPECT_EQ(
        headers.signature,
        "v1,spzgr3JcIc1B1i69XX2GsJP6m0lXkycOzw4yG7WKxZk= "
        "v1,sCHmyqHIB/Gun7hSHo/LNLHAwfuZ1E6aVr6hxo+QR9Y="
    );
    EXPECT_THAT(page, HasSubstr(rising_secret().text()));
    EXPECT_THAT(page, HasSubstr(falling_secret().text()));
    EXPECT_THAT(page, HasSubstr("webhook-id: " + headers.id + '\n'));
    EXPECT_THAT(page, HasSubstr("webhook-timestamp: " + headers.timestamp + '\n'));
    EXPECT_THAT(page, HasSubstr("webhook-signature: " + headers.signature + '\n'));
    EXPECT_THAT(page, HasSubstr("    " + body + '\n'));
}

// A receiver that knows either secret believes what was signed with both, and the other way round.
// Proves: X2
TEST(WebhookSignature, HoldsWhileASecretIsReplaced) {
    const webhook_headers by_both = sign_webhook(delivery, signed_at, body, both_secrets());
    const std::vector falling{falling_secret()};
    EXPECT_EQ(refusal_of_webhook(by_both, body, one_secret(), signed_at), std::nullopt);
    EXPECT_EQ(refusal_of_webhook(by_both, body, falling, signed_at), std::nullopt);
    EXPECT_EQ(refusal_of_webhook(signed_headers(), body, both_secrets(), signed_at), std::nullopt);
    EXPECT_EQ(
        refusal_of_webhook(signed_headers(), body, falling, signed_at),
        webhook_refusal::wrong_signature
    );
    EXPECT_EQ(
        refusal_of_webhook(signed_headers(), body, {}, signed_at), webhook_refusal::wrong_signature
    );
}

// Whatever is changed after signing, nobody believes it.
// Proves: X2
TEST(WebhookSignature, CoversIdTimeAndBody) {
    EXPECT_EQ(refusal_of_webhook(signed_headers(), body, one_secret(), signed_at), std::nullopt);
    EXPECT_EQ(
        refusal_of_webhook(signed_headers(), body + ' ', one_secret(), signed_at),
        webhook_refusal::wrong_signature
    );
    EXPECT_EQ(refusal_with(&webhook_headers::id, delivery + 'x'), webhook_refusal::wrong_signature);
    EXPECT_EQ(
        refusal_with(&webhook_headers::timestamp, "1767225601"), webhook_refusal::wrong_signature
    );
}

// Five minutes to either side are time enough for slow ways and wrong clocks; what is older may be a replay.
// Proves: X2
TEST(WebhookSignature, HoldsForAWindow) {
    const auto seen_after = [](seconds later) {
        return refusal_of_webhook(signed_headers(), body, one_secret(), signed_at + later);
    };
    EXPECT_EQ(seen_after(seconds{300}), std::nullopt);
    EXPECT_EQ(seen_after(seconds{301}), webhook_refusal::too_old);
    EXPECT_EQ(seen_after(seconds{-300}), std::nullopt);
    EXPECT_EQ(seen_after(seconds{-301}), webhook_refusal::too_new);
}

// What no sender writes is told from a wrong secret, so that whoever sets one up sees what is wrong.
// Proves: X2
TEST(WebhookSignature, NamesWhatIsMissingOrMalformed) {
    using enum webhook_refusal;
    EXPECT_EQ(refusal_with(&webhook_headers::id, ""), missing_header);
    EXPECT_EQ(refusal_with(&webhook_headers::timestamp, ""), missing_header);
    EXPECT_EQ(refusal_with(&webhook_headers::signature, ""), missing_header);
    EXPECT_EQ(refusal_with(&webhook_headers::id, "a.b"), malformed);
    EXPECT_EQ(refusal_with(&webhook_headers::id, "a b"), malformed);
    EXPECT_EQ(refusal_with(&webhook_headers::id, std::string(257, 'a')), malformed);
    for (const char* time : {"-1", "+1767225600", "1767225600.5", " 1767225600", "1e9", "now"}) {
        EXPECT_EQ(refusal_with(&webhook_headers::timestamp, time), malformed) << time;
    }
    EXPECT_EQ(refusal_with(&webhook_headers::timestamp, std::string(13, '1')), malformed);
    EXPECT_EQ(refusal_with(&webhook_headers::signature, std::string(4097, 'v')), malformed);
}

// Signatures of versions that are not known are passed over; their number is bounded.
// Proves: X2
TEST(WebhookSignature, TakesOneOfSeveral) {
    const std::string good = signed_headers().signature;
    EXPECT_EQ(refusal_with(&webhook_headers::signature, "v1a,AAAA " + good), std::nullopt);
    EXPECT_EQ(refusal_with(&webhook_headers::signature, good + " v1,AAAA"), std::nullopt);
    EXPECT_EQ(
        refusal_with(&webhook_headers::signature, "v2," + good.substr(3)),
        webhook_refusal::wrong_signature
    );
    std::string many = good;
    for (int i = 0; i < 15; ++i) {
        many += " v1,AAAA";
    }
    EXPECT_EQ(refusal_with(&webhook_headers::signature, many), std::nullopt);
    EXPECT_EQ(
        refusal_with(&webhook_headers::signature, many + " v1,AAAA"), webhook_refusal::malformed
    );
}

// A secret has one spelling, and neither too few bits nor too many.
// Proves: X2, X3
TEST(WebhookSecret, HasAForm) {
    EXPECT_EQ(rising_secret().text(), "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
    EXPECT_TRUE(is_webhook_secret(rising_secret().text()));
    EXPECT_TRUE(is_webhook_secret("whsec_" + std::string(32, 'A')));
    EXPECT_TRUE(is_webhook_secret("whsec_" + std::string(86, 'A') + "=="));
    for (const std::string& text : {
             std::string{},
             std::string{"whsec_"},
             std::string(32, 'A'),
             "whsec_" + std::string(28, 'A'),
             "whsec_" + std::string(88, 'A'),
             "whsec_" + std::string(43, 'A'),
             "whsec_" + std::string(43, '_') + '=',
             "WHSEC_" + std::string(32, 'A'),
         }) {
        EXPECT_FALSE(is_webhook_secret(text)) << text;
    }
}

// The words reach senders: they do not change.
TEST(WebhookRefusal, HasAWord) {
    EXPECT_EQ(word_of(webhook_refusal::missing_header), "missing_header");
    EXPECT_EQ(word_of(webhook_refusal::malformed), "malformed");
    EXPECT_EQ(word_of(webhook_refusal::too_old), "too_old");
    EXPECT_EQ(word_of(webhook_refusal::too_new), "too_new");
    EXPECT_EQ(word_of(webhook_refusal::wrong_signature), "wrong_signature");
    EXPECT_EQ(word_of(webhook_refusal{}), "");
}

}  // namespace

}  // namespace convene
