// SPDX-License-Identifier: Apache-2.0
// `http_server`: HTTP/1.1 with streams and WebSockets, over TCP or TLS, for one handler.
#pragma once

#include "convene/loop.hpp"
#include "convene/time.hpp"
#include "convene/wait.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/connection_board.hpp"
#include "net/http_message.hpp"
#include "net/http_refusal.hpp"
#include "net/http_request_parser.hpp"
#include "net/net_stream.hpp"

namespace convene {

struct http_server_settings {
    std::string host = "127.0.0.1";  ///< an address of this machine, or a name for one
    std::uint16_t port = 0;          ///< 0: the system picks one, see `port()`
    /// A socket that listens already, shared with other processes; host and port are not used then. The
    /// server works on a duplicate.
    std::optional<int> listening_descriptor;
    /// How many connections the other processes of that socket have, and which place on it is this one's. It outlives the
    /// server; unset: there are no others.
    connection_board* board = nullptr;
    std::size_t place_on_board = 0;
    std::optional<tls_server_settings> tls;

    std::size_t max_connections = 10'000;  ///< more are answered 503 and closed
    http_limits limits;

    /// Asked with the head of a request before its large body is read; an answer refuses it. Unset: all are let in.
    std::function<awaitable<std::optional<http_response>>(http_request head)> admit_large_body{};
    std::size_t max_large_bodies = 8;  ///< held at once; more are answered 503

    milliseconds head_time{10'000
    };  ///< for a TLS handshake, and from a request's first byte to its head
    milliseconds idle_time{75'000};         ///< between requests
    milliseconds body_grace{10'000};        ///< before the pace of a body counts
    std::size_t body_pace = 1024;           ///< bytes a second that a body has to keep on average
    milliseconds body_time{120'000};        ///< for a whole body, whatever its pace
    milliseconds write_stall{30'000};       ///< for a peer that takes nothing of what is written
    std::size_t unsent_budget = 1U << 20U;  ///< bytes of a stream that wait in this process

    milliseconds websocket_silence{30'000
    };  ///< a peer that sends nothing for this is gone; pinged at half
    milliseconds goodbye_time{1'000};  ///< to let a peer read the last answer, or say its good-bye
};

/// What the server has done, for metrics.
struct http_counters {
    std::uint64_t connections_accepted = 0;
    std::uint64_t connections_refused = 0;
    std::uint64_t connections_open = 0;
    std::uint64_t requests = 0;
    std::uint64_t websockets = 0;  ///< upgraded
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
    std::array<std::uint64_t, http_refusal_count> refusals{};  ///< by `http_refusal`
};

/// Serves HTTP.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its loop's tasks; after `start`, `stop` is awaited before
/// destruction.
class http_server {
   public:
    http_server(loop& where, http_server_settings settings, http_handler handler);
    ~http_server();

    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;

    /// Listens and accepts. *Errors*: `invalid_argument` (no such address, bad TLS files), `io_failed`
    /// (the port is taken); logged with the system's reason.
    [[nodiscard]] result<> start();

    /// The port it listens on. *Requires*: started.
    [[nodiscard]] std::uint16_t port() const noexcept;

    /// Set once `drain` or `stop` begins: streams and sockets then say their last word.
    [[nodiscard]] wait_flag& draining() noexcept;

    /// Stops accepting, closes idle connections, lets requests, streams and sockets finish, and cancels
    /// what is left at `until`. Idempotent.
    /// *Cancellation*: as if the deadline had passed.
    [[nodiscard]] awaitable<void> drain(deadline until);

    /// Cancels everything and waits for its end. Idempotent.
    [[nodiscard]] awaitable<void> stop();

    [[nodiscard]] const http_counters& counters() const noexcept;

   private:
    class implementation;

    std::unique_ptr<implementation> impl_;
};

}  // namespace convene
