// SPDX-License-Identifier: Apache-2.0
// The load of the HTTP benchmark: one connection to a server on this machine, kept open, and as cheap as can be.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/loop.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "net/net_stream.hpp"

namespace convene {

/// *Thread safety*: loop only. *Errors*: whatever goes wrong is thrown: a benchmark has nothing else to do.
class wire_client {
   public:
    wire_client(loop& where, std::uint16_t port, std::string token);
    ~wire_client();

    /// One request and its whole answer.
    struct answer {
        int status = 0;
        std::string body;
    };

    [[nodiscard]] awaitable<answer> ask(std::string method, std::string path, std::string body);

    /// Asks for a stream and reads its head; then come its pieces.
    [[nodiscard]] awaitable<void> open_stream(std::string path);
    [[nodiscard]] awaitable<std::string> read_piece();

   private:
    [[nodiscard]] awaitable<void> write(std::string text);
    [[nodiscard]] awaitable<void> read_more();

    const std::string token_;
    const std::unique_ptr<net_stream> stream_;
    std::string received_;
    std::unique_ptr<char[]> buffer_;
};

}  // namespace convene
