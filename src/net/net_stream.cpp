// SPDX-License-Identifier: Apache-2.0
// The plain stream, and what all streams do the same way.
#include "net/net_stream.hpp"

#include "convene/wait.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

#include "base/assert.hpp"
#include "net/asio_socket.hpp"
#include "runtime/loop_reactor.hpp"

namespace convene {

namespace {

using boost::asio::ip::tcp;

class plain_stream final : public net_stream {
   public:
    plain_stream(loop& where, int descriptor)
        : socket_(adopt_socket(loop_reactor::of(where), descriptor)),
          peer_(address_of_peer(socket_)) {}

    void start_read(char* into, std::size_t size, io_completion& told) override {
        socket_.async_read_some(boost::asio::mutable_buffer{into, size}, report_socket{told});
    }

    [[nodiscard]] bool can_write_now() const noexcept override { return true; }

    /// Directly: Asio would come back for the result in a later turn.
    result<std::size_t> write_now(const outgoing_bytes& bytes) override {
        std::array<iovec, outgoing_bytes::max_pieces> vectors;
        std::size_t count = 0;
        for (const std::string_view piece : bytes.pieces()) {
            // The system does not write there; the interface is older than `const`.
            vectors[count++] = iovec{const_cast<char*>(piece.data()), piece.size()};
        }
        msghdr message{};
        message.msg_iov = vectors.data();
        message.msg_iovlen = count;
        const ssize_t sent = ::sendmsg(
            socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT
        );
        if (sent >= 0) {
            return static_cast<std::size_t>(sent);
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) {
            return std::size_t{0};
        }
        return describe_socket_error(error_code{errno, boost::system::system_category()});
    }

    void start_write(const outgoing_bytes&, io_completion& told) override {
        socket_.async_wait(tcp::socket::wait_write, report_socket{told});
    }

    void cancel_write() noexcept override {
        error_code ignored;
        socket_.cancel(ignored);
    }

    void start_shutdown(io_completion& told) override {
        error_code ignored;
        socket_.shutdown(tcp::socket::shutdown_send, ignored);
        boost::asio::post(socket_.get_executor(), [&told] { told.completed(error_code{}, 0); });
    }

    void close() noexcept override {
        error_code ignored;
        socket_.close(ignored);
    }

    [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

    awaitable<result<>> open() override { co_return result<>{}; }

   private:
    tcp::socket socket_;
    std::string peer_;
};

}  // namespace

// -- outgoing_bytes -----------------------------------------------------------------------------------

void outgoing_bytes::consume(std::size_t count) noexcept {
    while (count != 0) {
        CONVENE_ASSERT(begin_ != end_, "more bytes were sent than there were");
        std::string_view& first = pieces_[begin_];
        if (count < first.size()) {
            first.remove_prefix(count);
            return;
        }
        count -= first.size();
        ++begin_;
    }
}

std::size_t outgoing_bytes::size() const noexcept {
    std::size_t total = 0;
    for (const std::string_view piece : pieces()) {
        total += piece.size();
    }
    return total;
}

// -- sockets ------------------------------------------------------------------------------------------

tcp::socket adopt_socket(boost::asio::io_context& reactor, int descriptor) {
    tcp::socket socket{reactor};
    sockaddr_storage address{};
    socklen_t length = sizeof(address);
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length);
    error_code refused;
    socket.assign(address.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), descriptor, refused);
    if (refused) {
        ::close(descriptor);
    } else {
        socket.set_option(tcp::no_delay{true}, refused);
        socket.non_blocking(true, refused);
    }
    return socket;
}

std::string address_of_peer(const tcp::socket& socket) {
    error_code unknown;
    const tcp::endpoint peer = socket.remote_endpoint(unknown);
    if (unknown) {
        return {};
    }
    const auto address = peer.address();
    // A client that came by IPv4 to a socket of both kinds has one address, not two.
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6())
            .to_string();
    }
    return address.to_string();
}

error_code describe_socket_error(const error_code& failure) noexcept {
    if (failure == boost::asio::error::operation_aborted) {
        return errc::cancelled;
    }
    if (failure == boost::asio::error::eof || failure == boost::asio::error::connection_reset ||
        failure == boost::asio::error::broken_pipe ||
        failure == boost::asio::error::not_connected ||
        failure == boost::asio::error::bad_descriptor) {
        return errc::connection_closed;
    }
    return errc::io_failed;
}

// -- net_stream ---------------------------------------------------------------------------------------

awaitable<result<std::size_t>> net_stream::read_some(char* into, std::size_t size) {
    auto reading = io_operation{
        [this, into, size](io_completion& told) { start_read(into, size, told); },
        [this] { close(); }
    };
    const result<std::size_t> read = co_await reading;
    co_return read;
}

awaitable<result<std::size_t>> net_stream::write_some(outgoing_bytes* bytes) {
    auto writing = io_operation{
        [this, bytes](io_completion& told) { start_write(*bytes, told); },
        [this] { cancel_write(); }
    };
    const result<std::size_t> written = co_await writing;
    co_return written;
}

awaitable<result<>> net_stream::write(outgoing_bytes* rest, std::chrono::nanoseconds stall) {
    while (!rest->empty()) {
        const result<std::size_t> now = write_now(*rest);
        if (!now) {
            co_return now.error();
        }
        rest->consume(*now);
        if (rest->empty()) {
            break;
        }
        const coroutine_context context = co_await this_context();
        const deadline progress{context.where->now() + stall};
        const result<std::size_t> later = co_await with_deadline(progress, write_some(rest));
        if (!later) {
            co_return later.error();
        }
        rest->consume(*later);
    }
    co_return result<>{};
}

awaitable<result<>> net_stream::shutdown() {
    auto telling = io_operation{
        [this](io_completion& told) { start_shutdown(told); }, [this] { close(); }
    };
    const result<std::size_t> told = co_await telling;
    if (!told) {
        co_return told.error();
    }
    co_return result<>{};
}

std::unique_ptr<net_stream> make_plain_stream(loop& where, int descriptor) {
    return std::make_unique<plain_stream>(where, descriptor);
}

}  // namespace convene
