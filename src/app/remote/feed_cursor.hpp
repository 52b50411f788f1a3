// SPDX-License-Identifier: Apache-2.0
// What the bytes of a room's stream come to: events in order, a place to go on from, and the end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/conversations.hpp"
#include "app/remote/server_address.hpp"
#include "net/sse_frames.hpp"

namespace convene {

/// One reader's place in a room, through any number of connections. No I/O.
///
/// *Lifetime*: the address outlives it.
class feed_cursor {
   public:
    /// What has a greater index than `after` is wanted.
    feed_cursor(const server_address& server, const room& followed, event_index after);

    /// Where the next connection goes on: `Last-Event-ID`.
    [[nodiscard]] const std::string& position() const noexcept { return position_; }

    /// How long the server wants its readers to stay away, if it said so.
    [[nodiscard]] std::optional<milliseconds> retry() const noexcept { return frames_.retry(); }

    /// Another connection begins: what the last one left of a frame is none.
    void begin_connection();

    void push(std::string_view bytes);

    /// The events that came since the last call, each index once; or, when nothing is left before it, why there
    /// are no more.
    [[nodiscard]] outcome<std::vector<room_event>> take();

   private:
    void take_frame(const sse_frame& frame);
    void take_message(const std::string& data);

    const server_address& server_;
    event_index last_;      ///< came last
    std::string position_;  ///< behind the last frame
    sse_frames frames_;
    std::vector<room_event> ready_;
    std::optional<failure> end_;
};

}  // namespace convene
