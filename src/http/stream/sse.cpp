// SPDX-License-Identifier: Apache-2.0
// Server-sent events on the wire.
#include "http/stream/sse.hpp"

#include <cstdint>

namespace convene {

namespace {

constexpr std::int64_t retry_floor_ms = 500;
constexpr std::uint64_t retry_spread_ms = 2'000;

}  // namespace

std::string sse_frame(std::string_view id, std::string_view event, std::string_view data) {
    std::string frame = "id: ";
    frame += id;
    frame += "\nevent: ";
    frame += event;
    frame += "\ndata: ";
    frame += data;
    frame += "\n\n";
    return frame;
}

std::string_view sse_heartbeat() noexcept { return ": still here\n\n"; }

std::string sse_retry(random_source& random) {
    const auto spread = static_cast<std::int64_t>(random.below(retry_spread_ms));
    return "retry: " + std::to_string(retry_floor_ms + spread) + "\n\n";
}

http_stream sse_stream() {
    http_stream stream;
    stream.headers.add("content-type", "text/event-stream; charset=utf-8");
    stream.headers.add("cache-control", "no-cache, no-transform");
    stream.headers.add("x-accel-buffering", "no");
    return stream;
}

}  // namespace convene
