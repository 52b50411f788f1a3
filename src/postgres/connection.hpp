// SPDX-License-Identifier: Apache-2.0
// One PostgreSQL connection that the loop drives: requests in pipeline mode, and notifications.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/blocking_pool.hpp"
#include "convene/loop.hpp"

#include <memory>
#include <string>
#include <vector>

#include "postgres/handle.hpp"
#include "postgres/request.hpp"

namespace convene::postgres {

/// What another session said with NOTIFY.
struct notification {
    std::string channel;
    std::string payload;
    int session = 0;  ///< the server's number of the one that said it
};

/// *Thread safety*: loop only. *Lifetime*: the loop outlives it; it is destroyed while nothing waits for it.
class connection {
   public:
    /// `helpers` sends cancel requests, which block; it outlives the connection.
    connection(loop& where, blocking_pool& helpers, connection_handle opened);
    ~connection();

    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    /// Sends a request and waits for all of its answers, one for each statement, in order. One at a time.
    ///
    /// *Cancellation*: at any time; the server is asked to stop, and the connection is broken and closed, since what it
    /// was doing is not known.
    /// *Errors*: `connection_lost`, or the reason of the cancellation: in both cases the outcome of statements that
    /// write is unknown. What a statement itself failed with is in its answer.
    [[nodiscard]] awaitable<result<std::vector<answer>>> run(request sent);

    /// Waits for notifications; answers those that came. *Cancellation*: at any time, without harm.
    /// *Errors*: `connection_lost`.
    [[nodiscard]] awaitable<result<std::vector<notification>>> wait_for_notifications();

    /// Notifications that arrived with answers.
    [[nodiscard]] std::vector<notification> take_notifications();

    /// True once it is of no more use.
    [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }

    /// Breaks it: the server rolls back, and lets go of the locks, when it notices.
    void close() noexcept;

   private:
    class implementation;

    /// So that a statement that waits for a lock does not go on waiting for nobody.
    void ask_to_stop();

    blocking_pool& helpers_;
    std::unique_ptr<implementation> impl_;
    bool is_broken_ = false;
};

}  // namespace convene::postgres
