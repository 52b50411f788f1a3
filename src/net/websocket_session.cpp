// SPDX-License-Identifier: Apache-2.0
// A WebSocket by Beast, over our stream: the frames are Beast's, the waiting is ours.
#include "net/websocket_session.hpp"

#include "convene/wait.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "base/assert.hpp"
#include "runtime/loop_reactor.hpp"

namespace convene {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace ws = boost::beast::websocket;

/// A handler of Beast's, whatever its type. (Asio's own type for this copies itself without end in 1.81.)
class transfer_handler {
   public:
    transfer_handler() = default;

    template <class Handler>
    explicit transfer_handler(std::in_place_t, Handler handler)
        : held_(std::make_unique<holder<Handler>>(std::move(handler))) {}

    explicit operator bool() const noexcept { return held_ != nullptr; }

    /// Calls and forgets it. What it calls may start the next transfer.
    void operator()(error_code failure, std::size_t count) {
        const std::unique_ptr<base> taken = std::move(held_);
        taken->call(failure, count);
    }

   private:
    struct base {
        virtual ~base() = default;
        virtual void call(error_code failure, std::size_t count) = 0;
    };

    template <class Handler>
    struct holder final : base {
        explicit holder(Handler given) : handler(std::move(given)) {}

        void call(error_code failure, std::size_t count) override { handler(failure, count); }

        Handler handler;
    };

    std::unique_ptr<base> held_;
};

/// Messages that wait for the application; a peer that fills this is not read any more until it has taken some.
constexpr std::size_t inbox_messages = 64;

/// A buffer that a large message has grown is given back.
constexpr std::size_t kept_buffer = 16U << 10U;

/// What Beast takes for a stream: reads come from the `read_ahead`, writes go to the `net_stream`.
class transport final : private io_completion {
   public:
    using executor_type = asio::io_context::executor_type;

    transport(asio::io_context& reactor, net_stream& stream, read_ahead& input)
        : reactor_(reactor), stream_(stream), input_(input) {}

    executor_type get_executor() const noexcept { return reactor_.get_executor(); }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        asio::mutable_buffer into;
        for (auto it = asio::buffer_sequence_begin(buffers);
             it != asio::buffer_sequence_end(buffers) && into.size() == 0;
             ++it) {
            into = *it;
        }
        return asio::async_initiate<Token, void(error_code, std::size_t)>(
            [this](auto handler, asio::mutable_buffer target) {
                start_read(target, transfer_handler{std::in_place, std::move(handler)});
            },
            token,
            into
        );
    }

    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        outgoing_bytes bytes;
        for (auto it = asio::buffer_sequence_begin(buffers);
             it != asio::buffer_sequence_end(buffers) &&
             bytes.pieces().size() < outgoing_bytes::max_pieces;
             ++it) {
            const asio::const_buffer piece = *it;
            bytes.add({static_cast<const char*>(piece.data()), piece.size()});
        }
        return asio::async_initiate<Token, void(error_code, std::size_t)>(
            [this](auto handler, const outgoing_bytes& pieces) {
                begin_write(pieces, transfer_handler{std::in_place, std::move(handler)});
            },
            token,
            bytes
        );
    }

    void input_changed() {
        if (!reader_) {
            return;
        }
        if (input_.bytes().empty() && !input_.has_ended()) {
            input_.start();
            return;
        }
        const auto [failure, count] = take_input();
        reader_(failure, count);
    }

    void close() noexcept { stream_.close(); }

   private:
    void start_read(asio::mutable_buffer into, transfer_handler handler) {
        into_ = into;
        if (into.size() == 0 || !input_.bytes().empty() || input_.has_ended()) {
            const auto [failure, count] = take_input();
            answer_later(std::move(handler), failure, count);
            return;
        }
        reader_ = std::move(handler);
        input_.start();
    }

    std::pair<error_code, std::size_t> take_input() {
        const std::size_t count = std::min(into_.size(), input_.bytes().size());
        if (count == 0 && into_.size() != 0) {
            return {asio::error::eof, 0};
        }
        std::memcpy(into_.data(), input_.bytes().data(), count);
        input_.consume(count);
        return {{}, count};
    }

    void begin_write(const outgoing_bytes& bytes, transfer_handler handler) {
        const result<std::size_t> now = stream_.write_now(bytes);
        if (bytes.empty() || !now || *now != 0) {
            answer_later(std::move(handler), now ? error_code{} : now.error(), now ? *now : 0);
            return;
        }
        writing_ = bytes;
        writer_ = std::move(handler);
        stream_.start_write(writing_, *this);
    }

    void completed(error_code failure, std::size_t count) noexcept override {
        if (!failure && count == 0) {
            const result<std::size_t> now = stream_.write_now(writing_);
            if (now && *now == 0) {
                stream_.start_write(writing_, *this);
                return;
            }
            failure = now ? error_code{} : now.error();
            count = now ? *now : 0;
        }
        writer_(failure, count);
    }

    /// Asio's rule: a handler is never called from inside the call that it belongs to.
    void answer_later(transfer_handler handler, error_code failure, std::size_t count) {
        asio::post(
            reactor_.get_executor(),
            [handler = std::move(handler), failure, count]() mutable { handler(failure, count); }
        );
    }

    asio::io_context& reactor_;
    net_stream& stream_;
    read_ahead& input_;
    asio::mutable_buffer into_;
    transfer_handler reader_;
    outgoing_bytes writing_;
    transfer_handler writer_;
};

