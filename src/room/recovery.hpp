// SPDX-License-Identifier: Apache-2.0
// The sweep: finds what dead workers left behind and wakes the lanes that can take it over.
#pragma once

#include "convene/task_scope.hpp"

#include <optional>

#include "room/engine_core.hpp"

namespace convene {

/// Runs once at start, and then every 500 ms where other workers may die (engine.md 5, "Sweep").
/// *Lifetime*: its loop runs in the scope it was started in.
class recovery {
   public:
    explicit recovery(engine_core* core) : core_(*core) {}

    void start(task_scope* scope) { scope->spawn("recovery sweep", run()); }

   private:
    [[nodiscard]] awaitable<void> run();
    [[nodiscard]] awaitable<result<>> sweep(std::optional<incarnation_id> also_of);

    engine_core& core_;
};

}  // namespace convene
