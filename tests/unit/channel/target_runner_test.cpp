// SPDX-License-Identifier: Apache-2.0
// The target runner: what a channel's behaviour makes of a target, and when it waits, retries or
// defers.
#include "channel/target_runner.hpp"

#include "convene/channels/callback_channel.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "unit/channel/target_fixture.hpp"

namespace convene {
namespace {

using std::chrono::minutes;

class TargetRunner : public target_fixture {
   protected:
    static std::vector<std::string> types_of(const std::vector<framework_event>& notices) {
        std::vector<std::string> types;
        for (const framework_event& notice : notices) {
            types.push_back(notice.type);
        }
        return types;
    }
};

// The channel takes the event at once: done, after one attempt, with the provider's id.
// Proves: D12
TEST_F(TargetRunner, ReportsADeliveryAsDone) {
    const auto outcome = run(target_for("d1"));
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::done);
    EXPECT_EQ(outcome->attempts, 1);
    EXPECT_EQ(outcome->outcome.provider_message_id, "scripted-d1");
    EXPECT_TRUE(outcome->outcome.error_code.empty());
    ASSERT_EQ(phone_->sent().size(), 1U);
    EXPECT_EQ(phone_->sent()[0].id, delivery_id{"d1"});
    EXPECT_EQ(phone_->sent()[0].attempt, 1);
}

// No object for the channel in this process: failed, and nothing is thrown or waited for.
// Proves: D12
TEST_F(TargetRunner, FailsWithoutAChannelObject) {
    delivery_target target = target_for("d1");
    target.row.channel = channel_id{"fax"};
    const auto outcome = run(target);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::failed);
    EXPECT_EQ(outcome->attempts, 0);
    EXPECT_EQ(outcome->outcome.error_code, "channel_not_registered");
}

/// Shows not even text.
class mute_channel final : public transport_channel {
   public:
    [[nodiscard]] channel_id id() const override { return channel_id{"mute"}; }

    [[nodiscard]] std::string type() const override { return "mute"; }

    [[nodiscard]] channel_capabilities capabilities() const override { return {{}, 0}; }

    [[nodiscard]] awaitable<send_result> deliver(delivery_request /*request*/) override {
        ADD_FAILURE() << "content that does not fit was sent";
        co_return send_result::sent();
    }
};

// The channel can show none of the content: failed without an attempt.
// Proves: D12, R17
TEST_F(TargetRunner, FailsWhenTheContentCannotBeShown) {
    ASSERT_TRUE(channels_.add(std::make_shared<mute_channel>()).has_value());
    delivery_target target = target_for("d1");
    target.row.channel = channel_id{"mute"};
    const auto outcome = run(target);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::failed);
    EXPECT_EQ(outcome->outcome.error_code, "transcoding_failed");
}

// A channel for short text gets the content as it can show it.
// Proves: R17
TEST_F(TargetRunner, FitsTheContentToTheChannel) {
    scripted_channel_settings narrow;
    narrow.capabilities = {{content_type::text}, 4};
    const auto pager = std::make_shared<scripted_channel>(channel_id{"pager"}, narrow);
    ASSERT_TRUE(channels_.add(pager).has_value());
    delivery_target target = target_for("d1");
    target.row.channel = channel_id{"pager"};
    ASSERT_TRUE(run(target).has_value());
    ASSERT_EQ(pager->sent().size(), 1U);
    EXPECT_EQ(pager->sent()[0].event.content.body(), "hel…");
}

// Two passing failures, then success: three attempts with the same id, spaced by the policy.
// Proves: D12
TEST_F(TargetRunner, RetriesWithGrowingDelays) {
    phone_->then(scripted_attempt::fails_for_now()).then(scripted_attempt::fails_for_now());
    const monotonic_time begun = loop_.now();
    const auto outcome = run(target_for("d1"));
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::done);
    EXPECT_EQ(outcome->attempts, 3);
    EXPECT_TRUE(outcome->outcome.error_code.empty());
    EXPECT_EQ(loop_.now() - begun, milliseconds{800 + 1600});
    ASSERT_EQ(phone_->attempts().size(), 3U);
    EXPECT_EQ(phone_->attempts()[2].id, delivery_id{"d1"});
    EXPECT_EQ(phone_->attempts()[2].attempt, 3);
}

