// SPDX-License-Identifier: Apache-2.0
// `http_connection`: one connection from its handshake to its last answer.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/wait.hpp"

#include <boost/intrusive/list.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "net/http_message.hpp"
#include "net/http_request_parser.hpp"
#include "net/http_server.hpp"
#include "net/net_stream.hpp"
#include "net/read_ahead.hpp"
#include "net/websocket_handshake.hpp"
#include "net/websocket_session.hpp"

namespace convene {

/// What the connections of a server share. *Lifetime*: the server's.
struct http_service {
    loop& where;
    const http_server_settings& settings;
    const http_handler& handler;
    http_counters& counters;
    wait_flag& draining;
    /// The `Date` line for now, renewed every second.
    [[nodiscard]] std::string_view date_line();

    std::string date_line_;
    std::chrono::sys_seconds date_of_{};
    std::size_t large_bodies = 0;  ///< that are read, or wait for their answer
};

/// A connection. Its owner runs `run` to its end.
class http_connection final : public boost::intrusive::list_base_hook<
                                  boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    http_connection(http_service& service, std::unique_ptr<net_stream> stream);
    ~http_connection();

    /// Serves until either side ends it.
    [[nodiscard]] awaitable<void> run();

    /// The server drains: an idle connection ends, a busy one after its answer.
    void begin_drain() noexcept;

   private:
    class sink;
    class watchdog;

    enum class phase : std::uint8_t { idle, head, body, answering, closing };
    enum class after : std::uint8_t { keep, close };
    enum class parting : std::uint8_t { at_once, after_last_word };

    [[nodiscard]] awaitable<void> serve();
    [[nodiscard]] awaitable<bool> read_request();
    [[nodiscard]] awaitable<bool> admit_large_body();
    void let_go_of_large_body() noexcept;
    [[nodiscard]] awaitable<after> answer(http_request request);
    [[nodiscard]] awaitable<std::optional<http_answer>> ask_handler(http_request request);
    [[nodiscard]] awaitable<after> send_response(http_response response);
    [[nodiscard]] awaitable<after> send_stream(http_stream stream);
    [[nodiscard]] awaitable<after> talk(websocket_upgrade upgrade);
    [[nodiscard]] awaitable<void> hold_talk(websocket_session* session, websocket_upgrade upgrade);
    [[nodiscard]] awaitable<void> refuse(http_refusal reason);
    [[nodiscard]] awaitable<result<>> send(outgoing_bytes* rest);
    /// *Errors*: `timed_out` also when more than `budget` is left after the first attempt.
    [[nodiscard]] awaitable<result<>> send(outgoing_bytes* rest, std::size_t budget);
    [[nodiscard]] awaitable<void> part();
    [[nodiscard]] awaitable<result<>> until_other_end_leaves();

    [[nodiscard]] monotonic_time now() const noexcept { return service_.where.now(); }

    [[nodiscard]] bool is_unwanted() const noexcept;
    void enter(phase next) noexcept;
    void read_changed() noexcept;
    [[nodiscard]] monotonic_time body_deadline() const noexcept;
    [[nodiscard]] bool begin_head(int status, const http_headers& headers);
    void end_head(after next);
    void log_failure(std::string_view what, std::string_view text) const noexcept;

    // fixed after construction
    http_service& service_;
    std::unique_ptr<net_stream> stream_;

    // touched on the loop only
    read_ahead input_;
    http_request_parser parser_;
    phase phase_ = phase::head;
    bool is_answered_once_ = false;
    bool has_said_continue_ = false;
    bool is_expired_ = false;
    bool holds_large_body_ = false;
    monotonic_time phase_began_{};
    wait_flag wake_;  ///< notified: bytes came, the other end left, time is up, the server drains
    std::optional<cancel_source> other_end_left_;
    std::unique_ptr<watchdog> watchdog_;

    // of the request being answered
    http_method method_ = http_method::get;
    bool knows_chunks_ = true;
    after wanted_after_ = after::keep;
    websocket_offer offer_;
    websocket_session* session_ = nullptr;  ///< while the connection is a WebSocket
    std::size_t counted_in_ = 0;            ///< bytes that the counters know

    std::string head_;  ///< of the answer; kept for its memory
    parting parting_ = parting::at_once;
};

}  // namespace convene
