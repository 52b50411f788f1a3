// SPDX-License-Identifier: Apache-2.0
// What a handler of HTTP sees and answers: values, without a socket in sight.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace convene {

enum class http_method : std::uint8_t { get, head, post, put, patch, delete_, options };

[[nodiscard]] std::string_view word_of(http_method method) noexcept;

/// Field lines of a message. Names are kept in lower case; lookups expect them so.
class http_headers {
   public:
    void add(std::string name, std::string value);
    void set(std::string name, std::string value);

    /// The first value; nothing if the field is absent.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;

    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& all() const noexcept {
        return lines_;
    }

   private:
    std::vector<std::pair<std::string, std::string>> lines_;
};

/// A request that was read whole, within the limits of the server.
struct http_request {
    http_method method = http_method::get;
    std::string path;   ///< as it was sent, still percent-encoded, without the query
    std::string query;  ///< without `?`
    http_headers headers;
    std::string body;
    std::string peer;        ///< address of the other end, without the port
    bool is_secure = false;  ///< came over TLS
};

/// An answer that is known whole. `content-length` is the server's to add.
struct http_response {
    int status = 200;
    http_headers headers;
    std::string body;
};

/// Where a streamed body goes.
///
/// *Thread safety*: loop only. *Lifetime*: the server's; valid until the producer has ended.
class http_body_sink {
   public:
    virtual ~http_body_sink() = default;

    /// Hands a piece to the peer and waits until the system has taken it.
    /// *Errors*: `connection_closed` (the peer is gone), `timed_out` (it does not read), `cancelled`.
    [[nodiscard]] virtual awaitable<result<>> write(std::string piece) = 0;
};

/// An answer whose body is made while it is sent, chunked, never compressed. One that says its length and writes
/// another is cut off. The producer is cancelled when
/// the peer leaves or the server drains (`draining()` of the server tells it first, so that it can say so).
struct http_stream {
    int status = 200;
    http_headers headers;
    std::function<awaitable<void>(http_body_sink* sink)> produce;
    std::optional<std::uint64_t> length{};  ///< of a body that is known: not chunked
};

/// A WebSocket after its handshake. Reading and writing may go on at the same time, each by one coroutine.
///
/// *Thread safety*: loop only. *Lifetime*: the server's; valid until `talk` has ended. Pings are answered and
/// sent by the server; a peer that answers none is `timed_out`.
class websocket {
   public:
    virtual ~websocket() = default;

    /// The next text message, whole. *Errors*: `connection_closed`, `timed_out`, `cancelled`,
    /// `payload_too_large`, `invalid_argument` (binary, or no UTF-8; it is closed then).
    [[nodiscard]] virtual awaitable<result<std::string>> read() = 0;

    /// *Errors*: as of `read`; `timed_out` when the peer does not read.
    [[nodiscard]] virtual awaitable<result<>> write(std::string text) = 0;

    /// Says good-bye, within a short deadline of its own. Nothing may be read or written after it.
    [[nodiscard]] virtual awaitable<void> close(std::uint16_t code, std::string reason) = 0;
};

/// Accepts the upgrade; the connection belongs to `talk` until it ends.
struct websocket_upgrade {
    http_headers headers;
    std::size_t max_message = 1U << 20U;  ///< bytes
    std::function<awaitable<void>(websocket* socket)> talk;
};

using http_answer = std::variant<http_response, http_stream, websocket_upgrade>;

/// Answers one request. Called on the loop, once a request; cancelled when the peer leaves before the answer.
using http_handler = std::function<awaitable<http_answer>(http_request request)>;

}  // namespace convene