// A binding without a policy has the default one.
// Proves: D12
TEST_F(TargetRunner, RetriesByTheDefaultPolicyWhereNoneIsSet) {
    phone_->otherwise(scripted_attempt::fails_for_now());
    delivery_target target = target_for("d1");
    target.binding.retry.reset();
    const auto outcome = run(target);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->attempts, retry_policy{}.max_retries + 1);
}

// The channel never recovers: failed, with the last reason, when the retries are used up.
// Proves: D12
TEST_F(TargetRunner, FailsWhenTheRetriesAreUsedUp) {
    phone_->otherwise(scripted_attempt::fails_for_now());
    const auto outcome = run(target_for("d1"));
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::failed);
    EXPECT_EQ(outcome->attempts, 4);
    EXPECT_EQ(outcome->outcome.error_code, "scripted_failure");
    EXPECT_TRUE(outcome->outcome.is_retryable);
}

// Attempts of an earlier executor count: one is left, and it is numbered after them.
// Proves: D12
TEST_F(TargetRunner, CountsEarlierAttempts) {
    phone_->otherwise(scripted_attempt::fails_for_now());
    delivery_target target = target_for("d1");
    target.row.attempts = 3;
    const auto outcome = run(target);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::failed);
    EXPECT_EQ(outcome->attempts, 4);
    ASSERT_EQ(phone_->attempts().size(), 1U);
    EXPECT_EQ(phone_->attempts()[0].attempt, 4);
}

// A refusal for good ends the target at once.
// Proves: D12
TEST_F(TargetRunner, DoesNotRetryAPermanentFailure) {
    phone_->then(scripted_attempt::fails_for_good());
    const auto outcome = run(target_for("d1"));
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::failed);
    EXPECT_EQ(outcome->attempts, 1);
    EXPECT_FALSE(outcome->outcome.is_retryable);
}

// An attempt hangs: it is cancelled at the channel's deadline and the next one is made.
// Proves: D12
TEST_F(TargetRunner, CutsAHangingAttemptOffAtTheChannelsDeadline) {
    phone_->then(scripted_attempt::hangs());
    const monotonic_time begun = loop_.now();
    const auto outcome = run(target_for("d1"));
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::done);
    EXPECT_EQ(outcome->attempts, 2);
    EXPECT_EQ(loop_.now() - begun, phone_->attempt_deadline() + milliseconds{800});
}

// Nothing but hanging: the last reason is the timeout.
// Proves: D12
TEST_F(TargetRunner, ReportsATimeoutAsItsOwnFailure) {
    phone_->then(scripted_attempt::hangs());
    const auto outcome = run(once("d1"));
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::failed);
    EXPECT_EQ(outcome->outcome.error_code, "delivery_timeout");
    EXPECT_TRUE(outcome->outcome.is_retryable);
}

// The channel throws: a failed attempt, whose text stays out of the result.
// Proves: D12
TEST_F(TargetRunner, TurnsAnExceptionIntoAFailedAttempt) {
    phone_->then(scripted_attempt::throws()).then(scripted_attempt::throws());
    EXPECT_EQ(run(target_for("d1"))->attempts, 3);
    phone_->then(scripted_attempt::throws());
    const auto outcome = run(once("d2"));
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::failed);
    EXPECT_EQ(outcome->outcome.error_code, "channel_failed");
    EXPECT_EQ(outcome->outcome.error_message, "the channel failed");
}

awaitable<send_result> throw_a_number(delivery_request /*request*/) { throw 7; }

// Even what is no exception class ends at the channel's border.
// Proves: D12
TEST_F(TargetRunner, SurvivesWhateverAChannelThrows) {
    const auto odd = std::make_shared<callback_channel>(channel_id{"odd"}, throw_a_number);
    ASSERT_TRUE(channels_.add(odd).has_value());
    delivery_target target = once("d1");
    target.row.channel = channel_id{"odd"};
    const auto outcome = run(target);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->outcome.error_code, "channel_failed");
}

// One target hangs while others of the same channel are delivered: it delays and fails nobody else.
// Proves: D12
TEST_F(TargetRunner, LetsAHangingTargetFailAlone) {
    phone_->then(scripted_attempt::hangs());
    const auto hanging = start(target_for("hanging", "1"));
    const auto quick = start(target_for("quick", "2"));
    ASSERT_TRUE(quick->outcome.has_value());
    EXPECT_EQ((*quick->outcome)->state, delivery_state::done);
    EXPECT_FALSE(hanging->outcome.has_value());
    cancel(*hanging);
}

