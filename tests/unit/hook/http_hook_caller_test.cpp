// SPDX-License-Identifier: Apache-2.0
// Calls of remote hooks: signed, with their cause, and what replies come to.
#include "hook/http_hook_caller.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "hook/hook_secrets.hpp"
#include "runtime/manual_loop.hpp"
#include "support/manual_wall_clock.hpp"
#include "webhook/cause_header.hpp"

namespace convene {

namespace {

class HttpHookCaller : public testing::Test {
   protected:
    HttpHookCaller() {
        hook_.id = hook_id{"h"};
        hook_.url = "https://example.com/hook";
        seal_hook_secret(box_, first_, clock_.now(), system_random(), &hook_);
    }

    result<hook_verdict> ask() {
        remote_hook_call asked;
        asked.hook = std::make_shared<const remote_hook>(hook_);
        asked.id = "delivery-1";
        asked.input.event.id = event_id{"e"};
        asked.cause.call = "delivery-1";
        asked.cause.rooms = {room_id{"r"}};
        return where_.run(caller_.call(std::move(asked), deadline::never()));
    }

    error_code failure_with(result<http_reply> reply) {
        reply_ = std::move(reply);
        const result<hook_verdict> verdict = ask();
        return verdict ? error_code{} : verdict.error();
    }

    [[nodiscard]] std::string header(std::string_view name) const {
        return std::string{sent_.headers.find(name).value_or("")};
    }

    [[nodiscard]] std::optional<webhook_refusal> refusal_by(const webhook_secret& secret) const {
        const webhook_headers headers{
            header(webhook_id_header),
            header(webhook_timestamp_header),
            header(webhook_signature_header)
        };
        return refusal_of_webhook(headers, sent_.body, std::vector{secret}, clock_.now());
    }

    static http_reply reply_with(int status, std::string body) {
        http_reply reply;
        reply.status = status;
        reply.body = std::move(body);
        return reply;
    }

    manual_loop where_;
    manual_wall_clock clock_;
    secret_box box_{make_deployment_key(system_random())};
    webhook_secret first_ = webhook_secret::generate(system_random());
    remote_hook hook_;
    http_call sent_;
    result<http_reply> reply_ = reply_with(200, R"({"action":"allow"})");
    http_hook_caller caller_{{&box_, &clock_, [this](http_call call, deadline) {
                                  return send(std::move(call));
                              }}};

   private:
    awaitable<result<http_reply>> send(http_call call) {
        sent_ = std::move(call);
        co_return reply_;
    }
};

// A call is a POST that its receiver can believe, and carries the cause of whatever it leads to.
// Proves: R9, X2
TEST_F(HttpHookCaller, SignsAndTellsTheCause) {
    ASSERT_TRUE(ask().has_value());
    EXPECT_EQ(sent_.url, "https://example.com/hook");
    EXPECT_EQ(sent_.method, http_method::post);
    EXPECT_EQ(header(webhook_id_header), "delivery-1");
    EXPECT_EQ(refusal_by(first_), std::nullopt);
    const auto cause = decode_cause(header(cause_header), box_, clock_.now());
    ASSERT_TRUE(cause.has_value());
    EXPECT_EQ(cause->rooms, std::vector{room_id{"r"}});
}

// While a secret is replaced, receivers that know either of the two believe us; afterwards only the new one does.
// Proves: R9, X2, X3
TEST_F(HttpHookCaller, SignsWithBothSecretsForAWhile) {
    const webhook_secret second = webhook_secret::generate(system_random());
    seal_hook_secret(box_, second, clock_.now() + seconds{60}, system_random(), &hook_);
    ASSERT_TRUE(ask().has_value());
    EXPECT_EQ(refusal_by(first_), std::nullopt);
    EXPECT_EQ(refusal_by(second), std::nullopt);
    clock_.advance(seconds{60});
    ASSERT_TRUE(ask().has_value());
    EXPECT_EQ(refusal_by(first_), webhook_refusal::wrong_signature);
    EXPECT_EQ(refusal_by(second), std::nullopt);
}

// Whatever is no verdict has a reason of its own.
// Proves: R9
TEST_F(HttpHookCaller, TellsWhatAReplyIs) {
    EXPECT_EQ(failure_with(reply_with(200, R"({"action":"allow"})")), error_code{});
    EXPECT_EQ(failure_with(reply_with(500, R"({"action":"allow"})")), errc::hook_failed);
    EXPECT_EQ(failure_with(reply_with(302, "")), errc::hook_failed);
    EXPECT_EQ(failure_with(reply_with(200, "thanks")), errc::invalid_argument);
    EXPECT_EQ(failure_with(reply_with(204, "")), errc::invalid_argument);
    EXPECT_EQ(failure_with(errc::payload_too_large), errc::payload_too_large);
    EXPECT_EQ(failure_with(errc::not_authorized), errc::not_authorized);
    EXPECT_EQ(failure_with(errc::invalid_argument), errc::unavailable);
}

// Told of what is done, a hook has nothing to decide.
// Proves: R9
TEST_F(HttpHookCaller, WantsNoVerdictAfterDelivery) {
    hook_.mode = hook_mode::after_delivery;
    EXPECT_EQ(failure_with(reply_with(204, "")), error_code{});
    EXPECT_EQ(failure_with(reply_with(200, "thanks")), error_code{});
    EXPECT_EQ(failure_with(reply_with(410, "")), errc::hook_failed);
}

// A secret of another key, or of another hook, signs nothing.
// Proves: X3
TEST_F(HttpHookCaller, SendsNothingWithoutItsSecret) {
    hook_.id = hook_id{"another"};
    EXPECT_EQ(ask().error(), errc::corrupt_data);
    EXPECT_EQ(sent_.url, "");
}

}  // namespace

}  // namespace convene
