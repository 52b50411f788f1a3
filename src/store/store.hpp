// SPDX-License-Identifier: Apache-2.0
// The conversation store port: operations are values, and a commit happens under a room's tenure.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/conversation_store.hpp"
#include "convene/lease.hpp"

#include <memory>
#include <optional>
#include <string>

#include "store/operation.hpp"
#include "store/operations/access.hpp"
#include "store/operations/deliveries.hpp"
#include "store/operations/engine.hpp"
#include "store/operations/people.hpp"
#include "store/operations/rooms.hpp"
#include "store/operations/timeline.hpp"

namespace convene {

/// The room lock together with what was read under it.
///
/// Move-only; dropping it gives the lock back as dirty.
struct room_tenure {
    std::unique_ptr<lease> lock;
    ops::load_room_head::answer head;
    wall_time entered_at{
    };  ///< by the store's clock, once the lock was granted; 0 where the store does not say
    std::optional<std::int64_t>
        lock_epoch;  ///< the fence, where the lock's connection can't carry the commit
};

enum class unlock_mode {
    keep,     ///< the lock stays for another batch or a retry
    release,  ///< given back once the commit is visible, in the same round trip where the store can
};

/// Where rooms live.
///
/// *Thread safety*: loop only. *Lifetime*: closed before it is destroyed.
/// *Errors*: each operation's own, and for all: `timed_out`, `cancelled`, `unavailable`, `connection_lost`
/// (nothing changed), `outcome_unknown` (a write was sent and no answer came), `store_busy`, `io_failed`.
class conversation_store {
   public:
    virtual ~conversation_store() = default;

    /// Runs one operation. *Cancellation*: a read may be left at any time; a write that was sent runs to its end
    /// and is answered.
    template <class Op>
    [[nodiscard]] awaitable<result<typename Op::answer>> run(Op request);

    /// Takes the room lock and reads the room and the keys after it was granted.
    /// The default acquires from `locks`, fences with `lock_epoch` unless the store is the only writer, and
    /// reads. *Errors*: those of `lock_manager::acquire` and `load_room_head`.
    [[nodiscard]] virtual awaitable<result<room_tenure>> enter_room(
        lock_manager* locks, ops::load_room_head head, deadline until
    );

    /// Commits under a tenure. **The commit point of a room.** Not cancellable once sent.
    /// With `unlock_mode::release` the lock is given back only after the commit is visible. After an error it may be gone
    /// as well: then the tenure has none.
    [[nodiscard]] virtual awaitable<result<ops::commit::answer>> commit(
        room_tenure* tenure, ops::commit batch, unlock_mode after
    );

    /// Finishes what runs, refuses the rest. Idempotent.
    [[nodiscard]] virtual awaitable<void> close() = 0;

    /// The name in warnings and logs: `SqliteStore`, `PostgresStore`, ...
    [[nodiscard]] virtual std::string name() const = 0;

    /// True if rooms survive the process and other processes could write them: such a store needs locks that
    /// those processes see too.
    [[nodiscard]] virtual bool is_shared_between_processes() const noexcept = 0;

   protected:
    /// Applies `request`. On an error the request's answer is not looked at, and may still be written later
    /// by a thread that is busy with it.
    [[nodiscard]] virtual awaitable<result<>> execute(std::shared_ptr<operation> request) = 0;
};

template <class Op>
awaitable<result<typename Op::answer>> conversation_store::run(Op request) {
    // Shared with the store while it runs: a cancelled read may leave before its answer comes.
    auto running = std::make_shared<detail::typed_operation<Op>>(std::move(request));
    const result<> executed = co_await execute(running);
    if (!executed) {
        co_return executed.error();
    }
    co_return running->take();
}

}  // namespace convene
