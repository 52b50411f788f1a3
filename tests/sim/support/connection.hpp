// SPDX-License-Identifier: Apache-2.0
// A connection between a worker and the database: two ordered pipes, calls that wait, and how it ends.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/cancellation.hpp"
#include "convene/wait.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace convene {

class sim_host;

/// What a connection is for. It decides what its end means.
enum class connection_use : std::uint8_t {
    query,  ///< plain operations
    lease,  ///< carries locks: its end loses them
};

/// One direction. Messages arrive in the order they were sent, late while the host is partitioned.
class sim_pipe : public std::enable_shared_from_this<sim_pipe> {
   public:
    explicit sim_pipe(sim_host& host) : host_(host) {}

    void send(std::function<void()> message);

    /// What is on its way is lost, and so is what is sent from now on.
    void cut();

    /// The partition is over: what was held goes on its way.
    void resume();

   private:
    void arrive_one();
    void arm();

    sim_host& host_;
    bool is_cut_ = false;
    std::size_t held_ = 0;
    monotonic_time last_arrival_{};
    std::deque<std::function<void()>> on_the_way_;
};

/// Whether a request changes something: then the lack of an answer leaves the outcome open.
enum class request_kind : std::uint8_t { read, write };

/// A request that was sent, and its answer. Shared by who waits and by the messages on their way.
struct sim_call {
    wait_flag answered;
    request_kind kind = request_kind::read;
    bool has_arrived = false;  ///< at the server
    result<> outcome;
};

/// How the server answers a request; at once or later, at most once.
using answer_function = std::function<void(result<>)>;

/// What the server does when a request arrives.
using server_action = std::function<void(const answer_function&)>;

/// How a session ends.
enum class session_end : std::uint8_t {
    told,    ///< the client reads all answers sent before, and then that it is over
    reset,   ///< answers on their way are lost; then the client learns that it is over
    silent,  ///< the client learns nothing
};

/// Both ends of one connection.
class sim_connection : public std::enable_shared_from_this<sim_connection> {
   public:
    sim_connection(sim_host& host, connection_use use);
    sim_connection(const sim_connection&) = delete;
    sim_connection& operator=(const sim_connection&) = delete;

    [[nodiscard]] sim_host& host() const noexcept { return host_; }

    [[nodiscard]] connection_use use() const noexcept { return use_; }

    // -- the client's end ------------------------------------------------------------------------------

    /// False once the client knows that it is over, or closed it.
    [[nodiscard]] bool is_usable() const noexcept { return is_client_open_; }

    /// Requested with `lease_lost` when the client learns that the connection is over.
    [[nodiscard]] cancel_source& broken() noexcept { return broken_; }

    /// Asks the server to open the session; `accept` runs there and may refuse.
    awaitable<result<>> open(std::function<result<>()> accept);

    /// Sends a request. On a connection known to be over the call ends at once with `connection_lost`.
    std::shared_ptr<sim_call> start(request_kind kind, server_action action);

    /// Sends a request and waits for its answer.
    /// *Errors*: `connection_lost` (not sent, or a read), `outcome_unknown`, `lease_lost` (the session ended
    /// before the write arrived, and the server said so), and what the action answers.
    /// *Cancellation*: the wait ends, the request does not; the connection is then no longer clean.
    awaitable<result<>> call(request_kind kind, server_action action);

    /// Sends a message that nobody answers.
    void tell(std::function<void()> action);

    /// False while an answer is outstanding.
    [[nodiscard]] bool is_clean() const noexcept { return calls_.empty(); }

    /// The client closes: the server learns it later. Idempotent; nothing once the process is gone.
    void close();

    /// The client learns that the connection is over: every call ends, every lease is lost.
    void break_client();

    /// Names on this connection that somebody else waits for, as far as the client was told.
    std::set<std::string> wanted;

    // -- the server's end ------------------------------------------------------------------------------

    [[nodiscard]] bool has_session() const noexcept { return has_session_; }

    /// Opens the session; `when_ended` frees what it holds.
    void open_session(std::function<void(sim_connection&)> when_ended);

    /// The session is over: its locks are free. Idempotent.
    void end_session(session_end how);

    /// Sends something to the client.
    void notify(std::function<void()> message);

    [[nodiscard]] const std::shared_ptr<sim_pipe>& to_server() const noexcept { return to_server_; }

    [[nodiscard]] const std::shared_ptr<sim_pipe>& to_client() const noexcept { return to_client_; }

   private:
    void deliver(const std::shared_ptr<sim_call>& call, const server_action& action);
    void answer_with_reset();
    void resolve(const std::shared_ptr<sim_call>& call, result<> outcome);
    [[nodiscard]] errc outcome_without_answer(const sim_call& call) const noexcept;

    // fixed after construction
    sim_host& host_;
    const connection_use use_;
    const std::shared_ptr<sim_pipe> to_server_;
    const std::shared_ptr<sim_pipe> to_client_;

    bool is_client_open_ = true;
    bool has_session_ = false;
    bool was_told_ = false;
    cancel_source broken_;
    std::vector<std::shared_ptr<sim_call>> calls_;
    std::function<void(sim_connection&)> when_ended_;
};

}  // namespace convene
