// SPDX-License-Identifier: Apache-2.0
// The connection that steps of lanes are written over, and the statement that writes them.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/loop.hpp"

#include <memory>
#include <vector>

#include "postgres/connection.hpp"
#include "postgres/handle.hpp"
#include "store/step_batches.hpp"

namespace convene::postgres {

/// Writes the ends of delivery sets, of all rooms of a worker, over one connection: one statement a round trip, in a
/// transaction of its own. What comes while one is on its way goes with the next, so that the busier the rooms are,
/// the less a step costs (decision 0010).
///
/// A connection that broke is replaced when the next step comes.
/// *Thread safety*: loop only. *Lifetime*: the loop outlives it; closed before it is destroyed, unless
/// nothing was written.
class step_writer final : private step_sender {
   public:
    step_writer(loop* where, session_options options);
    step_writer(const step_writer&) = delete;
    step_writer& operator=(const step_writer&) = delete;
    ~step_writer();

    /// *Cancellation*: shielded; what was sent is answered. *Errors*: those of `ops::finish_set`, `unavailable` (no
    /// connection), `outcome_unknown`, `store_busy`. *Requires*: `step_batches::can_write`.
    [[nodiscard]] awaitable<result<ops::finish_set::answer>> write(ops::finish_set step);

    /// Writes what waits, refuses the rest and closes the connection. Idempotent.
    [[nodiscard]] awaitable<void> close();

   private:
    class session;

    [[nodiscard]] awaitable<sent_steps> send(step_batch steps) override;

    const std::unique_ptr<session> session_;
    step_batches batches_;
};

}  // namespace convene::postgres
