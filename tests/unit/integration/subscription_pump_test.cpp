// SPDX-License-Identifier: Apache-2.0
// The subscription pump: in order, at least once, each on its own, and given up on record.
#include "integration/subscription_pump.hpp"

#include "convene/memory_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/canonical_json.hpp"
#include "integration/subscription_service.hpp"
#include "runtime/manual_loop.hpp"
#include "store/operations/subscriptions.hpp"
#include "store/store.hpp"
#include "unit/integration/played_receiver.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// The wall clock of a world whose only time is the loop's.
class loop_clock final : public wall_clock {
   public:
    explicit loop_clock(const executor& loop) : loop_(loop) {}

    [[nodiscard]] wall_time now() const override {
        return wall_time{std::chrono::duration_cast<microseconds>(loop_.now().time_since_epoch())};
    }

   private:
    const executor& loop_;
};

std::string url_of(const std::string& name) { return "https://example.com/" + name; }

class SubscriptionPump : public testing::Test {
   protected:
    ~SubscriptionPump() override {
        stop();
        EXPECT_TRUE(loop_.run(locks_->close(deadline::never())).has_value());
        loop_.run(store_->close());
    }

    template <class Op>
    typename Op::answer ask(Op request) {
        auto answer = loop_.run(store_->run(std::move(request)));
        EXPECT_TRUE(answer.has_value()) << answer.error().message();
        return std::move(answer).value();
    }

    void start(subscription_pump_settings with = {}) {
        pump_ = std::make_unique<subscription_pump>(
            subscription_pump::parts{
                &loop_,
                store_.get(),
                locks_.get(),
                &feed_,
                &clock_,
                &system_random(),
                &box_,
                receiver_.sender(),
            },
            with
        );
        pump_->start();
        run_for(0s);
    }

    void stop() {
        if (pump_ != nullptr) {
            loop_.run(pump_->stop());
            pump_.reset();
        }
    }

    void run_for(std::chrono::nanoseconds span) { loop_.advance(span); }

    webhook_subscription subscribe(const std::string& name, std::vector<std::string> types = {}) {
        webhook_subscription wanted;
        wanted.organization = organization_id{"acme"};
        wanted.url = url_of(name);
        wanted.event_types = std::move(types);
        audit_entry by;
        by.organization = wanted.organization;
        auto made = loop_.run(service_.create(std::move(wanted), std::nullopt, std::move(by)));
        EXPECT_TRUE(made.has_value());
        return made->subscription;
    }

    std::int64_t tell(const std::string& type, const std::string& organization = "acme") {
        framework_event notice;
        notice.type = type;
        notice.organization = organization_id{organization};
        return ask(ops::append_notices{{notice}});
    }

    /// The types that a URL was told, in order.
    std::vector<std::string> told(const std::string& name) {
        std::vector<std::string> types;
        for (const std::string& body : receiver_.bodies(url_of(name))) {
            types.push_back(find_text(body, "type").value_or(""));
        }
        return types;
    }

    webhook_subscription stored(const subscription_id& id) {
        return ask(ops::get_webhook_subscription{organization_id{"acme"}, id});
    }

    manual_loop loop_;
    loop_clock clock_{loop_};
    std::unique_ptr<conversation_store> store_ = make_memory_store(clock_);
    std::unique_ptr<lock_manager> locks_ = make_in_memory_lock_manager(loop_);
    notice_feed feed_{*store_, {}};
    secret_box box_{deployment_key{}};
    played_receiver receiver_;
    std::unique_ptr<subscription_pump> pump_;
    subscription_service
        service_{subscription_service_parts{store_.get(), &clock_, &system_random(), &box_, [this] {
                                                if (pump_ != nullptr) {
                                                    pump_->look_again();
                                                }
                                            }}};
};

// What happens after the subscription is told, in order, to its organisation alone, by type if it wants.
// Proves: R19, X1
TEST_F(SubscriptionPump, TellsInOrder) {
    start();
    tell("before");
    subscribe("all");
    subscribe("some", {"b"});
    tell("a");
    tell("theirs", "globex");
    tell("b");
    tell("c");
    run_for(1s);
    EXPECT_THAT(told("all"), ElementsAre("a", "b", "c"));
    EXPECT_THAT(told("some"), ElementsAre("b"));
}

// One that fails is told the same again, with the same id, later and later; another is not delayed by it.
// Proves: R19
TEST_F(SubscriptionPump, OneThatIsDownDelaysNoOther) {
    start();
    const webhook_subscription down = subscribe("down");
    subscribe("slow");
    subscribe("well");
    receiver_.answers[url_of("down")] = 500;
    receiver_.hanging.push_back(url_of("slow"));
    tell("a");
    tell("b");
    run_for(1s);
    EXPECT_THAT(told("well"), ElementsAre("a", "b"));
    EXPECT_EQ(stored(down.id).last_error, "receiver_failed");
    run_for(60s);
    const auto ids = receiver_.ids(url_of("down"));
    EXPECT_GE(ids.size(), 4U);
    EXPECT_LE(ids.size(), 8U);
    EXPECT_THAT(ids, testing::Each(down.id.str() + "-1"));
    EXPECT_EQ(pump_->count().failing, 2U);

    receiver_.answers.clear();
    receiver_.got.clear();
    run_for(120s);
    EXPECT_THAT(told("down"), ElementsAre("a", "b"));
    EXPECT_EQ(stored(down.id).failing_since, std::nullopt);
    EXPECT_EQ(stored(down.id).position, 2);
}

