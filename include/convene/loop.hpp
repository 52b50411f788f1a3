// SPDX-License-Identifier: Apache-2.0
// `loop`: the executor of a process, one thread that runs everything.
#pragma once

#include "convene/executor.hpp"
#include "convene/task_scope.hpp"

#include <memory>
#include <optional>

namespace convene {

/// The event loop of one worker. It waits in the operating system when nothing is ready.
///
/// *Thread safety*: `run`, `run_until_done` and everything that runs inside belong to one thread;
/// `stop` and `post_external` may be called from any, but not from a signal handler.
class loop final : public executor {
   public:
    loop();
    ~loop() override;

    void post(job& work) noexcept override;
    void post_external(std::unique_ptr<external_job> work) override;
    void arm(timer& t, monotonic_time at) noexcept override;
    [[nodiscard]] monotonic_time now() const noexcept override;

    /// Runs until `stop` is called.
    void run();

    /// Makes `run` return after the turn it is in; if none is running, the next one returns at
    /// once.
    void stop();

    /// Runs the loop until `work` has ended and returns what it yields. `stop` has no effect on it.
    template <class T>
    T run_until_done(awaitable<T> work) {
        std::optional<T> value;
        run_task(store_into(&value, std::move(work)));
        return std::move(*value);
    }

    void run_until_done(awaitable<void> work) { run_task(std::move(work)); }

   private:
    /// Gives adapters the reactor below; see `runtime/loop_reactor.hpp`.
    friend class loop_reactor;

    class implementation;

    template <class T>
    static awaitable<void> store_into(std::optional<T>* into, awaitable<T> work) {
        into->emplace(co_await std::move(work));
    }

    void run_task(awaitable<void> work);

    std::unique_ptr<implementation> impl_;
};

}  // namespace convene
