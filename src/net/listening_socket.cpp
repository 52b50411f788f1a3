// SPDX-License-Identifier: Apache-2.0
// Listening: addresses tried one after the other.
#include "net/listening_socket.hpp"

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/log.hpp"

namespace convene {

namespace {

constexpr int waiting_connections = 1024;

struct free_addresses {
    void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};

std::string last_error() { return error_code{errno, boost::system::system_category()}.message(); }

errc refused(const std::string& host, std::uint16_t port, errc code, std::string_view why) {
    log(log_level::error, "http_listen_failed", {{"host", host}, {"port", port}, {"why", why}});
    return code;
}

}  // namespace

result<listening_socket> listening_socket::open(const std::string& host, std::uint16_t port) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const int failure = ::getaddrinfo(
        host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(), &hints, &found
    );
    if (failure != 0) {
        return refused(host, port, errc::invalid_argument, ::gai_strerror(failure));
    }
    const std::unique_ptr<addrinfo, free_addresses> addresses{found};
    std::string why = "no address";
    for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
        const int made = ::socket(each->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (made < 0) {
            why = last_error();
            continue;
        }
        const int on = 1;
        ::setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        if (::bind(made, each->ai_addr, each->ai_addrlen) == 0 &&
            ::listen(made, waiting_connections) == 0) {
            return listening_socket{made};
        }
        why = last_error();
        ::close(made);
    }
    return refused(host, port, errc::io_failed, why);
}

listening_socket::listening_socket(listening_socket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

listening_socket::~listening_socket() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

std::uint16_t listening_socket::port() const noexcept { return port_of(descriptor_); }

result<int> listening_socket::duplicate(int descriptor) {
    constexpr int beyond_standard_streams = 3;
    const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, beyond_standard_streams);
    if (copy < 0 || ::fcntl(copy, F_SETFL, O_NONBLOCK) < 0) {
        log(log_level::error, "http_listen_failed", {{"why", last_error()}});
        return errc::invalid_argument;
    }
    return copy;
}

std::uint16_t listening_socket::port_of(int descriptor) noexcept {
    sockaddr_storage address{};
    socklen_t length = sizeof(address);
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length);
    // The port is in the same place in both kinds of address.
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

}  // namespace convene