// Beast finds these by the argument's type. The session closes the stream itself, after the good-bye.
template <class Handler>
void async_teardown(boost::beast::role_type, transport& closed, Handler&& handler) {
    asio::post(closed.get_executor(), [handler = std::forward<Handler>(handler)]() mutable {
        std::move(handler)(boost::beast::error_code{});
    });
}

void beast_close_socket(transport& closed) { closed.close(); }

using beast_socket = ws::stream<transport, false>;

errc reason_of(const error_code& failure) {
    if (failure == ws::error::message_too_big || failure == ws::error::buffer_overflow) {
        return errc::payload_too_large;
    }
    if (failure == ws::error::bad_frame_payload) {
        return errc::invalid_argument;
    }
    if (failure == boost::beast::error::timeout) {
        return errc::timed_out;
    }
    return errc::connection_closed;
}

}  // namespace

class websocket_session::implementation {
   public:
    implementation(
        loop& where, net_stream& stream, read_ahead& input, const websocket_settings& settings
    )
        : settings_(settings),
          stream_(stream),
          socket_(loop_reactor::of(where), stream, input),
          buffer_(settings.max_message) {
        ws::stream_base::timeout limits{};
        limits.handshake_timeout = settings.write_stall;
        limits.idle_timeout = settings.silence;
        limits.keep_alive_pings = true;
        socket_.set_option(limits);
        socket_.read_message_max(settings.max_message);
        // A message is one frame, written from where it lies.
        socket_.auto_fragment(false);
        socket_.text(true);
    }

    ~implementation() { CONVENE_ASSERT(under_way_ == 0, "a WebSocket lost its operations"); }

    awaitable<result<>> accept(std::string key, http_headers headers) {
        socket_.set_option(
            ws::stream_base::decorator{[headers = std::move(headers)](ws::response_type& answer) {
                for (const auto& [name, value] : headers.all()) {
                    answer.set(name, value);
                }
            }}
        );
        // The handshake was judged already; Beast needs its fields again to answer it.
        request_ = http::request<http::empty_body>{http::verb::get, "/", 11};
        request_.set(http::field::host, "-");
        request_.set(http::field::upgrade, "websocket");
        request_.set(http::field::connection, "upgrade");
        request_.set(http::field::sec_websocket_key, key);
        request_.set(http::field::sec_websocket_version, "13");
        ++under_way_;
        socket_.async_accept(request_, [this](const boost::beast::error_code& failure) {
            accepted_ = !failure;
            ended_if(failure);
            finish_one();
        });
        while (under_way_ != 0) {
            const result<> waited = co_await changed_.wait();
            if (!waited) {
                // The operation is the session's: it ends with the stream.
                stream_.close();
                co_await shielded(until_idle());
                co_return waited.error();
            }
        }
        if (!accepted_) {
            co_return end_reason_.value_or(errc::connection_closed);
        }
        pump();
        co_return result<>{};
    }

    awaitable<result<std::string>> read() {
        while (inbox_.empty()) {
            if (end_reason_) {
                co_return *end_reason_;
            }
            const result<> waited = co_await changed_.wait();
            if (!waited) {
                co_return waited.error();
            }
        }
        std::string message = std::move(inbox_.front());
        inbox_.pop_front();
        inbox_bytes_ -= message.size();
        pump();
        co_return message;
    }

    awaitable<result<>> write(std::string text) {
        const coroutine_context context = co_await this_context();
        const deadline stall{context.where->now() + settings_.write_stall};
        // A write that was cancelled may still be under way.
        const result<> is_free = co_await with_deadline(stall, until_written());
        if (!is_free) {
            co_return give_up(is_free.error());
        }
        if (end_reason_ || is_closing_) {
            co_return end_reason_.value_or(errc::connection_closed);
        }
        outgoing_ = std::move(text);
        is_writing_ = true;
        ++under_way_;
        socket_.async_write(
            asio::const_buffer{outgoing_.data(), outgoing_.size()},
            [this](const boost::beast::error_code& failure, std::size_t) {
                is_writing_ = false;
                has_write_failed_ = static_cast<bool>(failure);
                ended_if(failure);
                finish_one();
            }
        );
        const result<> is_written = co_await with_deadline(stall, until_written());
        if (!is_written) {
            co_return give_up(is_written.error());
        }
        if (has_write_failed_) {
            co_return end_reason_.value_or(errc::connection_closed);
        }
        co_return result<>{};
    }

