// SPDX-License-Identifier: Apache-2.0
// How a room lock and the commit under it share one connection: losing the lock is losing the commit (L7).
#pragma once

#include "convene/awaitable.hpp"
#include "convene/lease.hpp"

#include <memory>
#include <vector>

#include "postgres/connection.hpp"

namespace convene::postgres {

/// A lease whose lock lives on a connection that is lent to the commit.
///
/// Somebody who closes the connection has lost the lease, and knows it.
class lending_lease : public lease {
   public:
    /// *Lifetime*: until the lease is released or dropped. Null once it is lost.
    [[nodiscard]] virtual connection* lent() noexcept = 0;

    /// A request of the holder has given the lock back: what is left to do is to look whether it was still held, and to
    /// let the next one have it. `unlocked` is the answer of `pg_advisory_unlock`.
    virtual void released_by(answer& unlocked) noexcept = 0;
};

/// A lock manager that can read in the round trip that takes a room's lock.
class room_locker {
   public:
    struct entered {
        std::unique_ptr<lending_lease> held;
        std::vector<answer> answers;  ///< of what was read, after the lock was granted
    };

    /// Takes a room's lock and then reads, each in a transaction of its own: what is read is as it was when the lock
    /// had been granted, not when it was asked for.
    /// *Cancellation*, *Errors*: as `lock_manager::acquire`, and `connection_lost`.
    [[nodiscard]] virtual awaitable<result<entered>> enter(
        lease_name room, request reads, deadline until
    ) = 0;

   protected:
    ~room_locker() = default;
};

}  // namespace convene::postgres
