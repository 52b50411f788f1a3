// SPDX-License-Identifier: Apache-2.0
// Steps of lanes that are stored together: whose turn it is to send, what goes into one transaction, and what is done
// with one that failed.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/wait.hpp"

#include <deque>
#include <memory>
#include <vector>

#include "store/calls_under_way.hpp"
#include "store/operations/deliveries.hpp"

namespace convene {

/// Steps of different rooms, in the order they came.
using step_batch = std::vector<std::shared_ptr<const ops::finish_set>>;

/// What became of a transaction.
struct sent_steps {
    std::vector<result<ops::finish_set::answer>> answers;  ///< one for each, unless it failed
    error_code failure;                                    ///< nothing is stored, or nobody knows
    bool has_offender = false;  ///< it failed because of what one of them holds
};

/// Stores steps in a transaction of their own.
class step_sender {
   public:
    /// A step that misses its compare is answered so, and does not hinder the others. Never cancelled.
    [[nodiscard]] virtual awaitable<sent_steps> send(step_batch steps) = 0;

   protected:
    ~step_sender() = default;
};

/// Lets steps that come while others are on their way go together, with the next transaction (decision 0010).
///
/// *Thread safety*: loop only. *Lifetime*: closed before it is destroyed, unless nothing was written.
class step_batches {
   public:
    /// `sender` outlives it.
    explicit step_batches(step_sender& sender) : sender_(sender) {}

    /// Whether the step can go with others: those with more than results are rare, and go as operations.
    [[nodiscard]] static bool can_write(const ops::finish_set& step) noexcept;

    /// *Cancellation*: shielded; what was sent is answered. *Errors*: those of `ops::finish_set` and of the sender,
    /// `unavailable` (closed).
    [[nodiscard]] awaitable<result<ops::finish_set::answer>> write(ops::finish_set step);

    /// Writes what waits and refuses the rest. Idempotent.
    [[nodiscard]] awaitable<void> close();

   private:
    struct waiting;
    using batch = std::vector<std::shared_ptr<waiting>>;

    [[nodiscard]] awaitable<result<ops::finish_set::answer>> wait_or_write(ops::finish_set step);
    [[nodiscard]] awaitable<void> write_next();
    [[nodiscard]] batch take_batch();
    void take_answers(const batch& sent, sent_steps outcome);

    step_sender& sender_;
    std::deque<std::shared_ptr<waiting>> queue_;
    bool is_writing_ = false;
    bool is_closing_ = false;
    calls_under_way calls_;
};

}  // namespace convene
