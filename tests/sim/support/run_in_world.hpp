// SPDX-License-Identifier: Apache-2.0
// Runs one coroutine of a simulated process to its end, for tests of the simulation itself.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/task_scope.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "base/assert.hpp"
#include "sim/support/world.hpp"

namespace convene {

/// Starts coroutines on one process and waits for them.
class sim_runner {
   public:
    sim_runner(sim_world& world, sim_executor& where) : world_(world), scope_(where) {}

    /// Runs the world until `work` has ended. *Requires*: it ends within an hour of the world's time.
    template <class T>
    T run(awaitable<T> work) {
        std::optional<T> value;
        scope_.spawn("sim_runner.run", store_into(&value, std::move(work)));
        const bool ended = world_.run_until(
            [&] { return value.has_value(); }, std::chrono::hours{1}
        );
        CONVENE_ASSERT(ended, "the work never ends");
        world_.run_until([&] { return scope_.size() == 0; }, std::chrono::hours{1});
        return std::move(*value);
    }

    /// Starts work that `into` tells the result of.
    template <class T>
    void start(std::optional<T>& into, awaitable<T> work) {
        scope_.spawn("sim_runner.start", store_into(&into, std::move(work)));
    }

   private:
    template <class T>
    static awaitable<void> store_into(std::optional<T>* into, awaitable<T> work) {
        into->emplace(co_await std::move(work));
    }

    sim_world& world_;
    task_scope scope_;
};

}  // namespace convene
