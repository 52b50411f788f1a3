// SPDX-License-Identifier: Apache-2.0
// What the plain and the TLS stream share: taking over a descriptor, and errors of sockets in our words.
#pragma once

#include "convene/error.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <string>

#include "runtime/io_operation.hpp"

namespace convene {

/// A socket of a connected descriptor; closed if the system refuses it.
[[nodiscard]] boost::asio::ip::tcp::socket adopt_socket(
    boost::asio::io_context& reactor, int descriptor
);

[[nodiscard]] std::string address_of_peer(const boost::asio::ip::tcp::socket& socket);

/// `cancelled`, `connection_closed` or `io_failed`.
[[nodiscard]] error_code describe_socket_error(const error_code& failure) noexcept;

/// A handler that reports to an `io_completion` in our words.
class report_socket {
   public:
    explicit report_socket(io_completion& told) noexcept : told_(&told) {}

    void operator()(const error_code& failure, std::size_t count = 0) const noexcept {
        told_->completed(failure ? describe_socket_error(failure) : failure, count);
    }

   private:
    io_completion* told_;
};

}  // namespace convene
