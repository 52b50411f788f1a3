// SPDX-License-Identifier: Apache-2.0
// The scripted channel: each attempt takes one entry of the script.
#include "convene/channels/scripted_channel.hpp"

#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

class ScriptedChannel : public testing::Test {
   protected:
    [[nodiscard]] static delivery_request request_for(std::string id) {
        delivery_request request;
        request.id = delivery_id{std::move(id)};
        return request;
    }

    [[nodiscard]] send_result attempt(std::string id) {
        return loop_.run(phone_.deliver(request_for(std::move(id))));
    }

    manual_loop loop_;
    scripted_channel phone_{channel_id{"phone"}};
};

// Without a script everything is sent and remembered.
TEST_F(ScriptedChannel, SendsEverythingWithoutAScript) {
    EXPECT_EQ(attempt("a").what, send_result::verdict::sent);
    EXPECT_EQ(attempt("b").outcome.provider_message_id, "scripted-b");
    ASSERT_EQ(phone_.sent().size(), 2U);
    EXPECT_EQ(phone_.sent()[1].id, delivery_id{"b"});
}

// Each entry is used once, in order; then the entry for the rest holds.
TEST_F(ScriptedChannel, PlaysItsScriptEntryByEntry) {
    phone_.then(scripted_attempt::fails_for_now())
        .then(scripted_attempt::asks_to_wait(seconds{9}))
        .otherwise(scripted_attempt::fails_for_good());
    EXPECT_TRUE(attempt("a").outcome.is_retryable);
    EXPECT_EQ(attempt("b").retry_after, milliseconds{9000});
    EXPECT_FALSE(attempt("c").outcome.is_retryable);
    EXPECT_FALSE(attempt("d").outcome.is_retryable);
    EXPECT_EQ(phone_.attempts().size(), 4U);
    EXPECT_TRUE(phone_.sent().empty());
}

// A slow attempt takes its time and is then sent; one that is cancelled on the way is not.
TEST_F(ScriptedChannel, TakesTheTimeThatTheScriptSays) {
    phone_.otherwise(scripted_attempt::sends_after(seconds{2}));
    const monotonic_time begun = loop_.now();
    EXPECT_EQ(attempt("a").what, send_result::verdict::sent);
    EXPECT_EQ(loop_.now() - begun, seconds{2});

    const deadline soon{loop_.now() + seconds{1}};
    const send_result cut = loop_.run(with_deadline(soon, phone_.deliver(request_for("b"))));
    EXPECT_EQ(cut.what, send_result::verdict::failed);
    EXPECT_EQ(phone_.sent().size(), 1U);
}

// A hanging attempt ends only when it is cancelled.
TEST_F(ScriptedChannel, HangsUntilItIsCancelled) {
    phone_.then(scripted_attempt::hangs());
    const deadline late{loop_.now() + std::chrono::hours{1}};
    const send_result cut = loop_.run(with_deadline(late, phone_.deliver(request_for("a"))));
    EXPECT_EQ(cut.what, send_result::verdict::failed);
    EXPECT_TRUE(late.has_passed(loop_.now()));
}

awaitable<bool> throws_from(scripted_channel* channel, delivery_request request) {
    try {
        const send_result answer = co_await channel->deliver(std::move(request));
        static_cast<void>(answer);
    } catch (const std::runtime_error&) {
        co_return true;
    }
    co_return false;
}

// An attempt may throw, as other people's channels do.
TEST_F(ScriptedChannel, ThrowsWhereTheScriptSaysSo) {
    phone_.then(scripted_attempt::throws());
    EXPECT_TRUE(loop_.run(throws_from(&phone_, request_for("a"))));
    EXPECT_EQ(phone_.attempts().size(), 1U);
}

// It remembers the last ten thousand attempts, not all.
TEST_F(ScriptedChannel, RemembersABoundedNumberOfAttempts) {
    for (int i = 0; i < 10'001; ++i) {
        ASSERT_EQ(attempt(std::to_string(i)).what, send_result::verdict::sent);
    }
    EXPECT_EQ(phone_.attempts().size(), 10'000U);
    EXPECT_EQ(phone_.attempts().front().id, delivery_id{"1"});
    EXPECT_EQ(phone_.sent().size(), 10'000U);
}

}  // namespace
}  // namespace convene