    awaitable<void> close(std::uint16_t code, std::string reason) {
        if (!accepted_ || is_closing_ || end_reason_) {
            co_return;
        }
        start_close(code, std::move(reason));
        const coroutine_context context = co_await this_context();
        const deadline goodbye{context.where->now() + settings_.goodbye_time};
        // An end without the peer's good-bye is an end too.
        const result<> closed = co_await with_deadline(goodbye, until_closed());
        if (!closed) {
            stream_.close();
        }
    }

    awaitable<void> end(std::uint16_t code) {
        co_await close(code, std::string());
        stream_.close();
        co_await until_idle();
    }

    void input_changed() { socket_.next_layer().input_changed(); }

   private:
    /// Keeps one read under way while the inbox has room.
    void pump() {
        if (is_reading_ || end_reason_ || inbox_.size() >= inbox_messages ||
            inbox_bytes_ > settings_.max_message) {
            return;
        }
        is_reading_ = true;
        ++under_way_;
        socket_.async_read(buffer_, [this](const boost::beast::error_code& failure, std::size_t) {
            is_reading_ = false;
            receive(failure);
            finish_one();
        });
    }

    void receive(const boost::beast::error_code& failure) {
        ended_if(failure);
        if (end_reason_) {
            return;
        }
        if (!socket_.got_text()) {
            end_reason_ = errc::invalid_argument;
            start_close(ws::close_code::unknown_data, "text only");
            return;
        }
        const auto bytes = buffer_.cdata();
        inbox_.emplace_back(static_cast<const char*>(bytes.data()), bytes.size());
        inbox_bytes_ += bytes.size();
        buffer_.clear();
        if (buffer_.capacity() > kept_buffer) {
            buffer_.shrink_to_fit();
        }
        pump();
    }

    void start_close(std::uint16_t code, std::string reason) {
        if (is_closing_) {
            return;
        }
        is_closing_ = true;
        ++under_way_;
        // Control frames hold 125 bytes, two of them the code.
        reason.resize(std::min<std::size_t>(reason.size(), 123));
        socket_.async_close(
            ws::close_reason{static_cast<ws::close_code>(code), reason},
            [this](const boost::beast::error_code&) {
                is_closed_ = true;
                finish_one();
            }
        );
    }

    void ended_if(const error_code& failure) {
        if (failure && !end_reason_) {
            end_reason_ = reason_of(failure);
        }
    }

    void finish_one() {
        --under_way_;
        changed_.notify_all();
    }

    errc give_up(const error_code& failure) {
        if (failure == errc::timed_out && !end_reason_) {
            end_reason_ = errc::timed_out;
            stream_.close();
            changed_.notify_all();
        }
        return static_cast<errc>(failure.value());
    }

    awaitable<result<>> until_written() {
        while (is_writing_) {
            const result<> waited = co_await changed_.wait();
            if (!waited) {
                co_return waited.error();
            }
        }
        co_return result<>{};
    }

    awaitable<result<>> until_closed() {
        while (!is_closed_) {
            const result<> waited = co_await changed_.wait();
            if (!waited) {
                co_return waited.error();
            }
        }
        co_return result<>{};
    }

    awaitable<void> until_idle() {
        while (under_way_ != 0) {
            const result<> waited = co_await changed_.wait();
            CONVENE_ASSERT(waited.has_value(), "the end of a WebSocket was cancelled");
        }
    }

    // fixed after construction
    websocket_settings settings_;
    net_stream& stream_;

    // touched on the loop only
    beast_socket socket_;
    http::request<http::empty_body> request_;
    boost::beast::flat_buffer buffer_;
    std::deque<std::string> inbox_;
    std::size_t inbox_bytes_ = 0;
    std::string outgoing_;
    bool accepted_ = false;
    bool is_reading_ = false;
    bool is_writing_ = false;
    bool has_write_failed_ = false;
    bool is_closing_ = false;
    bool is_closed_ = false;
    std::optional<errc> end_reason_;  ///< set once nothing can be read any more
    std::size_t under_way_ = 0;
    wait_flag changed_;  ///< notified after each operation's end
};

websocket_session::websocket_session(
    loop& where, net_stream& stream, read_ahead& input, const websocket_settings& settings
)
    : impl_(std::make_unique<implementation>(where, stream, input, settings)) {}

websocket_session::~websocket_session() = default;

awaitable<result<>> websocket_session::accept(std::string key, http_headers headers) {
    return impl_->accept(std::move(key), std::move(headers));
}

awaitable<result<std::string>> websocket_session::read() { return impl_->read(); }

awaitable<result<>> websocket_session::write(std::string text) {
    return impl_->write(std::move(text));
}

awaitable<void> websocket_session::close(std::uint16_t code, std::string reason) {
    return impl_->close(code, std::move(reason));
}

awaitable<void> websocket_session::end(std::uint16_t code) { return impl_->end(code); }

void websocket_session::input_changed() noexcept { impl_->input_changed(); }

}  // namespace convene
