// SPDX-License-Identifier: Apache-2.0
// Steps of lanes, written together: what one transaction and one sync to disk pay for.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/loop.hpp"
#include "convene/wait.hpp"

#include <deque>
#include <memory>
#include <vector>

#include "postgres/connection.hpp"
#include "postgres/handle.hpp"
#include "store/calls_under_way.hpp"
#include "store/operations/deliveries.hpp"

namespace convene::postgres {

/// Writes the ends of delivery sets, of all rooms of a worker, over one connection: one statement a round trip, in a
/// transaction of its own. What comes while one is on its way goes with the next, so that the busier the rooms are,
/// the less a step costs (decision 0010).
///
/// A connection that broke is replaced when the next step comes.
/// *Thread safety*: loop only. *Lifetime*: the loop outlives it; closed before it is destroyed, unless
/// nothing was written.
class step_writer {
   public:
    step_writer(loop* where, session_options options);
    ~step_writer();

    /// Whether it can write the step: those with more than results are rare, and go as operations.
    [[nodiscard]] static bool can_write(const ops::finish_set& step) noexcept;

    /// *Cancellation*: shielded; what was sent is answered. *Errors*: those of `ops::finish_set`, `unavailable` (no
    /// connection), `outcome_unknown`, `store_busy`.
    [[nodiscard]] awaitable<result<ops::finish_set::answer>> write(ops::finish_set step);

    /// Writes what waits, refuses the rest and closes the connection. Idempotent.
    [[nodiscard]] awaitable<void> close();

   private:
    class session;
    struct waiting;
    using batch = std::vector<std::shared_ptr<waiting>>;

    [[nodiscard]] awaitable<result<ops::finish_set::answer>> wait_or_write(ops::finish_set step);
    [[nodiscard]] awaitable<void> write_next();
    [[nodiscard]] batch take_batch();
    void take_answers(const batch& sent, result<std::vector<answer>> answers);

    const std::unique_ptr<session> session_;
    std::deque<std::shared_ptr<waiting>> queue_;
    bool is_writing_ = false;
    bool is_closing_ = false;
    calls_under_way calls_;
};

}  // namespace convene::postgres
