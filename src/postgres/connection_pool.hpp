// SPDX-License-Identifier: Apache-2.0
// A capped number of connections that are lent one at a time.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/wait.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "postgres/connector.hpp"

namespace convene::postgres {

/// Opens connections when they are needed, keeps them warm, and never has more than its cap.
///
/// *Thread safety*: loop only. *Lifetime*: closed before it is destroyed; everything lent was given back.
class connection_pool {
   public:
    connection_pool(connector& opener, session_kind kind, std::size_t cap);

    /// Lends a connection; those who wait look again, in the order they came, when one comes back.
    /// *Cancellation*: at any time. *Errors*: `unavailable` (no connection, or closing), `cancelled`, `timed_out`.
    [[nodiscard]] awaitable<result<std::unique_ptr<connection>>> take();

    /// Gives one back. A broken one is dropped, and its place is free for another.
    void give_back(std::unique_ptr<connection> lent);

    /// Keeps idle connections from being ended by the server. Runs until it is cancelled.
    [[nodiscard]] awaitable<void> keep_warm();

    /// Refuses to lend and drops what is idle.
    void close() noexcept;

    [[nodiscard]] std::size_t open() const noexcept { return open_; }

    [[nodiscard]] std::size_t cap() const noexcept { return cap_; }

   private:
    [[nodiscard]] awaitable<result<std::unique_ptr<connection>>> open_one();

    connector& opener_;
    const session_kind kind_;
    const std::size_t cap_;
    std::size_t open_ = 0;  ///< lent, idle, or being opened
    std::vector<std::unique_ptr<connection>> idle_;
    wait_flag changed_;
    bool is_closing_ = false;
};

}  // namespace convene::postgres
