// SPDX-License-Identifier: Apache-2.0
// The second connection of a worker's leases: hears of them, and shows them.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/cancellation.hpp"
#include "convene/loop.hpp"
#include "convene/wait.hpp"

#include <functional>
#include <list>
#include <memory>
#include <vector>

#include "lease/lease_board.hpp"
#include "postgres/connector.hpp"

namespace convene::postgres {

/// Hears what other workers say of leases, writes down which ones this worker holds, and answers questions about them.
/// Apart from the session that holds the locks, so that none of this ever delays a lease.
///
/// *Thread safety*: loop only. *Lifetime*: `run` has ended before it is destroyed.
class lease_bus {
   public:
    struct parts {
        loop* where = nullptr;
        connector* opener = nullptr;
        incarnation_id self;
        std::function<void(const notification&)> hear;
        std::function<std::vector<shown_lease>()> show;  ///< what this worker holds and waits for
    };

    explicit lease_bus(parts with) : parts_(std::move(with)) {}

    lease_bus(const lease_bus&) = delete;
    lease_bus& operator=(const lease_bus&) = delete;

    /// Listens and writes until it is cancelled; opens another connection when one is lost.
    [[nodiscard]] awaitable<void> run();

    /// Sends statements, once there is a connection. *Cancellation*: at any time; statements that write may have been run.
    /// *Errors*: `unavailable` (it can't connect, or has ended), `connection_lost`, `cancelled`, `timed_out`; what a statement failed
    /// with is in its answer.
    [[nodiscard]] awaitable<result<std::vector<answer>>> ask(request sent);

    /// What other workers show, by those of them that live. *Errors*: those of `ask`, and why the database refused.
    [[nodiscard]] awaitable<result<std::vector<board_line>>> read_others();

    /// Takes this worker off the board, if it may be there. *Errors*: those of `ask`.
    [[nodiscard]] awaitable<result<>> leave_board();

    [[nodiscard]] bool is_open() const noexcept { return is_open_; }

   private:
    struct question {
        request sent;
        bool is_wanted = true;  ///< false: its caller has left
        wait_flag done;
        result<std::vector<answer>> answers{errc::unavailable};
    };

    [[nodiscard]] awaitable<void> serve(connection* open);
    [[nodiscard]] awaitable<result<>> answer_questions(connection* open);
    [[nodiscard]] awaitable<result<>> update_board(connection* open);
    void hear_all(const std::vector<notification>& came);
    void refuse_questions();

    const parts parts_;
    lease_board board_;
    std::list<std::shared_ptr<question>> questions_;
    cancel_source* waiting_ = nullptr;  ///< of the wait for notifications, to end it for a question
    bool is_open_ = false;
    bool has_ended_ = false;
};

/// Adds the statement that takes dead or stopped workers off the board.
void add_board_removal(request* sent, const incarnation_id& worker);

}  // namespace convene::postgres