// The set's deadline comes before the next retry: the target is deferred for that long, with its
// attempts and reason. Proves: D12
TEST_F(TargetRunner, DefersARetryBeyondTheSetsDeadline) {
    phone_->otherwise(scripted_attempt::fails_for_now());
    delivery_target target = target_for("d1");
    target.wait_until = in(milliseconds{1000});
    const auto outcome = run(target);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::deferred);
    EXPECT_EQ(outcome->attempts, 2);
    EXPECT_EQ(outcome->defer_for, milliseconds{1600});
    EXPECT_EQ(outcome->outcome.error_code, "scripted_failure");
}

// The provider wants an hour: deferred for an hour.
// Proves: D12
TEST_F(TargetRunner, DefersWhatTheProviderWantsLater) {
    phone_->then(scripted_attempt::asks_to_wait(std::chrono::hours{1}));
    delivery_target target = target_for("d1");
    target.wait_until = in(seconds{10});
    const auto outcome = run(target);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::deferred);
    EXPECT_EQ(outcome->defer_for, std::chrono::hours{1});
}

// The set's deadline has passed before the first attempt: an attempt that need not wait is made all
// the same. Proves: D12
TEST_F(TargetRunner, NeedsNoTimeLeftForAnAttemptThatNeedNotWait) {
    delivery_target target = target_for("d1");
    target.wait_until = deadline{loop_.now() - seconds{1}};
    EXPECT_EQ(run(target)->state, delivery_state::done);
}

// Two a second, three targets at once: the third waits its second, none is dropped.
// Proves: D12
TEST_F(TargetRunner, WaitsForTheRateLimit) {
    delivery_target target = target_for("d1");
    target.binding.limit = rate_limit{2.0, std::nullopt, std::nullopt};
    const monotonic_time begun = loop_.now();
    EXPECT_EQ(run(target)->state, delivery_state::done);
    EXPECT_EQ(run(target)->state, delivery_state::done);
    EXPECT_EQ(loop_.now(), begun);
    EXPECT_EQ(run(target)->state, delivery_state::done);
    EXPECT_EQ(loop_.now() - begun, seconds{1});
}

/// A channel that has rules of its own, as a registered one has.
class ruled_channel final : public transport_channel {
   public:
    [[nodiscard]] channel_id id() const override { return channel_id{"ruled"}; }

    [[nodiscard]] std::string type() const override { return "ruled"; }

    [[nodiscard]] bool is_enabled() const override { return enabled; }

    [[nodiscard]] retry_policy default_retry() const override {
        return {1, milliseconds{1000}, milliseconds{1000}, 1.0};
    }

    [[nodiscard]] rate_limit shared_limit() const override { return {1.0, {}, {}}; }

    [[nodiscard]] awaitable<send_result> deliver(delivery_request) override {
        ++attempts;
        co_return answer;
    }

    bool enabled = true;
    send_result answer = send_result::sent();
    int attempts = 0;
};

class RuledTarget : public target_fixture {
   protected:
    RuledTarget() { EXPECT_TRUE(channels_.add(ruled_).has_value()); }

    [[nodiscard]] static delivery_target target(std::string id, std::string address) {
        delivery_target made = target_for(std::move(id), std::move(address));
        made.row.channel = channel_id{"ruled"};
        made.binding.channel = made.row.channel;
        made.binding.retry.reset();
        return made;
    }

    std::shared_ptr<ruled_channel> ruled_ = std::make_shared<ruled_channel>();
};

// A limit of the channel's own is one for all its addresses; a binding's own counts its address alone.
// Proves: D12
TEST_F(RuledTarget, SharesTheChannelsLimit) {
    const monotonic_time before = loop_.now();
    for (const char* address : {"1", "2", "3"}) {
        ASSERT_TRUE(run(target(address, address)).has_value());
    }
    EXPECT_EQ(loop_.now() - before, std::chrono::seconds{2});
    delivery_target own = target("4", "4");
    own.binding.limit = rate_limit{100.0, {}, {}};
    ASSERT_TRUE(run(own).has_value());
    EXPECT_EQ(loop_.now() - before, std::chrono::seconds{2});
}

