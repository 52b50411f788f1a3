// SPDX-License-Identifier: Apache-2.0
// Unread: through which channels a person sees a room.
#include "http/unread.hpp"

#include "http/room_access.hpp"

namespace convene {

ops::count_unread unread_of(const std::string& reader, const room_context& around) {
    ops::count_unread request;
    request.organization = around.room.organization;
    request.room = around.room.id;
    request.reader = reader;
    request.channels.push_back(web_channel());
    for (const binding& bound : around.bindings) {
        if (bound.participant.str() == reader) {
            request.channels.push_back(bound.channel);
        }
    }
    return request;
}

}  // namespace convene
