// SPDX-License-Identifier: Apache-2.0
// Opens connections for the loop, off the loop: names, TLS and passwords take their time.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/blocking_pool.hpp"
#include "convene/loop.hpp"

#include <memory>

#include "postgres/connection.hpp"

namespace convene::postgres {

/// *Thread safety*: loop only. *Lifetime*: the loop outlives it.
class connector {
   public:
    connector(loop& where, session_options options)
        : where_(where), options_(std::move(options)), threads_(max_at_once) {}

    /// *Cancellation*: at any time; a connection that opens later is closed.
    /// *Errors*: those of `connect`.
    [[nodiscard]] awaitable<result<std::unique_ptr<connection>>> open(session_kind kind);

   private:
    static constexpr std::size_t max_at_once = 2;

    loop& where_;
    const session_options options_;
    blocking_pool threads_;
};

}  // namespace convene::postgres
