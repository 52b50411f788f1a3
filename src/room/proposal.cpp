// SPDX-License-Identifier: Apache-2.0
// Where a proposal stands among what others caused.
#include "room/proposal.hpp"

namespace convene {

void place_behind(const event_cause& cause, cause_ledger* counted, proposal* sent) {
    sent->event.caused_by = cause.event;
    sent->event.chain_depth = cause.depth + 1;
    sent->event.plan.cascade = cause.cascade;
    sent->event.plan.budget = counted->take(cause);
    sent->chain = cause.rooms;
}

}  // namespace convene
