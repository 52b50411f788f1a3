// SPDX-License-Identifier: Apache-2.0
// Erases what is kept no longer, in one elected worker: events, attachments, rooms, organisations (R20), and what agents'
// runs left.
#pragma once

#include "convene/task_scope.hpp"

#include "room/engine_core.hpp"
#include "store/operations/retention.hpp"

namespace convene {

/// Holds the leader lease `retention` while it works. Each step is small and a transaction of its own, so that
/// nothing else waits for it, and it goes on where it was after a crash.
/// *Lifetime*: runs in the scope it was started in.
class retention_service {
   public:
    explicit retention_service(engine_core* core) : core_(*core) {}

    void start(task_scope* scope) { scope->spawn("retention", run()); }

    [[nodiscard]] const room_kit::retention_figures& figures() const noexcept { return figures_; }

   private:
    [[nodiscard]] awaitable<void> run();
    [[nodiscard]] awaitable<void> lead(lease* leadership);
    [[nodiscard]] awaitable<result<>> erase_attachments();
    [[nodiscard]] awaitable<result<>> erase_organizations();
    [[nodiscard]] awaitable<result<>> prune_streams();
    [[nodiscard]] awaitable<result<>> prune_runs();
    [[nodiscard]] awaitable<result<>> apply_policies();
    [[nodiscard]] awaitable<result<>> apply_to(organization_id organization, room_id room);

    engine_core& core_;
    room_kit::retention_figures figures_;
};

}  // namespace convene
