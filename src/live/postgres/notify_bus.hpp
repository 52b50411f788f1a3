// SPDX-License-Identifier: Apache-2.0
// The bus of workers that share a PostgreSQL database: LISTEN and NOTIFY on a connection of its own.
#pragma once

#include "convene/cancellation.hpp"
#include "convene/loop.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <set>
#include <string>
#include <vector>

#include "live/worker_bus.hpp"
#include "postgres/connector.hpp"

namespace convene {

/// Collects what is said for 5 ms and sends it in one round trip, outside of every commit. While the database can't be
/// reached nothing is heard; afterwards everybody is told that something may have been missed.
///
/// *Thread safety*: loop only. *Lifetime*: the loop outlives it; `stop` is awaited before it is destroyed.
class notify_bus final : public worker_bus {
   public:
    /// `self`: what others call this worker; what it says itself it does not hear.
    notify_bus(loop& where, std::string address, incarnation_id self);

    void start();

    /// Idempotent.
    [[nodiscard]] awaitable<void> stop();

    void publish(room_news news) override;
    [[nodiscard]] awaitable<result<heard_news>> hear() override;

    [[nodiscard]] bool is_connected() const noexcept override { return is_connected_; }

   private:
    [[nodiscard]] awaitable<void> run();
    [[nodiscard]] awaitable<void> serve(postgres::connection* open);
    [[nodiscard]] awaitable<result<>> say(postgres::connection* open);
    void take(const std::vector<postgres::notification>& came);

    // fixed after construction
    const incarnation_id self_;
    postgres::connector opener_;

    // touched on the loop only
    std::set<room_news> unsaid_;
    bool has_lost_words_ =
        false;  ///< more was to be said than is kept: everybody looks at everything
    cancel_source* waiting_ =
        nullptr;  ///< of the wait for notifications, to end it when something is to be said
    heard_news heard_;
    wait_flag arrived_;
    bool is_connected_ = false;

    // the last member: its task uses the others
    task_scope scope_;
};

}  // namespace convene
