// SPDX-License-Identifier: Apache-2.0
// Wire client: heads by their marks, bodies by their length.
#include "bench/wire_client.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace convene {

namespace {

constexpr std::size_t buffer_size = 16U << 10U;
constexpr std::chrono::seconds stall{60};

int connect_to(std::uint16_t port) {
    const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (made < 0 ||
        ::connect(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::fcntl(made, F_SETFL, O_NONBLOCK) != 0) {
        throw std::system_error(errno, std::generic_category(), "connecting to the server");
    }
    return made;
}

std::size_t length_in(std::string_view head) {
    constexpr std::string_view field = "content-length: ";
    const std::size_t at = head.find(field);
    std::size_t length = 0;
    if (at != std::string_view::npos) {
        const std::string_view digits = head.substr(at + field.size());
        std::from_chars(digits.data(), digits.data() + digits.size(), length);
    }
    return length;
}

}  // namespace

wire_client::wire_client(loop& where, std::uint16_t port, std::string token)
    : token_(std::move(token)),
      stream_(make_plain_stream(where, connect_to(port))),
      buffer_(std::make_unique<char[]>(buffer_size)) {}

wire_client::~wire_client() = default;

awaitable<void> wire_client::write(std::string text) {
    outgoing_bytes rest;
    rest.add(text);
    const result<> written = co_await stream_->write(&rest, stall);
    if (!written) {
        throw boost::system::system_error(written.error(), "writing a request");
    }
}

awaitable<void> wire_client::read_more() {
    const result<std::size_t> read = co_await stream_->read_some(buffer_.get(), buffer_size);
    if (!read) {
        throw boost::system::system_error(read.error(), "reading an answer");
    }
    received_.append(buffer_.get(), *read);
}

awaitable<wire_client::answer> wire_client::ask(
    std::string method, std::string path, std::string body
) {
    std::string request = fmt::format(
        "{} {} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n", method, path, token_
    );
    if (!body.empty()) {
        request += fmt::format(
            "content-type: application/json\r\ncontent-length: {}\r\n", body.size()
        );
    }
    request += "\r\n";
    request += body;
    co_await write(std::move(request));
    constexpr std::string_view head_end = "\r\n\r\n";
    std::size_t end = received_.find(head_end);
    while (end == std::string::npos) {
        co_await read_more();
        end = received_.find(head_end);
    }
    const std::size_t body_at = end + head_end.size();
    const std::size_t whole = body_at + length_in(std::string_view{received_}.substr(0, end));
    while (received_.size() < whole) {
        co_await read_more();
    }
    constexpr std::size_t status_at = 9;  // behind `HTTP/1.1 `
    answer got;
    std::from_chars(received_.data() + status_at, received_.data() + status_at + 3, got.status);
    got.body = received_.substr(body_at, whole - body_at);
    received_.erase(0, whole);
    co_return got;
}

awaitable<void> wire_client::open_stream(std::string path) {
    std::string request = fmt::format(
        "GET {} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n", path, token_
    );
    co_await write(std::move(request));
    while (received_.find("\r\n\r\n") == std::string::npos) {
        co_await read_more();
    }
    if (!received_.starts_with("HTTP/1.1 200")) {
        throw std::runtime_error("a stream was refused: " + received_);
    }
    received_.erase(0, received_.find("\r\n\r\n") + 4);
}

awaitable<std::string> wire_client::read_piece() {
    if (received_.empty()) {
        co_await read_more();
    }
    co_return std::exchange(received_, {});
}

}  // namespace convene
