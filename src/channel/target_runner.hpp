// SPDX-License-Identifier: Apache-2.0
// The target runner: brings one event to one channel, or says why not and when to try again.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/channel.hpp"
#include "convene/random.hpp"

#include <functional>
#include <memory>
#include <optional>

#include "channel/circuit_breaker.hpp"
#include "channel/destination.hpp"
#include "channel/rate_limiter.hpp"
#include "channel/target_outcome.hpp"

namespace convene {

class channel_registry;
class outbound_order;

/// One channel row of an event, and under which conditions it is executed.
struct delivery_target {
    delivery_row row;  ///< its attempts so far count
    room_event event;
    convene::binding binding;

    /// Nothing is waited for beyond this (a set's deadline): what would have to wait longer is
    /// deferred. An attempt that has begun is not cut short by it.
    deadline wait_until = deadline::never();

    /// While false nothing new is started: the lease that protects the work is suspect. Unset:
    /// always true.
    std::function<bool()> may_start;

    std::optional<event_cause> cause{};  ///< goes with every attempt
};

/// Executes targets, any number at a time, and remembers how their destinations behave.
///
/// An attempt passes, in this order: the lease is held, the circuit breaker of its destination, the
/// rate limit of the binding or its channel, the channel's own deadline for an attempt. A failed one is repeated
/// by the binding's retry policy, or its channel's. *Thread safety*: loop only. *Lifetime*: outlives the runs; the
/// parts outlive it.
class target_runner {
   public:
    struct parts {
        executor* where = nullptr;
        const channel_registry* channels = nullptr;
        const outbound_order* order = nullptr;
        random_source* random = nullptr;
    };

    explicit target_runner(parts given) : parts_(given) {}

    target_runner(const target_runner&) = delete;
    target_runner& operator=(const target_runner&) = delete;

    /// Executes a target of a delivery set. One whose destination has items in the outbound queue
    /// is deferred behind them at once.
    ///
    /// Nothing that a channel does is an error here: it makes a `failed` or `deferred` outcome of
    /// this target. *Errors*: only those of a cancellation (`cancelled`, `timed_out`,
    /// `lease_lost`): nothing is known to have been sent, and nothing is to be recorded.
    /// *Cancellation*: at any wait. An attempt that ends as sent although it was cancelled is an
    /// outcome.
    [[nodiscard]] awaitable<result<target_outcome>> run(delivery_target target);

    /// The same for the head of the outbound queue, which has nobody to queue behind.
    [[nodiscard]] awaitable<result<target_outcome>> run_head(delivery_target target);

    /// How often a delivery to a binding is tried again: by its own policy, else its channel's.
    [[nodiscard]] retry_policy retry_of(const binding& to) const;

    /// What is remembered of destinations; they may be closed.
    [[nodiscard]] const destination_map<circuit_breaker>& breakers() const noexcept {
        return breakers_;
    }

   private:
    /// Leave for an attempt, or what would have to be waited for longer than is allowed.
    struct admission {
        std::optional<circuit_breaker::permit> permit;
        std::chrono::nanoseconds too_long{};
        const char* reason = "";
    };

    awaitable<result<target_outcome>> run_attempts(
        delivery_target target, std::shared_ptr<transport_channel> to
    );
    awaitable<result<admission>> admit(
        const delivery_target* target, std::shared_ptr<transport_channel> through
    );
    awaitable<result<send_result>> attempt(
        std::shared_ptr<transport_channel> to, delivery_request request
    );
    awaitable<result<>> until_may_start(const delivery_target* target);
    awaitable<result<>> wait_if_ahead(deadline at);

    /// Takes the notices that are due for the destination along.
    target_outcome outcome_of(delivery_state state, const delivery_row& row, delivery_outcome last);
    target_outcome failed(const delivery_row& row, const char* code, const char* message);
    target_outcome deferred(
        const delivery_row& row, delivery_outcome last, std::chrono::nanoseconds wait
    );

    // fixed after construction
    const parts parts_;

    // touched on the loop only
    destination_map<circuit_breaker> breakers_;
    destination_map<rate_limiter> limiters_;
};

}  // namespace convene
