// SPDX-License-Identifier: Apache-2.0
// Passing over events: every row that is not final is on record.
#include "room/pass_over.hpp"

#include <utility>

#include "room/delivery_notices.hpp"
#include "room/lane_owner.hpp"

namespace convene {

ops::finish_set make_pass_over(
    const organization_id& organization,
    event_index delivered,
    const std::vector<ops::load_lane::entry>& passed,
    const char* reason
) {
    ops::finish_set step;
    step.room = passed.front().event.room;
    step.index = delivered.next();
    step.advance_to = passed.back().event.index;
    delivery_skip skip;
    skip.room = step.room;
    skip.from = step.index;
    skip.to = step.advance_to;
    skip.reason = reason;
    for (const ops::load_lane::entry& stored : passed) {
        skip.events.push_back(stored.event.id);
        if (const incarnation_id owner = owner_of_open_row(stored); !owner.empty()) {
            skip.owner = owner;
        }
        for (const delivery_row& row : stored.rows) {
            if (is_final(row.state)) {
                continue;
            }
            ops::row_result skipped;
            skipped.id = row.id;
            skipped.state = delivery_state::skipped;
            skipped.attempts = row.attempts;
            skipped.outcome.error_code = reason;
            step.results.push_back(std::move(skipped));
        }
    }
    if (skip.owner.empty()) {
        skip.owner = passed.back().event.committed_by;
    }
    step.notices.push_back(make_delivery_skipped(organization, skip));
    step.skip = std::move(skip);
    return step;
}

}  // namespace convene
