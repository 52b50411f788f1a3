// SPDX-License-Identifier: Apache-2.0
// Target outcome: from a deferred row to its place in the outbound queue.
#include "channel/target_outcome.hpp"

namespace convene {

outbound_item make_outbound_item(
    const delivery_row& row, const target_outcome& deferred, wall_time now
) {
    outbound_item item;
    item.room = row.room;
    item.channel = row.channel;
    item.address = row.address;
    item.event = row.event;
    item.index = row.index;
    item.delivery = row.id;
    item.attempts = deferred.attempts;
    item.not_before = now + deferred.defer_for;
    item.last_error = deferred.outcome.error_message;
    return item;
}

}  // namespace convene
