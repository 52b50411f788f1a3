// SPDX-License-Identifier: Apache-2.0
// An executor whose clock moves only when told: days of timers run in milliseconds.
#pragma once

#include "convene/executor.hpp"
#include "convene/task_scope.hpp"

#include <memory>
#include <optional>

namespace convene {

/// The executor of unit tests.
///
/// *Thread safety*: one thread; `post_external` runs in place, so a `blocking_pool` needs a `loop`.
class manual_loop final : public executor {
   public:
    void post(job& work) noexcept override { ready_.push_back(work); }

    void post_external(std::unique_ptr<external_job> work) override { work->run(); }

    void arm(timer& t, monotonic_time at) noexcept override { timers_.arm(t, at); }

    [[nodiscard]] monotonic_time now() const noexcept override { return now_; }

    [[nodiscard]] bool is_abandoned() const noexcept override { return abandoned_; }

    /// Runs all that is ready or due without moving the clock.
    void run_ready();

    /// Moves the clock, firing timers on the way in their order.
    void advance(std::chrono::nanoseconds span);

    /// Runs and moves the clock until `work` has ended; returns what it yields. Aborts when nothing
    /// is left that could end it.
    template <class T>
    T run(awaitable<T> work) {
        std::optional<T> value;
        run_task(store_into(&value, std::move(work)));
        return std::move(*value);
    }

    void run(awaitable<void> work) { run_task(std::move(work)); }

    /// From now on nothing runs any more, as in a crashed process: what is left may be dropped.
    void abandon() noexcept { abandoned_ = true; }

   private:
    template <class T>
    static awaitable<void> store_into(std::optional<T>* into, awaitable<T> work) {
        into->emplace(co_await std::move(work));
    }

    void run_task(awaitable<void> work);
    void move_to_next_timer();

    // Not zero, so that tests can name earlier times.
    monotonic_time now_{std::chrono::hours{1}};
    bool abandoned_ = false;
    job_queue ready_;
    timer_queue timers_;
};

}  // namespace convene
