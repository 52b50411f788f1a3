// SPDX-License-Identifier: Apache-2.0
// The door between our loop and Asio: its reactor, and a handler that reports to an `io_completion`.
#pragma once

#include "convene/loop.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>

#include "runtime/io_operation.hpp"

namespace convene {

/// Gives adapters what sockets are attached to. *Lifetime*: the context is the loop's.
class loop_reactor {
   public:
    [[nodiscard]] static boost::asio::io_context& of(loop& where) noexcept;
};

/// The handler for an operation of Asio that is started for an `io_completion`.
class report_to {
   public:
    explicit report_to(io_completion& told) noexcept : told_(&told) {}

    void operator()(const error_code& failure, std::size_t count = 0) const noexcept {
        told_->completed(failure, count);
    }

   private:
    io_completion* told_;
};

}  // namespace convene
