// SPDX-License-Identifier: Apache-2.0
// The client of raw bytes.
#include "net/raw_client.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cstdlib>
#include <netinet/in.h>
#include <sys/socket.h>
#include <utility>

namespace convene {

namespace {

/// Loopback connects at once, whether the other end accepts yet or not.
int connect_to(std::uint16_t port) {
    const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return made;
}

}  // namespace

raw_client::raw_client(loop& where, std::uint16_t port)
    : where_(where),
      descriptor_(connect_to(port)),
      stream_(make_plain_stream(where, descriptor_)) {}

raw_client::~raw_client() = default;

awaitable<bool> raw_client::send(std::string text) {
    outgoing_bytes rest;
    rest.add(text);
    const result<> sent = co_await stream_->write(&rest, patience);
    co_return sent.has_value();
}

awaitable<bool> raw_client::read_more() {
    std::string piece(64U << 10U, '\0');
    const deadline until{where_.now() + patience};
    const result<std::size_t> read = co_await with_deadline(
        until, stream_->read_some(piece.data(), piece.size())
    );
    if (!read) {
        EXPECT_EQ(read.error(), errc::connection_closed) << "the answer did not come in time";
        has_ended_ = true;
        co_return false;
    }
    received_.append(piece, 0, *read);
    co_return true;
}

awaitable<std::string> raw_client::receive(std::string mark, int times) {
    for (;;) {
        std::size_t at = 0;
        int found = 0;
        while (found < times && (at = received_.find(mark, at)) != std::string::npos) {
            at += mark.size();
            ++found;
        }
        if (found == times) {
            std::string taken = received_.substr(0, at);
            received_.erase(0, at);
            co_return taken;
        }
        const bool more = co_await read_more();
        if (!more) {
            co_return std::exchange(received_, {});
        }
    }
}

awaitable<std::string> raw_client::receive_all() {
    bool more = true;
    while (more) {
        more = co_await read_more();
    }
    co_return std::exchange(received_, {});
}

awaitable<std::string> raw_client::receive_answer() {
    std::string answer = co_await receive("\r\n\r\n", 1);
    const std::size_t at = answer.find("content-length: ");
    if (at == std::string::npos) {
        co_return answer;
    }
    const std::size_t length = std::strtoul(answer.c_str() + at + 16, nullptr, 10);
    bool more = true;
    while (received_.size() < length && more) {
        more = co_await read_more();
    }
    answer += received_.substr(0, length);
    received_.erase(0, length);
    co_return answer;
}

void raw_client::shut_down_sending() { ::shutdown(descriptor_, SHUT_WR); }

void raw_client::leave() { stream_->close(); }

void raw_client::reset() {
    const linger at_once{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    stream_->close();
}

std::string body_of(const std::string& message) {
    const std::size_t end = message.find("\r\n\r\n");
    return end == std::string::npos ? std::string{} : message.substr(end + 4);
}

}  // namespace convene
