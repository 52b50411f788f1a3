// SPDX-License-Identifier: Apache-2.0
// `net_stream`: one connection's bytes, plain or over TLS, behind one type.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/loop.hpp"
#include "convene/time.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/io_operation.hpp"

namespace convene {

/// Bytes that are to be sent, in up to four pieces that stay where they are. *Lifetime*: of the pieces.
class outgoing_bytes {
   public:
    static constexpr std::size_t max_pieces = 4;

    /// *Requires*: fewer than `max_pieces` so far. Empty pieces are left out.
    void add(std::string_view piece) noexcept {
        if (!piece.empty()) {
            pieces_[end_++] = piece;
        }
    }

    void consume(std::size_t count) noexcept;

    [[nodiscard]] std::span<const std::string_view> pieces() const noexcept {
        return std::span{pieces_}.subspan(begin_, end_ - begin_);
    }

    [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }

    [[nodiscard]] std::size_t size() const noexcept;

   private:
    std::array<std::string_view, max_pieces> pieces_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

/// A byte stream. One read and one write may be under way at the same time.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its operations: after `close`, wait for their ends.
/// *Errors* of all operations: `connection_closed` (the other end left), `io_failed`, `cancelled`.
class net_stream {
   public:
    net_stream() = default;
    net_stream(const net_stream&) = delete;
    net_stream& operator=(const net_stream&) = delete;
    virtual ~net_stream() = default;

    /// Completes with at least one byte, or with `connection_closed` at the end of the stream.
    virtual void start_read(char* into, std::size_t size, io_completion& told) = 0;

    /// Whether `write_now` takes anything at all; over TLS everything goes through `start_write`.
    [[nodiscard]] virtual bool can_write_now() const noexcept = 0;

    /// Hands over what the system takes at once; 0 when it takes nothing now.
    [[nodiscard]] virtual result<std::size_t> write_now(const outgoing_bytes& bytes) = 0;

    /// Completes when bytes were written, with their count; 0 when `write_now` is worth another try.
    virtual void start_write(const outgoing_bytes& bytes, io_completion& told) = 0;

    /// Makes a write under way end; the stream is good for nothing but `close` afterwards.
    virtual void cancel_write() noexcept = 0;

    /// Says that nothing more will be sent. Completes when the other end was told.
    virtual void start_shutdown(io_completion& told) = 0;

    /// Ends everything that is under way, which completes in later turns.
    virtual void close() noexcept = 0;

    /// The address of the other end, without the port.
    [[nodiscard]] virtual const std::string& peer() const noexcept = 0;

    /// Makes the stream ready; for TLS that is the handshake.
    [[nodiscard]] virtual awaitable<result<>> open() = 0;

    /// Reads some bytes. *Cancellation*: closes the stream.
    [[nodiscard]] awaitable<result<std::size_t>> read_some(char* into, std::size_t size);

    /// Writes until nothing is left. *Cancellation*: makes the stream useless.
    /// *Errors*: `timed_out` when the other end takes nothing for `stall`.
    [[nodiscard]] awaitable<result<>> write(outgoing_bytes* rest, std::chrono::nanoseconds stall);

    /// As `start_shutdown`. *Cancellation*: closes the stream.
    [[nodiscard]] awaitable<result<>> shutdown();

   private:
    [[nodiscard]] awaitable<result<std::size_t>> write_some(outgoing_bytes* bytes);
};

/// What a TLS server shows and asks for. TLS 1.2 and later; ALPN `http/1.1`.
struct tls_server_settings {
    std::string certificate_file;  ///< PEM, the chain with the server's own first
    std::string key_file;          ///< PEM
    std::string client_ca_file;  ///< PEM; if given, clients without a certificate of it are refused
};

/// A certificate and its key, read once. *Lifetime*: outlives the streams made with it.
class tls_server_identity {
   public:
    /// *Errors*: `invalid_argument` (a file is missing, does not parse or does not fit the key; logged).
    [[nodiscard]] static result<std::unique_ptr<tls_server_identity>> load(
        const tls_server_settings& settings
    );

    tls_server_identity(const tls_server_identity&) = delete;
    tls_server_identity& operator=(const tls_server_identity&) = delete;
    ~tls_server_identity();

   private:
    friend std::unique_ptr<net_stream> make_tls_stream(
        loop& where, int descriptor, tls_server_identity& identity
    );
    struct context;

    explicit tls_server_identity(std::unique_ptr<context> loaded);

    std::unique_ptr<context> context_;
};

/// Takes over a connected, non-blocking descriptor, also when that fails (then the first read fails).
[[nodiscard]] std::unique_ptr<net_stream> make_plain_stream(loop& where, int descriptor);
[[nodiscard]] std::unique_ptr<net_stream> make_tls_stream(
    loop& where, int descriptor, tls_server_identity& identity
);

}  // namespace convene
