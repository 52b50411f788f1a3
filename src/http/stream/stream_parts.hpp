// SPDX-License-Identifier: Apache-2.0
// What streams and sockets work with, and their routes.
#pragma once

#include "convene/room_kit.hpp"

#include <chrono>
#include <vector>

#include "http/principal.hpp"
#include "http/route.hpp"
#include "live/inbox_feed.hpp"
#include "live/notice_feed.hpp"
#include "live/presence_board.hpp"
#include "live/realtime.hpp"
#include "live/room_tails.hpp"

namespace convene {

/// Owns nothing; outlives the routes and every stream that they open.
struct stream_parts {
    executor* where = nullptr;
    room_kit* kit = nullptr;
    authenticator* who = nullptr;
    room_tails* tails = nullptr;
    inbox_feed* inbox = nullptr;
    notice_feed* notices = nullptr;
    realtime_backend* realtime = nullptr;
    presence_board* presence = nullptr;
    const wall_clock* clock = nullptr;
    random_source* random = nullptr;
    wait_flag* draining = nullptr;                ///< set when this worker begins to go away
    std::chrono::milliseconds heartbeat{15'000};  ///< a stream is never silent for longer
};

/// `GET rooms/{room_id}/stream`, `GET framework-events/stream`, `POST rooms/{room_id}/realtime`, `GET ws`.
[[nodiscard]] std::vector<route> stream_routes(stream_parts parts);

}  // namespace convene
