// SPDX-License-Identifier: Apache-2.0
// An outbound pump over a memory store, under a clock that the test moves.
#pragma once

#include "convene/channels/scripted_channel.hpp"
#include "convene/memory_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "channel/channel_registry.hpp"
#include "channel/outbound_order.hpp"
#include "room/outbound_pump.hpp"
#include "runtime/manual_loop.hpp"
#include "store/store.hpp"
#include "support/scripted_random.hpp"
#include "support/store_fixtures.hpp"
#include "unit/channel/interposed_store.hpp"

namespace convene {

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

/// A lease whose state the test sets.
class scripted_lease final : public lease {
   public:
    struct control {
        lease_state state = lease_state::held;
        cancel_source lost;
        bool is_released = false;
    };

    explicit scripted_lease(control& by) : by_(by) {}

    [[nodiscard]] const lease_name& name() const noexcept override { return name_; }

    [[nodiscard]] lease_state state() const noexcept override { return by_.state; }

    [[nodiscard]] bool is_wanted() const noexcept override { return false; }

    [[nodiscard]] cancel_source& lost() noexcept override { return by_.lost; }

    [[nodiscard]] awaitable<result<>> release() override {
        by_.is_released = true;
        co_return result<>{};
    }

   private:
    const lease_name name_ = lease_name::leader("outbound");
    control& by_;
};

inline constexpr seconds between_tries{1};

/// Gives out one lease; the next one only when the test has another ready.
class scripted_locks final : public lock_manager {
   public:
    std::vector<scripted_lease::control*> ready;

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> acquire(
        lease_name /*name*/, deadline /*until*/
    ) override {
        while (ready.empty()) {
            const result<> waited = co_await sleep_for(between_tries);
            if (!waited) {
                co_return waited.error();
            }
        }
        auto given = std::make_unique<scripted_lease>(*ready.back());
        ready.pop_back();
        co_return given;
    }

    [[nodiscard]] awaitable<result<std::unique_ptr<lease>>> try_acquire(lease_name /*name*/)
        override {
        co_return errc::lease_busy;
    }

    [[nodiscard]] bool is_process_local() const noexcept override { return true; }

    [[nodiscard]] awaitable<result<>> close(deadline /*until*/) override { co_return result<>{}; }
};

inline awaitable<result<>> refuse(std::string /*operation*/) { co_return errc::store_busy; }

inline awaitable<result<>> allow(std::string /*operation*/) { co_return result<>{}; }

/// Refuses operations of one name.
inline interposed_store::interposed refuse_only(std::string name) {
    return [name = std::move(name)](std::string operation) {
        return operation == name ? refuse(operation) : allow(operation);
    };
}

/// Lets the first of a name through and refuses the others.
inline interposed_store::interposed refuse_after_first(std::string name) {
    return [name = std::move(name), seen = 0](std::string operation) mutable {
        const bool is_refused = operation == name && ++seen > 1;
        return is_refused ? refuse(operation) : allow(operation);
    };
}

class OutboundPump : public testing::Test {
   protected:
    OutboundPump() {
        EXPECT_TRUE(channels_.add(phone_).has_value());
        ops::create_room opened{
            make_room("r"), {make_binding("r", "phone"), make_binding("r", "desk")}, {}
        };
        for (binding& attached : opened.bindings) {
            attached.retry = retry_policy{1, milliseconds{10'000}, milliseconds{60'000}, 2.0};
        }
        ask(opened);
        ops::register_worker me;
        me.worker.incarnation = worker_one();
        ask(me);
    }

    ~OutboundPump() override { stop(); }

    [[nodiscard]] outbound_pump::parts parts() {
        outbound_pump::parts parts;
        parts.where = &loop_;
        parts.store = &store_;
        parts.locks = locks_.get();
        parts.channels = &channels_;
        parts.runner = &runner_;
        parts.order = &order_;
        parts.clock = &clock_;
        parts.organization_of = [this](room_id) { return organization(this); };
        return parts;
    }

