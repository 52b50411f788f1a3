// SPDX-License-Identifier: Apache-2.0
// A connection between a worker and the database: two ordered pipes, requests of groups that the server runs in order,
// and how it ends.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/cancellation.hpp"
#include "convene/wait.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace convene {

class sim_connection;
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

/// A request that was sent, and its answers. Shared by who waits and by the messages on their way.
struct sim_call {
    wait_flag answered;
    request_kind kind = request_kind::read;
    result<> reached;               ///< an error: no answers came
    std::vector<result<>> answers;  ///< one for each group
};

/// How the server ends a group; at once or later, at most once.
using answer_function = std::function<void(result<>)>;

/// What the server does in one group of a request: a transaction of its own, which is visible when it has been
/// answered without an error, and of which nothing is stored otherwise. An error does not keep the groups after it
/// from being run.
using server_action = std::function<
    void(const std::shared_ptr<sim_connection>& session, const answer_function& answer)>;

/// How a session ends.
enum class session_end : std::uint8_t {
    told,    ///< the client reads all answers sent before, and then that it is over
    reset,   ///< answers on their way are lost; then the client learns that it is over
    silent,  ///< the client learns nothing
};

/// Both ends of one connection.
///
/// The server has one process for a session. It reads what has arrived in order and finishes one group before it looks at
/// the next, also for a client that died or sleeps; that a client has closed it reads behind all that was sent before.
/// Only the server's own end, or an operator, ends a session in the middle of a group, which is then rolled back.
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
    std::shared_ptr<sim_call> start(request_kind kind, std::vector<server_action> groups);

    /// Sends a request and waits for the answers of all of its groups, in order.
    /// *Errors*: `connection_lost` (not sent, or a read), `outcome_unknown`.
    /// *Cancellation*: the wait ends, the request does not; the connection is then no longer clean.
    awaitable<result<std::vector<result<>>>> exchange(
        request_kind kind, std::vector<server_action> groups
    );

    /// Sends a request of one group. *Errors*: those of `exchange`, and what the group ends with.
    awaitable<result<>> call(request_kind kind, server_action action);

    /// Sends a message that nobody answers.
    void tell(server_action action);

    /// False while an answer is outstanding.
    [[nodiscard]] bool is_clean() const noexcept { return calls_.empty(); }

    /// The client closes: the server learns it later. Idempotent; nothing once the process is gone.
    void close();

    /// The client learns that the connection is over: every call ends, every lease is lost.
    void break_client();

    /// Told to the client: somebody waits for a name that this session holds; one that it asked for is free.
    struct words {
        std::function<void(const std::string&)> wanted;
        std::function<void(const std::string&)> released;
    };

    void listen(words heard) { heard_ = std::move(heard); }

    [[nodiscard]] bool listens() const noexcept { return static_cast<bool>(heard_.wanted); }

    [[nodiscard]] const words& heard() const noexcept { return heard_; }

    // -- the server's end ------------------------------------------------------------------------------

    [[nodiscard]] bool has_session() const noexcept { return has_session_; }

    /// Opens the session; `when_ended` frees what it holds.
    void open_session(std::function<void(sim_connection&)> when_ended);

    /// The session is over: its locks are free. Idempotent.
    void end_session(session_end how);

    /// The client has closed, or is gone: it is read behind what arrived before.
    void read_end();

    /// Drops what arrived and was not begun. For the end of the world.
    void forget_requests() { inbox_.clear(); }

    /// Sends something to the client.
    void notify(std::function<void()> message);

    [[nodiscard]] const std::shared_ptr<sim_pipe>& to_server() const noexcept { return to_server_; }

    [[nodiscard]] const std::shared_ptr<sim_pipe>& to_client() const noexcept { return to_client_; }

   private:
    /// A request at the server.
    struct arrived {
        std::shared_ptr<sim_call> call;  ///< null: nobody waits for answers
        std::vector<server_action> groups;
        std::vector<result<>> answers;
    };

    void arrive(arrived request);
    void run_next_request();
    void run_next_group(const std::shared_ptr<arrived>& request);
    void answer_with_reset();
    void resolve(const std::shared_ptr<sim_call>& call, const std::vector<result<>>& answers);
    [[nodiscard]] static errc outcome_without_answer(const sim_call& call) noexcept;

    // fixed after construction
    sim_host& host_;
    const connection_use use_;
    const std::shared_ptr<sim_pipe> to_server_;
    const std::shared_ptr<sim_pipe> to_client_;

    bool is_client_open_ = true;
    bool has_session_ = false;
    bool is_running_ = false;  ///< a request, at the server
    std::deque<arrived> inbox_;
    cancel_source broken_;
    std::vector<std::shared_ptr<sim_call>> calls_;
    std::function<void(sim_connection&)> when_ended_;
    words heard_;
};

}  // namespace convene
