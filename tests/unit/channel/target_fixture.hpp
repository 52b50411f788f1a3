// SPDX-License-Identifier: Apache-2.0
// A target runner on a loop whose clock moves when told, with one scripted channel, and targets for
// it.
#pragma once

#include "convene/channels/scripted_channel.hpp"
#include "convene/memory_store.hpp"
#include "convene/task_scope.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "channel/channel_registry.hpp"
#include "channel/outbound_order.hpp"
#include "channel/target_runner.hpp"
#include "runtime/manual_loop.hpp"
#include "store/store.hpp"
#include "support/manual_wall_clock.hpp"
#include "support/scripted_random.hpp"

namespace convene {

/// A target that runs in the background, and what it came to.
struct running_target {
    explicit running_target(executor& where) : scope(where) {}

    std::optional<result<target_outcome>> outcome;
    task_scope scope;
};

class target_fixture : public testing::Test {
   protected:
    target_fixture() { EXPECT_TRUE(channels_.add(phone_).has_value()); }

    /// A target of the phone, to be waited for as long as it takes.
    [[nodiscard]] static delivery_target target_for(std::string id, std::string address = "555") {
        delivery_target target;
        target.row.id = delivery_id{std::move(id)};
        target.row.event = event_id{"event"};
        target.row.room = room_id{"room"};
        target.row.channel = channel_id{"phone"};
        target.row.address = std::move(address);
        target.event.id = target.row.event;
        target.event.room = target.row.room;
        target.event.content = content::text("hello");
        target.binding.channel = target.row.channel;
        target.binding.retry = retry_policy{3, milliseconds{1000}, milliseconds{60'000}, 2.0};
        return target;
    }

    [[nodiscard]] delivery_target once(std::string id) const {
        delivery_target target = target_for(std::move(id));
        target.binding.retry->max_retries = 0;
        return target;
    }

    [[nodiscard]] deadline in(milliseconds span) const { return deadline{loop_.now() + span}; }

    /// Runs a target to its end, moving the clock as needed.
    [[nodiscard]] result<target_outcome> run(delivery_target target) {
        return loop_.run(runner_.run(std::move(target)));
    }

    /// Starts a target and runs what is ready.
    [[nodiscard]] std::unique_ptr<running_target> start(delivery_target target) {
        auto running = std::make_unique<running_target>(loop_);
        running->scope.spawn("target", keep(&running->outcome, runner_.run(std::move(target))));
        loop_.run_ready();
        return running;
    }

    /// Cancels a started target and lets it end, without moving the clock.
    void cancel(running_target& running, errc reason = errc::lease_lost) {
        running.scope.request_stop(reason);
        loop_.run_ready();
        ASSERT_EQ(running.scope.size(), 0U) << "a cancelled target goes on waiting";
    }

    /// Five failures of the default destination.
    void open_breaker() {
        for (int i = 0; i < circuit_breaker::failures_to_open; ++i) {
            phone_->then(scripted_attempt::fails_for_now());
            const auto outcome = run(once("failing"));
            ASSERT_TRUE(outcome.has_value());
        }
    }

    manual_loop loop_;
    manual_wall_clock clock_;
    std::unique_ptr<conversation_store> store_ = make_memory_store(clock_);
    channel_registry channels_;
    outbound_order order_{*store_};
    scripted_random random_{{0x00}};  // the least jitter: a delay is 0.8 of what the policy says
    std::shared_ptr<scripted_channel> phone_ = std::make_shared<scripted_channel>(channel_id{"phone"
    });
    target_runner runner_{target_runner::parts{&loop_, &channels_, &order_, &random_}};

   private:
    static awaitable<void> keep(
        std::optional<result<target_outcome>>* into, awaitable<result<target_outcome>> work
    ) {
        into->emplace(co_await std::move(work));
    }
};

}  // namespace convene
