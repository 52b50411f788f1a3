// SPDX-License-Identifier: Apache-2.0
// Marks of detached channels.
#include "room/detached.hpp"

#include "base/json_writer.hpp"

namespace convene {

std::string detached_key(const channel_id& channel) { return "convene:detached:" + channel.str(); }

bool was_detached(const room& room, const channel_id& channel) {
    // Metadata is canonical JSON: a key has exactly one spelling, followed by a colon.
    std::string spelled;
    append_json_string(spelled, detached_key(channel));
    spelled += ':';
    return room.metadata.str().find(spelled) != std::string::npos;
}

}  // namespace convene
