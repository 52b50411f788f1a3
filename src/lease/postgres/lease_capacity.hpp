// SPDX-License-Identifier: Apache-2.0
// How many more leases may be taken: the lock table of the whole server is finite, and a full one refuses everybody
// everything, connections too.
#pragma once

#include "convene/awaitable.hpp"

#include <cstddef>

#include "lease/postgres/lease_session.hpp"

namespace convene::postgres {

/// Counts the advisory locks of the server once a minute. Beyond 50 % of what surely fits it warns; beyond 70 % new
/// leases are refused until others were given back.
///
/// *Thread safety*: loop only. *Lifetime*: the session outlives it; `run` has ended before it is destroyed.
class lease_capacity {
   public:
    /// `most_held`: by this worker.
    lease_capacity(lease_session& session, std::size_t most_held)
        : session_(session), most_held_(most_held) {}

    /// Counts until it is cancelled.
    [[nodiscard]] awaitable<void> run();

    /// Whether one more fits beside those that this worker holds.
    [[nodiscard]] bool has_room(std::size_t held) const noexcept {
        return held < most_held_ && !is_server_full_;
    }

   private:
    [[nodiscard]] awaitable<result<>> count();

    lease_session& session_;
    const std::size_t most_held_;
    bool is_server_full_ = false;
};

}  // namespace convene::postgres
