// SPDX-License-Identifier: Apache-2.0
// Listening, accepting, and the life of all connections together.
#include "net/http_server.hpp"

#include "convene/task_scope.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "net/http_connection.hpp"
#include "net/listening_socket.hpp"
#include "runtime/loop_reactor.hpp"

namespace convene {

namespace {

/// Connections taken in one go before others get their turn.
constexpr int accepts_per_turn = 32;

/// When the process is out of descriptors or memory, others must end before it can go on.
constexpr milliseconds pause_when_exhausted{100};

error_code system_error() { return {errno, boost::system::system_category()}; }

/// A descriptor of its own, of a new socket or of the one that was given.
result<int> listen_as(const http_server_settings& settings) {
    if (settings.listening_descriptor) {
        return listening_socket::duplicate(*settings.listening_descriptor);
    }
    const result<listening_socket> opened = listening_socket::open(settings.host, settings.port);
    return opened ? listening_socket::duplicate(opened->descriptor()) : opened.error();
}

}  // namespace

class http_server::implementation {
   public:
    implementation(loop& where, http_server_settings settings, http_handler handler)
        : settings_(std::move(settings)),
          handler_(std::move(handler)),
          service_{where, settings_, handler_, counters_, draining_, {}, {}},
          listener_(loop_reactor::of(where)),
          accepting_(where),
          serving_(where) {}

    result<> start() {
        if (settings_.tls) {
            auto loaded = tls_server_identity::load(*settings_.tls);
            if (!loaded) {
                return loaded.error();
            }
            identity_ = std::move(*loaded);
        }
        const result<int> listening = listen_as(settings_);
        if (!listening) {
            return listening.error();
        }
        error_code refused;
        listener_.assign(*listening, refused);
        if (refused) {
            ::close(*listening);
            return errc::io_failed;
        }
        port_ = listening_socket::port_of(*listening);
        accepting_.spawn("http_server.accept", accept_all());
        return {};
    }

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    [[nodiscard]] wait_flag& draining() noexcept { return draining_; }

    [[nodiscard]] const http_counters& counters() const noexcept { return counters_; }

    awaitable<void> drain(deadline until) {
        co_await stop_accepting();
        const result<> ended = co_await with_deadline(until, until_quiet());
        static_cast<void>(ended);
        serving_.request_stop();
        co_await serving_.join();
    }

    awaitable<void> stop() {
        co_await stop_accepting();
        serving_.request_stop();
        co_await serving_.join();
    }

   private:
    awaitable<void> stop_accepting() {
        draining_.set();
        for (http_connection& each : connections_) {
            each.begin_drain();
        }
        accepting_.request_stop();
        co_await accepting_.join();
        error_code ignored;
        listener_.close(ignored);
    }

    /// `join` would cancel the connections with its caller.
    awaitable<result<>> until_quiet() {
        while (serving_.size() != 0) {
            const result<> waited = co_await one_ended_.wait();
            if (!waited) {
                co_return waited;
            }
        }
        co_return result<>{};
    }

    awaitable<result<std::size_t>> until_acceptable() {
        auto waiting = io_operation{
            [this](io_completion& told) {
                listener_.async_wait(
                    boost::asio::posix::stream_descriptor::wait_read, report_to{told}
                );
            },
            [this] { listener_.cancel(); }
        };
        const result<std::size_t> waited = co_await waiting;
        co_return waited;
    }

    awaitable<void> accept_all() {
        for (;;) {
            const result<std::size_t> ready = co_await until_acceptable();
            if (!ready) {
                co_return;
            }
            co_await let_others_go_first();
            if (accept_some()) {
                continue;
            }
            const result<> paused = co_await sleep_for(pause_when_exhausted);
            if (!paused) {
                co_return;
            }
        }
    }

    /// A process with more connections than others looks a moment later; one that is frozen keeps nobody waiting longer.
    awaitable<void> let_others_go_first() {
        constexpr milliseconds a_moment{2};
        if (settings_.board != nullptr &&
            settings_.board->has_more_than_others(settings_.place_on_board)) {
            const result<> paused = co_await sleep_for(a_moment);
            static_cast<void>(paused);  // a cancelled wait shows at the next readiness
        }
    }

    void note_open() const noexcept {
        if (settings_.board != nullptr) {
            settings_.board->note(settings_.place_on_board, counters_.connections_open);
        }
    }

    /// False when the system has no means for another connection.
    bool accept_some() {
        for (int i = 0; i < accepts_per_turn; ++i) {
            const int descriptor = ::accept4(
                listener_.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC
            );
            if (descriptor >= 0) {
                take(descriptor);
            } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
                log(log_level::warn, "http_accept_failed", {{"error", system_error()}});
                return false;
            } else if (errno != EINTR && errno != ECONNABORTED) {
                // Nobody waits any more, or another process was faster.
                return true;
            }
        }
        return true;
    }

    void take(int descriptor) {
        if (counters_.connections_open >= settings_.max_connections) {
            turn_away(descriptor);
            return;
        }
        ++counters_.connections_accepted;
        ++counters_.connections_open;
        note_open();
        auto stream = identity_ ? make_tls_stream(service_.where, descriptor, *identity_)
                                : make_plain_stream(service_.where, descriptor);
        auto taken = std::make_unique<http_connection>(service_, std::move(stream));
        connections_.push_back(*taken);
        serving_.spawn("http_connection", serve(std::move(taken)));
    }

    awaitable<void> serve(std::unique_ptr<http_connection> served) {
        co_await served->run();
        served.reset();
        --counters_.connections_open;
        note_open();
        one_ended_.notify_all();
    }

    /// One attempt: whoever is turned away costs nothing but this. Over TLS it sees a closed connection.
    void turn_away(int descriptor) {
        ++counters_.connections_refused;
        ++counters_.refusals[static_cast<std::size_t>(http_refusal::too_many_connections)];
        if (!identity_) {
            const std::string body = problem_of(http_refusal::too_many_connections);
            std::string answer =
                "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
                "content-type: application/problem+json\r\ncontent-length: ";
            answer += std::to_string(body.size()) + "\r\n\r\n" + body;
            const ssize_t ignored = ::send(
                descriptor, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT
            );
            static_cast<void>(ignored);
            ::shutdown(descriptor, SHUT_WR);
        }
        ::close(descriptor);
    }

    // fixed after construction
    http_server_settings settings_;
    http_handler handler_;

    // touched on the loop only
    http_counters counters_;
    wait_flag draining_;
    wait_flag one_ended_;
    http_service service_;
    std::unique_ptr<tls_server_identity> identity_;
    boost::asio::posix::stream_descriptor listener_;
    std::uint16_t port_ = 0;
    boost::intrusive::list<http_connection, boost::intrusive::constant_time_size<false>>
        connections_;
    task_scope accepting_;
    task_scope serving_;
};

http_server::http_server(loop& where, http_server_settings settings, http_handler handler)
    : impl_(std::make_unique<implementation>(where, std::move(settings), std::move(handler))) {}

http_server::~http_server() = default;

result<> http_server::start() { return impl_->start(); }

std::uint16_t http_server::port() const noexcept { return impl_->port(); }

wait_flag& http_server::draining() noexcept { return impl_->draining(); }

awaitable<void> http_server::drain(deadline until) { return impl_->drain(until); }

awaitable<void> http_server::stop() { return impl_->stop(); }

const http_counters& http_server::counters() const noexcept { return impl_->counters(); }

}  // namespace convene
