// SPDX-License-Identifier: Apache-2.0
// What a call of ours to somebody else carries, so that what they send because of it finds its place.
#pragma once

#include "convene/ids.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace convene {

/// Where an event comes from that somebody sends because we called them.
///
/// While we wait for their answer, rooms wait for us: what is sent into one of these is staged. And what is caused
/// that way counts as an agent's answers do (depth and budget of a cascade).
struct event_cause {
    std::string call;  ///< which call it was: what it causes is counted under this id
    organization_id organization;
    event_id event;  ///< the event that the call was about
    cascade_id cascade;
    std::int32_t depth = 0;      ///< chain depth of that event
    std::int32_t budget = 0;     ///< how many events the call may cause in all
    std::vector<room_id> rooms;  ///< wait for the end of the call

    friend bool operator==(const event_cause&, const event_cause&) = default;
};

}  // namespace convene
