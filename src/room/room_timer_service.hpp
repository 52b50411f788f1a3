// SPDX-License-Identifier: Apache-2.0
// Pauses idle rooms and closes paused ones, in one elected worker.
#pragma once

#include "convene/task_scope.hpp"

#include "room/engine_core.hpp"

namespace convene {

/// Holds the leader lease `room-timers` while it works (R5). *Lifetime*: runs in the scope it was started in.
class room_timer_service {
   public:
    explicit room_timer_service(engine_core* core) : core_(*core) {}

    void start(task_scope* scope) { scope->spawn("room timers", run()); }

   private:
    [[nodiscard]] awaitable<void> run();
    [[nodiscard]] awaitable<void> lead(lease* leadership);

    engine_core& core_;
};

}  // namespace convene
