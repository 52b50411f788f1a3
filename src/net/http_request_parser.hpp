// SPDX-License-Identifier: Apache-2.0
// Bytes of a connection to requests, without a socket: Beast's parser behind stricter checks of the head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "net/http_message.hpp"
#include "net/http_refusal.hpp"

namespace convene {

struct http_limits {
    std::size_t
        head_bytes = 16U << 10U;  ///< request line and field lines; trailers have the same again
    std::size_t header_lines = 100;
    std::size_t body_bytes = 1U << 20U;

    /// For the requests that `takes_large_body` says, where their length is told in the head.
    std::size_t large_body_bytes = 1U << 20U;
    std::function<bool(http_method method, std::string_view path)> takes_large_body{};
};

/// Reads one request after another. What two servers could read differently is refused: lengths given
/// twice, any transfer coding but `chunked`, folded lines, line ends other than CR LF, control characters,
/// targets with an authority, a Host that is missing, repeated or not a host.
///
/// *Thread safety*: none.
class http_request_parser {
   public:
    enum class state : std::uint8_t {
        head,      ///< more bytes of the head are needed
        body,      ///< the head is complete; more bytes of the body are needed
        complete,  ///< the request can be taken
        refused,   ///< nothing of this connection can be understood any more; see `refusal`
    };

    explicit http_request_parser(const http_limits& limits);
    ~http_request_parser();

    /// Takes bytes from the front and tells how many. Bytes that were not taken are given again, with
    /// more behind them; none of a following request is taken.
    [[nodiscard]] std::size_t feed(std::string_view bytes);

    [[nodiscard]] state where() const noexcept;

    /// *Requires*: refused.
    [[nodiscard]] http_refusal refusal() const noexcept;

    /// Whether the sender waits for `100 Continue`. *Requires*: the head is complete.
    [[nodiscard]] bool expects_continue() const noexcept;

    /// Whether the body is to be larger than others may be. *Requires*: the head is complete.
    [[nodiscard]] bool is_large() const noexcept;

    /// The request as far as it is read. *Requires*: the head is complete.
    [[nodiscard]] const http_request& so_far() const noexcept;

    [[nodiscard]] std::size_t body_received() const noexcept;

    /// Whether the connection may carry another request. *Requires*: the head is complete.
    [[nodiscard]] bool keeps_alive() const noexcept;

    /// Whether the sender knows chunked bodies (HTTP/1.1). *Requires*: the head is complete.
    [[nodiscard]] bool knows_chunks() const noexcept;

    /// The request; the parser is then ready for the next. *Requires*: complete.
    [[nodiscard]] http_request take();

   private:
    class beast_reader;
    struct progress;

    std::unique_ptr<progress> progress_;
};

}  // namespace convene
