// SPDX-License-Identifier: Apache-2.0
// Feed cursor: from frames to events.
#include "app/remote/feed_cursor.hpp"

#include <algorithm>
#include <utility>

#include "app/remote/api_client.hpp"
#include "app/remote/shapes.hpp"
#include "base/json_scanner.hpp"
#include "live/tail_position.hpp"

namespace convene {

namespace {

/// A frame holds one event.
constexpr std::size_t most_frame_bytes = std::size_t{16} << 20U;

failure stream_ended(std::string_view reason) {
    if (reason == "room_deleted") {
        return {exit_code::refused, "ROOM was deleted", {}};
    }
    return {
        exit_code::usage,
        "the token (CONVENE_TOKEN) may not see ROOM any more",
        "use one that may: access was removed while the room was followed"
    };
}

/// The server would not know an index that is still to come.
event_index known_start(const room& followed, event_index after) {
    return std::min(after, followed.latest_index);
}

/// The reason that a frame gives; empty if it gives none.
std::string reason_in(const std::string& data) {
    const auto scanned = scan_json(
        data, "", boundary_limits::of_stored_json(), text_policy::replace
    );
    return scanned ? find_text(scanned->canonical, "reason").value_or("") : "";
}

}  // namespace

feed_cursor::feed_cursor(const server_address& server, const room& followed, event_index after)
    : server_(server),
      last_(after),
      position_(tail_position{followed.timeline_epoch, known_start(followed, after)}.text()),
      frames_(most_frame_bytes) {}

void feed_cursor::begin_connection() { frames_ = sse_frames{most_frame_bytes}; }

void feed_cursor::push(std::string_view bytes) {
    const result<> pushed = frames_.push(bytes);
    while (auto frame = frames_.next()) {
        take_frame(*frame);
    }
    if (!pushed && !end_) {
        end_ = unknown_answer("data", server_);
    }
}

outcome<std::vector<room_event>> feed_cursor::take() {
    if (ready_.empty() && end_) {
        return *end_;
    }
    return std::exchange(ready_, {});
}

/// Nothing is taken behind an end: what follows would leave a gap.
void feed_cursor::take_frame(const sse_frame& frame) {
    if (end_) {
        return;
    }
    if (frame.event == "message") {
        take_message(frame.data);
    } else if (frame.event == "resync") {
        end_ = room_was_repaired();
    } else if (frame.event == "end") {
        // Any other reason asks to come again, and the connection ends now.
        const std::string reason = reason_in(frame.data);
        if (reason == "access_removed" || reason == "room_deleted") {
            end_ = stream_ended(reason);
        }
    }
    if (!end_ && !frame.id.empty()) {
        position_ = frame.id;
    }
}

void feed_cursor::take_message(const std::string& data) {
    const auto scanned = scan_json(
        data, "", boundary_limits::of_stored_json(), text_policy::reject
    );
    if (!scanned) {
        end_ = unknown_answer("data", server_);
        return;
    }
    checked<room_event> event = read_event(scanned->canonical);
    if (!event) {
        end_ = unknown_answer(event.error().field, server_);
        return;
    }
    if (event->index > last_) {
        last_ = event->index;
        ready_.push_back(std::move(*event));
    }
}

}  // namespace convene
