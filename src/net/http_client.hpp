// SPDX-License-Identifier: Apache-2.0
// `http_client`: requests of ours to others (webhooks, remote hooks, servers of ours), to addresses that the policy
// allows.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/loop.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <memory>
#include <string>

#include "net/address_policy.hpp"
#include "net/http_message.hpp"

namespace convene {

struct http_client_settings {
    address_policy policy;  ///< checked at each connect, on the address that is connected to
    std::string ca_file;    ///< PEM; empty: the system's authorities
    std::size_t kept_connections = 64;  ///< idle ones that wait for another call
    std::size_t most_connections = 0;   ///< then further calls wait for one; 0: no limit
};

/// A request to another server.
struct http_call {
    http_method method = http_method::post;
    std::string url;       ///< `http` or `https`, without user name and password
    http_headers headers;  ///< Host and Content-Length are added
    std::string body;
    std::size_t max_reply = 1U
                            << 20U;  ///< bytes of the reply's body; does not bound a streamed one
};

/// What came back, whatever its status: redirects are not followed.
struct http_reply {
    int status = 0;
    http_headers headers;
    std::string body;
};

/// A reply whose body is read while it comes. At most 64 KiB of it wait to be read; then the sender has to wait.
///
/// *Thread safety*: loop only; one `read` at a time. *Lifetime*: the client outlives it. Dropping it ends the
/// connection.
class http_reply_stream {
   public:
    virtual ~http_reply_stream() = default;

    [[nodiscard]] virtual int status() const noexcept = 0;
    [[nodiscard]] virtual const http_headers& headers() const noexcept = 0;

    /// What has come of the body, as soon as there is something; an empty piece at its end.
    /// *Cancellation*: at any time, and what came is kept; the same holds for the deadline.
    /// *Errors*: `connection_closed` (it broke off before its end), `timed_out`, `cancelled`.
    [[nodiscard]] virtual awaitable<result<std::string>> read(deadline until) = 0;
};

/// Sends requests; connections are kept for the next call to the same host. Names are resolved on threads.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its calls.
class http_client {
   public:
    http_client(loop& where, http_client_settings settings);
    ~http_client();

    http_client(const http_client&) = delete;
    http_client& operator=(const http_client&) = delete;

    /// One request, one reply.
    /// *Cancellation*: aborts at once; whether the request had arrived is unknown then, as with `timed_out`.
    /// *Errors*: `invalid_argument` (URL or headers), `not_authorized` (the policy refuses every address of
    /// the host), `unavailable` (no such host, or nobody answers there), `connection_lost` (nothing was sent),
    /// `outcome_unknown` (it was sent and no whole reply came), `payload_too_large`, `io_failed` (TLS: the
    /// other side is not who it should be), `timed_out`, `cancelled`.
    [[nodiscard]] awaitable<result<http_reply>> send(http_call call, deadline until);

    /// One request, whose reply is there as soon as its head is: for bodies that go on and on.
    /// *Cancellation*, *Errors*: as of `send`.
    [[nodiscard]] awaitable<result<std::unique_ptr<http_reply_stream>>> open(
        http_call call, deadline until
    );

   private:
    class implementation;

    std::unique_ptr<implementation> impl_;
};

}  // namespace convene