// Another worker, or the same after a restart, goes on behind what was taken: nothing is lost.
// Proves: R19
TEST_F(SubscriptionPump, GoesOnWhereItWas) {
    start();
    subscribe("s");
    tell("a");
    run_for(1s);
    stop();
    tell("b");
    start();
    run_for(1s);
    EXPECT_THAT(told("s"), ElementsAre("a", "b"));
}

// What was under way when the worker stopped is told by the next: at least once.
// Proves: R19
TEST_F(SubscriptionPump, RepeatsWhatWasUnderWay) {
    start();
    subscribe("s");
    receiver_.hanging.push_back(url_of("s"));
    tell("a");
    run_for(1s);
    EXPECT_THAT(told("s"), ElementsAre("a"));
    stop();
    receiver_.hanging.clear();
    start();
    run_for(1s);
    EXPECT_THAT(told("s"), ElementsAre("a", "a"));
}

// After long failures alone (three days, unless set), or when the receiver is gone, it is disabled with the reason,
// which the others are told.
// Proves: R19
TEST_F(SubscriptionPump, GivesUpOnRecord) {
    subscription_pump_settings with;
    EXPECT_EQ(with.give_up_after, 72h);
    with.give_up_after = 2h;
    start(with);
    const webhook_subscription gone = subscribe("gone");
    const webhook_subscription down = subscribe("down");
    subscribe("well");
    receiver_.answers[url_of("gone")] = 410;
    receiver_.answers[url_of("down")] = 503;
    tell("a");
    run_for(1s);
    EXPECT_EQ(stored(gone.id).disabled_reason, "receiver_gone");
    EXPECT_THAT(told("gone"), ElementsAre("a"));
    run_for(1h);
    EXPECT_TRUE(stored(down.id).is_enabled);
    run_for(2h);
    EXPECT_FALSE(stored(down.id).is_enabled);
    EXPECT_EQ(stored(down.id).disabled_reason, "failed_for_too_long");
    EXPECT_THAT(
        told("well"),
        ElementsAre("a", "webhook_subscription_disabled", "webhook_subscription_disabled")
    );
    EXPECT_EQ(pump_->count().served, 1U);
}

// A busy receiver is left alone for as long as it said.
// Proves: R19
TEST_F(SubscriptionPump, WaitsAsLongAsItIsTold) {
    start();
    subscribe("busy");
    receiver_.answers[url_of("busy")] = 429;
    receiver_.with.set("retry-after", "600");
    tell("a");
    run_for(599s);
    EXPECT_THAT(told("busy"), SizeIs(1));
    run_for(10s);
    EXPECT_THAT(told("busy"), SizeIs(2));
}

// A change is in effect at once: another URL, another filter, or nobody any more.
// Proves: R19
TEST_F(SubscriptionPump, FollowsChanges) {
    start();
    const webhook_subscription one = subscribe("old");
    audit_entry by;
    by.organization = organization_id{"acme"};
    auto move = [](webhook_subscription& changed) {
        changed.url = url_of("new");
        changed.event_types = {"b"};
    };
    ASSERT_TRUE(loop_.run(service_.change(one.id, move, by)).has_value());
    run_for(0s);
    tell("a");
    tell("b");
    run_for(1s);
    EXPECT_THAT(told("old"), IsEmpty());
    EXPECT_THAT(told("new"), ElementsAre("b"));
    ASSERT_TRUE(loop_.run(service_.remove(one.id, by)).has_value());
    run_for(0s);
    tell("b");
    run_for(10s);
    EXPECT_THAT(told("new"), SizeIs(1));
    EXPECT_EQ(pump_->count().served, 0U);
}

// Two workers: the one that leads tells, the other takes over when it stops.
// Proves: R19
TEST_F(SubscriptionPump, OneWorkerLeads) {
    start();
    const std::unique_ptr<subscription_pump> first = std::move(pump_);
    start();
    subscribe("s");
    first->look_again();
    tell("a");
    run_for(6s);
    EXPECT_THAT(told("s"), ElementsAre("a"));
    EXPECT_EQ(pump_->count().served, 0U);
    loop_.run(first->stop());
    tell("b");
    run_for(1s);
    EXPECT_THAT(told("s"), ElementsAre("a", "b"));
    EXPECT_EQ(pump_->count().served, 1U);
}

}  // namespace
}  // namespace convene