    void start(incarnation_id me = worker_one()) {
        pump_.emplace(parts());
        EXPECT_TRUE(loop_.run(pump_->start(std::move(me))).has_value());
        loop_.run_ready();
    }

    /// A worker that begins what is due, and of which nothing is heard from then on.
    void begin_and_vanish(const incarnation_id& worker) {
        ops::register_worker known;
        known.worker.incarnation = worker;
        ask(known);
        start(worker);
        store_.before = refuse;
        stop();
        store_.before = nullptr;
    }

    void bury(const incarnation_id& worker) {
        ask(ops::set_worker_state{worker, ops::worker_state::dead});
    }

    void stop(milliseconds grace = milliseconds{0}) {
        if (pump_) {
            loop_.run(pump_->stop(deadline{loop_.now() + grace}));
            pump_.reset();
        }
    }

    template <class Op>
    typename Op::answer ask(Op request) {
        auto answer = loop_.run(memory_->run(std::move(request)));
        EXPECT_TRUE(answer.has_value());
        return std::move(*answer);
    }

    /// Commits an event for a channel and queues its delivery, as a lane does when it defers one.
    outbound_item defer(
        std::string event,
        std::string address = "555",
        std::string channel = "phone",
        incarnation_id owner = worker_one()
    ) {
        outbound_item item = defer_elsewhere(
            std::move(event), std::move(address), std::move(channel), std::move(owner)
        );
        if (pump_) {
            pump_->notify_deferred({item});
            loop_.run_ready();
        }
        return item;
    }

    /// The same on another worker: the pump is not told.
    outbound_item defer_elsewhere(
        std::string event,
        std::string address = "555",
        std::string channel = "phone",
        incarnation_id owner = worker_two()
    ) {
        const room stored = ask(ops::get_room{acme(), room_id{"r"}});
        batch_on batch{stored};
        batch.add(make_message(event)).deliver_to(channel, owner);
        batch.commit().deliveries.back().address = address;
        const delivery_row row = batch.commit().deliveries.back();
        ask(batch.take());
        outbound_item item = make_outbound(row);
        item.not_before = clock_.now();
        item.id = ask(ops::put_outbound{item});
        return item;
    }

    [[nodiscard]] delivery_row row_of(const outbound_item& item) {
        const auto rows = ask(ops::list_deliveries{item.room, item.event});
        return rows.at(0);
    }

    [[nodiscard]] bool is_queued(const outbound_item& item) {
        for (const auto& line : ask(ops::list_outbound_addresses{})) {
            if (line.channel == item.channel && line.address == item.address) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] std::vector<framework_event> notices() { return ask(ops::list_notices{}); }

    [[nodiscard]] std::vector<std::string> sent_events() const {
        std::vector<std::string> events;
        for (const delivery_request& request : phone_->sent()) {
            events.push_back(request.event.id.str());
        }
        return events;
    }

    static awaitable<result<organization_id>> organization(OutboundPump* self) {
        if (self->is_room_gone_) {
            co_return errc::not_found;
        }
        co_return acme();
    }

    manual_loop loop_;
    loop_clock clock_{loop_};
    std::unique_ptr<conversation_store> memory_ = make_memory_store(clock_);
    interposed_store store_{*memory_};
    std::unique_ptr<lock_manager> locks_ = make_in_memory_lock_manager(loop_);
    channel_registry channels_;
    outbound_order order_{store_};
    scripted_random random_{{0x00}};  // the least jitter: a delay is 0.8 of what the policy says
    target_runner runner_{target_runner::parts{&loop_, &channels_, &order_, &random_}};
    std::shared_ptr<scripted_channel> phone_ = std::make_shared<scripted_channel>(channel_id{"phone"
    });
    bool is_room_gone_ = false;
    std::optional<outbound_pump> pump_;
};

}  // namespace convene
