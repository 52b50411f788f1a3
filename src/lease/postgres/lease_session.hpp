// SPDX-License-Identifier: Apache-2.0
// One watched session that holds many locks: claims, drivers, leaders (engine.md 4).
#pragma once

#include "convene/awaitable.hpp"
#include "convene/loop.hpp"
#include "convene/wait.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "postgres/connector.hpp"

namespace convene::postgres {

/// Takes and gives back locks without ever waiting inside the server. What is asked for together goes in one round
/// trip. A heartbeat tells within 1.5 s that the server is silent, and gives everything up after 8 s, before the
/// server could give a lock to another worker (10 s).
///
/// A session that was lost is replaced by a new one, which holds nothing; `generation` tells them apart.
/// *Thread safety*: loop only. *Lifetime*: `run` has ended before it is destroyed.
class lease_session {
   public:
    lease_session(loop& where, connector& opener) : where_(where), opener_(opener) {}

    lease_session(const lease_session&) = delete;
    lease_session& operator=(const lease_session&) = delete;

    /// Called when a session is lost, before the next one is opened.
    void on_lost(std::function<void()> told) { on_lost_ = std::move(told); }

    /// Serves the calls below until it is cancelled; then gives back everything by closing the session.
    [[nodiscard]] awaitable<void> run();

    /// True if the lock was free and is held now. *Requires*: this process does not hold the key on this session
    /// (PostgreSQL would grant it a second time).
    /// *Cancellation*: at any time; a lock that is granted later is given back.
    /// *Errors*: `connection_lost`, `unavailable` (no session), `cancelled`, `timed_out`.
    [[nodiscard]] awaitable<result<bool>> try_lock(std::int64_t key);

    /// *Errors*: `lease_lost` if the session no longer held it.
    [[nodiscard]] awaitable<result<>> unlock(std::int64_t key);

    /// As `unlock`, for a holder that does not wait. `kept` lives until it is done.
    void start_unlock(std::int64_t key, std::shared_ptr<void> kept);

    /// Sends statements on this session. *Errors*: those of `try_lock`; what a statement failed with is in its answer.
    [[nodiscard]] awaitable<result<std::vector<answer>>> ask(request sent);

    /// Says something to every session that listens. Best effort: nothing without a session.
    void notify(std::string channel, std::string payload);

    /// Raised by every loss.
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

    /// The server's number of the session, by which others know who said something; 0 until it has answered. Not what
    /// the connection was told when it was opened: behind a pooler that is the pooler's.
    [[nodiscard]] int number() const noexcept { return number_; }

    [[nodiscard]] bool is_connected() const noexcept { return connection_ != nullptr; }

    /// No news for more than 1.5 s: start nothing new.
    [[nodiscard]] bool is_suspect() const noexcept;

    /// How long the session has been connected.
    [[nodiscard]] std::chrono::nanoseconds connected_for() const noexcept;

   private:
    enum class verb { lock, unlock, ask };

    struct call {
        verb what{};
        std::int64_t key = 0;
        request sent;
        std::shared_ptr<void> kept;
        bool is_wanted = true;  ///< false: its caller has left
        wait_flag done;
        result<bool> granted{errc::connection_lost};
        std::uint64_t generation = 0;  ///< of the session that granted it
        std::vector<answer> answers;
    };

    using call_ptr = std::shared_ptr<call>;

    [[nodiscard]] awaitable<result<>> finish(call_ptr waiting);

    /// Whether a lock that was asked for is held now.
    [[nodiscard]] bool is_held(const call& answered) const noexcept;
    [[nodiscard]] awaitable<result<>> connect();
    [[nodiscard]] awaitable<result<>> serve_batch();
    void lose();

    loop& where_;
    connector& opener_;
    std::function<void()> on_lost_;

    std::unique_ptr<connection> connection_;
    std::uint64_t generation_ = 0;
    int number_ = 0;
    std::set<std::int64_t> held_;
    monotonic_time connected_at_{};
    monotonic_time heard_at_{};

    std::list<call_ptr> queue_;
    std::vector<std::pair<std::string, std::string>> notices_;
    wait_flag work_;
};

}  // namespace convene::postgres
