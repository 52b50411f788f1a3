// SPDX-License-Identifier: Apache-2.0
// The TLS stream of a server, by OpenSSL below Asio.
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <openssl/ssl.h>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "net/asio_socket.hpp"
#include "net/net_stream.hpp"
#include "runtime/loop_reactor.hpp"

namespace convene {

namespace ssl = boost::asio::ssl;
using boost::asio::ip::tcp;

struct tls_server_identity::context {
    ssl::context tls{ssl::context::tls_server};
};

namespace {

/// The most that one TLS record carries.
constexpr std::size_t record_bytes = 16U << 10U;

constexpr std::string_view spoken_protocol{"\x08http/1.1"};

/// Who offers protocols and not ours is refused; who offers none speaks ours.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* chosen_length, const unsigned char* offered, unsigned int offered_length, void*) {
    const auto* ours = reinterpret_cast<const unsigned char*>(spoken_protocol.data());
    unsigned char* found = nullptr;
    const int outcome = SSL_select_next_proto(
        &found,
        chosen_length,
        ours,
        static_cast<unsigned int>(spoken_protocol.size()),
        offered,
        offered_length
    );
    *chosen = found;
    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

result<> refuse_file(std::string_view what, const std::string& file, const error_code& failure) {
    log(log_level::error,
        "tls_file_refused",
        {{"what", what}, {"file", std::string_view{file}}, {"error", failure}});
    return errc::invalid_argument;
}

result<> load_into(ssl::context& tls, const tls_server_settings& settings) {
    error_code failure;
    tls.set_options(
        ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3 |
            ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1,
        failure
    );
    SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
    SSL_CTX_set_options(tls.native_handle(), SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(tls.native_handle(), SSL_MODE_RELEASE_BUFFERS);
    tls.use_certificate_chain_file(settings.certificate_file, failure);
    if (failure) {
        return refuse_file("certificate", settings.certificate_file, failure);
    }
    tls.use_private_key_file(settings.key_file, ssl::context::pem, failure);
    if (failure) {
        return refuse_file("key", settings.key_file, failure);
    }
    if (SSL_CTX_check_private_key(tls.native_handle()) != 1) {
        return refuse_file("key", settings.key_file, errc::invalid_argument);
    }
    if (!settings.client_ca_file.empty()) {
        tls.load_verify_file(settings.client_ca_file, failure);
        if (failure) {
            return refuse_file("client_ca", settings.client_ca_file, failure);
        }
        tls.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, failure);
        // Sessions of clients are told apart by a context, without which they can't be resumed.
        constexpr std::string_view session_context{"convene"};
        SSL_CTX_set_session_id_context(
            tls.native_handle(),
            reinterpret_cast<const unsigned char*>(session_context.data()),
            static_cast<unsigned int>(session_context.size())
        );
    }
    SSL_CTX_set_alpn_select_cb(tls.native_handle(), choose_protocol, nullptr);
    return {};
}

/// A close without the peer's good-bye ends a stream like one with it: lengths tell what was whole.
error_code describe_tls_error(const error_code& failure) noexcept {
    if (failure.category() == boost::asio::error::get_ssl_category() ||
        failure.category() == ssl::error::get_stream_category()) {
        return errc::connection_closed;
    }
    return describe_socket_error(failure);
}

class report_tls {
   public:
    explicit report_tls(io_completion& told) noexcept : told_(&told) {}

    void operator()(const error_code& failure, std::size_t count = 0) const noexcept {
        told_->completed(failure ? describe_tls_error(failure) : failure, count);
    }

   private:
    io_completion* told_;
};

class tls_stream final : public net_stream {
   public:
    tls_stream(loop& where, int descriptor, ssl::context& tls)
        : stream_(adopt_socket(loop_reactor::of(where), descriptor), tls),
          peer_(address_of_peer(stream_.next_layer())) {}

    void start_read(char* into, std::size_t size, io_completion& told) override {
        stream_.async_read_some(boost::asio::mutable_buffer{into, size}, report_tls{told});
    }

    [[nodiscard]] bool can_write_now() const noexcept override { return false; }

    result<std::size_t> write_now(const outgoing_bytes&) override { return std::size_t{0}; }

    /// Small pieces are joined, so that a head and its body share a record.
    void start_write(const outgoing_bytes& bytes, io_completion& told) override {
        const auto pieces = bytes.pieces();
        std::string_view record = pieces.front().substr(0, record_bytes);
        if (pieces.size() > 1 && record.size() < record_bytes) {
            joined_.clear();
            for (const std::string_view piece : pieces) {
                joined_ += piece.substr(0, record_bytes - joined_.size());
            }
            record = joined_;
        }
        stream_.async_write_some(
            boost::asio::const_buffer{record.data(), record.size()}, report_tls{told}
        );
    }

    void cancel_write() noexcept override { close(); }

    void start_shutdown(io_completion& told) override { stream_.async_shutdown(report_tls{told}); }

    void close() noexcept override {
        error_code ignored;
        stream_.next_layer().close(ignored);
    }

    [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

    awaitable<result<>> open() override {
        auto greeting = io_operation{
            [this](io_completion& told) {
                stream_.async_handshake(ssl::stream_base::server, report_tls{told});
            },
            [this] { close(); }
        };
        const result<std::size_t> greeted = co_await greeting;
        if (!greeted) {
            co_return greeted.error();
        }
        co_return result<>{};
    }

   private:
    ssl::stream<tcp::socket> stream_;
    std::string peer_;
    std::string joined_;
};

}  // namespace

tls_server_identity::tls_server_identity(std::unique_ptr<context> loaded)
    : context_(std::move(loaded)) {}

tls_server_identity::~tls_server_identity() = default;

result<std::unique_ptr<tls_server_identity>> tls_server_identity::load(
    const tls_server_settings& settings
) {
    auto made = std::make_unique<context>();
    const result<> loaded = load_into(made->tls, settings);
    if (!loaded) {
        return loaded.error();
    }
    return std::unique_ptr<tls_server_identity>{new tls_server_identity{std::move(made)}};
}

std::unique_ptr<net_stream> make_tls_stream(
    loop& where, int descriptor, tls_server_identity& identity
) {
    return std::make_unique<tls_stream>(where, descriptor, identity.context_->tls);
}

}  // namespace convene
