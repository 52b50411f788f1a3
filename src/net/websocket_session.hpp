// SPDX-License-Identifier: Apache-2.0
// `websocket_session`: the server's end of one WebSocket, from the 101 answer to the close handshake.
#pragma once

#include "convene/loop.hpp"
#include "convene/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "net/http_message.hpp"
#include "net/net_stream.hpp"
#include "net/read_ahead.hpp"

namespace convene {

struct websocket_settings {
    std::size_t max_message = 1U << 20U;
    std::chrono::nanoseconds silence{
    };  ///< a peer that sends nothing for this is gone; it is pinged at half
    std::chrono::nanoseconds write_stall{};   ///< for a peer that takes nothing of a message
    std::chrono::nanoseconds goodbye_time{};  ///< for the close handshake
};

/// A WebSocket over a stream whose reading side is a `read_ahead`.
///
/// Messages are read ahead into a bounded inbox, so that pings are answered while the application thinks.
/// What is under way belongs to the session: a cancelled `read` loses no message, a cancelled `write` may
/// still be sent.
///
/// *Thread safety*: loop only. *Lifetime*: `end` is awaited before destruction.
class websocket_session final : public websocket {
   public:
    websocket_session(
        loop& where, net_stream& stream, read_ahead& input, const websocket_settings& settings
    );
    ~websocket_session() override;

    websocket_session(const websocket_session&) = delete;
    websocket_session& operator=(const websocket_session&) = delete;

    /// Answers 101. `key` is the request's. *Errors*: as of `read`.
    [[nodiscard]] awaitable<result<>> accept(std::string key, http_headers headers);

    [[nodiscard]] awaitable<result<std::string>> read() override;
    [[nodiscard]] awaitable<result<>> write(std::string text) override;
    [[nodiscard]] awaitable<void> close(std::uint16_t code, std::string reason) override;

    /// Closes with `code` unless it is closed, then the stream, and waits until nothing is under way.
    [[nodiscard]] awaitable<void> end(std::uint16_t code);

    /// The `read_ahead` has changed.
    void input_changed() noexcept;

   private:
    class implementation;

    std::unique_ptr<implementation> impl_;
};

}  // namespace convene
