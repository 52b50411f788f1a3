// SPDX-License-Identifier: Apache-2.0
// Proves that workers are dead, and writes it down (engine.md 3).
#pragma once

#include "convene/awaitable.hpp"
#include "convene/ids.hpp"

#include <string>
#include <vector>

#include "lease/postgres/lease_session.hpp"

namespace convene::postgres {

/// Every connection of a worker holds the worker's liveness key, shared, for as long as it lives. Whoever gets the key
/// exclusively has proof that no connection of that worker exists: nothing of it runs, and nothing can arrive later.
/// The prover still holds the key when it writes `state = dead`, which is what others act on.
///
/// *Thread safety*: loop only. *Lifetime*: the session outlives it; `run` has ended before it is destroyed.
class death_watch {
   public:
    death_watch(lease_session& session, incarnation_id self)
        : session_(session), self_(std::move(self)) {}

    /// Looks every 500 ms until it is cancelled.
    [[nodiscard]] awaitable<void> run();

   private:
    [[nodiscard]] awaitable<result<>> look();
    [[nodiscard]] awaitable<result<std::vector<incarnation_id>>> others_alive();
    [[nodiscard]] awaitable<result<>> confirm_and_bury(std::vector<incarnation_id> silent);
    [[nodiscard]] bool may_judge() const noexcept;

    lease_session& session_;
    const incarnation_id self_;
};

}  // namespace convene::postgres