// Without a policy of its own a binding is tried again as its channel says.
// Proves: D12
TEST_F(RuledTarget, RetriesByTheChannelsPolicy) {
    ruled_->answer = send_result::failed_for_now("busy", "busy");
    delivery_target one = target("1", "1");
    one.binding.limit = rate_limit{};
    const auto outcome = run(one);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::failed);
    EXPECT_EQ(ruled_->attempts, 2);
}

// Nothing is sent to a channel that is disabled; that is no failure of its receiver.
// Proves: D12
TEST_F(RuledTarget, FailsAtOnceWhileDisabled) {
    ruled_->enabled = false;
    for (int i = 0; i < 2 * circuit_breaker::failures_to_open; ++i) {
        const auto outcome = run(target("1", "1"));
        ASSERT_TRUE(outcome.has_value());
        EXPECT_EQ(outcome->state, delivery_state::failed);
        EXPECT_EQ(outcome->outcome.error_code, "channel_disabled");
    }
    EXPECT_EQ(ruled_->attempts, 0);
    ruled_->enabled = true;
    EXPECT_EQ(run(target("2", "1"))->state, delivery_state::done);
}

// Those who wait for the limit go in the order in which they came.
// Proves: D12
TEST_F(TargetRunner, KeepsTheOrderOfThoseWhoWaitForTheLimit) {
    std::vector<std::unique_ptr<running_target>> waiting;
    for (const char* id : {"a", "b", "c"}) {
        delivery_target target = target_for(id);
        target.binding.limit = rate_limit{1.0, std::nullopt, std::nullopt};
        waiting.push_back(start(target));
    }
    EXPECT_EQ(phone_->sent().size(), 1U);
    loop_.advance(seconds{1});
    EXPECT_EQ(phone_->sent().size(), 2U);
    loop_.advance(seconds{1});
    ASSERT_EQ(phone_->sent().size(), 3U);
    EXPECT_EQ(phone_->sent()[0].id, delivery_id{"a"});
    EXPECT_EQ(phone_->sent()[1].id, delivery_id{"b"});
    EXPECT_EQ(phone_->sent()[2].id, delivery_id{"c"});
}

// The next place under the limit comes after the set's deadline: deferred until then, without an
// attempt. Proves: D12
TEST_F(TargetRunner, DefersWhatTheLimitHoldsBackTooLong) {
    delivery_target target = target_for("d1");
    target.binding.limit = rate_limit{std::nullopt, 1.0, std::nullopt};
    target.wait_until = in(seconds{10});
    EXPECT_EQ(run(target)->state, delivery_state::done);
    const auto outcome = run(target);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::deferred);
    EXPECT_EQ(outcome->attempts, 0);
    EXPECT_EQ(outcome->defer_for, minutes{1});
    EXPECT_EQ(outcome->outcome.error_code, "rate_limited");
}

// The destination has items in the outbound queue: a later delivery goes behind them, not past
// them. Proves: D12
TEST_F(TargetRunner, QueuesBehindWhatWasDeferredBefore) {
    order_.added(destination{channel_id{"phone"}, "555"});
    const auto outcome = run(target_for("d1"));
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::deferred);
    EXPECT_EQ(outcome->outcome.error_code, "queued_behind");
    EXPECT_TRUE(phone_->attempts().empty());
    EXPECT_EQ(run(target_for("d2", "666"))->state, delivery_state::done);
    EXPECT_EQ(loop_.run(runner_.run_head(target_for("d3")))->state, delivery_state::done);
}

// Five failures in a row open the breaker: the fifth outcome says so, once.
// Proves: D12, R19
TEST_F(TargetRunner, TellsThatTheBreakerOpened) {
    phone_->otherwise(scripted_attempt::fails_for_now());
    for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(run(once("d"))->notices.empty());
    }
    const auto fifth = run(once("d"));
    ASSERT_EQ(types_of(fifth->notices), std::vector<std::string>{"circuit_breaker_opened"});
    EXPECT_EQ(fifth->notices[0].data.str(), R"({"channel":"phone","address":"555"})");
    EXPECT_EQ(fifth->notices[0].room, room_id{"room"});
}

