// SPDX-License-Identifier: Apache-2.0
// The locks of many processes: session-level advisory locks of the PostgreSQL database that they share.
#pragma once

#include "convene/error.hpp"
#include "convene/ids.hpp"
#include "convene/lease.hpp"
#include "convene/loop.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace convene {

struct postgres_lock_options {
    /// As in `postgres_options`; it has to reach the same database without a pooler that changes sessions.
    std::string address;
    incarnation_id incarnation;      ///< the worker that holds the locks
    std::size_t max_size = 8;        ///< connections that hold room locks, at least 3
    std::size_t max_leases = 2'000;  ///< claims, drivers and the like; more are `lease_capacity`
};

/// Room locks live on connections that they lend to the commit; all other leases share one watched session.
///
/// It also proves the death of other workers and writes it down (L10), which is what recovery acts on.
///
/// Call `start` from the loop before the first lease: until then long leases are `unavailable`. *Thread safety*: loop only.
/// *Lifetime*: the loop outlives it; closed before it is destroyed.
class postgres_lock_manager : public lock_manager {
   public:
    /// Opens the session that holds long leases. *Errors*: `unavailable`, `incarnation_dead`.
    [[nodiscard]] virtual awaitable<result<>> start() = 0;

    /// Connections that are open now.
    [[nodiscard]] virtual std::size_t connections() const noexcept = 0;
};

/// A name for this start of a worker, which no other start has: for its store, its locks and its kit.
[[nodiscard]] incarnation_id make_incarnation();

[[nodiscard]] std::unique_ptr<postgres_lock_manager> make_postgres_lock_manager(
    loop& where, const postgres_lock_options& options
);

}  // namespace convene