// The breaker is open: nothing is sent there; what can't wait a minute is deferred until the probe,
// other destinations of the channel are served. Proves: D12
TEST_F(TargetRunner, SendsNothingToADestinationWhoseBreakerIsOpen) {
    open_breaker();
    const auto attempts = phone_->attempts().size();
    delivery_target target = target_for("d1");
    target.wait_until = in(seconds{10});
    const auto outcome = run(target);
    ASSERT_TRUE(outcome.has_value());
    EXPECT_EQ(outcome->state, delivery_state::deferred);
    EXPECT_EQ(outcome->defer_for, minutes{1});
    EXPECT_EQ(outcome->outcome.error_code, "circuit_breaker_open");
    EXPECT_EQ(phone_->attempts().size(), attempts);
    EXPECT_EQ(run(target_for("d2", "666"))->state, delivery_state::done);
}

// After the minute one target probes and another waits for it; the probe succeeds, both are
// delivered and the change is told once. Proves: D12, R19
TEST_F(TargetRunner, ProbesWithOneTargetAndClosesOnItsSuccess) {
    open_breaker();
    loop_.advance(minutes{1});
    phone_->then(scripted_attempt::sends_after(milliseconds{300}));
    const auto before = phone_->attempts().size();
    const auto probing = start(target_for("probing"));
    const auto waiting = start(target_for("waiting"));
    EXPECT_EQ(phone_->attempts().size(), before + 1);
    loop_.advance(seconds{2});
    ASSERT_TRUE(probing->outcome.has_value());
    ASSERT_TRUE(waiting->outcome.has_value());
    EXPECT_EQ((*waiting->outcome)->state, delivery_state::done);
    EXPECT_EQ(
        types_of((*probing->outcome)->notices), std::vector<std::string>{"circuit_breaker_closed"}
    );
    EXPECT_TRUE((*waiting->outcome)->notices.empty());
}

// A claim is suspect: nothing is started until it is held again.
// Proves: D12, L6
TEST_F(TargetRunner, StartsNothingWhileTheLeaseIsSuspect) {
    bool held = false;
    delivery_target target = target_for("d1");
    target.may_start = [&held] { return held; };
    const auto running = start(target);
    loop_.advance(seconds{5});
    EXPECT_TRUE(phone_->attempts().empty());
    held = true;
    loop_.advance(seconds{1});
    EXPECT_EQ(phone_->sent().size(), 1U);
    ASSERT_TRUE(running->outcome.has_value());
    EXPECT_EQ((*running->outcome)->state, delivery_state::done);
}

// The claim becomes suspect while a target waits for its rate limit: the place is not used until it
// is held. Proves: D12, L6
TEST_F(TargetRunner, LooksAtTheLeaseAgainAfterEveryWait) {
    bool held = true;
    delivery_target target = target_for("d1");
    target.binding.limit = rate_limit{1.0, std::nullopt, std::nullopt};
    target.may_start = [&held] { return held; };
    ASSERT_TRUE(run(target).has_value());
    const auto running = start(target);
    held = false;
    loop_.advance(seconds{3});
    EXPECT_EQ(phone_->sent().size(), 1U);
    held = true;
    loop_.advance(seconds{2});
    EXPECT_EQ(phone_->sent().size(), 2U);
}

// The queue item of a deferred target has everything the queue needs to go on from there.
// Proves: D12
TEST_F(TargetRunner, MakesAQueueItemOfADeferredTarget) {
    phone_->then(scripted_attempt::fails_for_now());
    delivery_target target = target_for("d1");
    target.row.index = event_index{7};
    target.wait_until = in(milliseconds{0});
    const auto outcome = run(target);
    ASSERT_TRUE(outcome.has_value());
    const outbound_item item = make_outbound_item(target.row, *outcome, clock_.now());
    EXPECT_EQ(item.delivery, delivery_id{"d1"});
    EXPECT_EQ(item.event, event_id{"event"});
    EXPECT_EQ(item.room, room_id{"room"});
    EXPECT_EQ(item.index, event_index{7});
    EXPECT_EQ(item.channel, channel_id{"phone"});
    EXPECT_EQ(item.address, "555");
    EXPECT_EQ(item.attempts, 1);
    EXPECT_EQ(item.not_before, clock_.now() + milliseconds{800});
    EXPECT_EQ(item.last_error, "the script says so");
}

}  // namespace
}  // namespace convene
