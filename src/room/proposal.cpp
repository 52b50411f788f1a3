// SPDX-License-Identifier: Apache-2.0
// Where a proposal stands among what others caused, and whose its notes are.
#include "room/proposal.hpp"

namespace convene {

void place_behind(const event_cause& cause, cause_ledger* counted, proposal* sent) {
    sent->event.caused_by = cause.event;
    sent->event.chain_depth = cause.depth + 1;
    sent->event.plan.cascade = cause.cascade;
    sent->event.plan.budget = counted->take(cause);
    sent->chain = cause.rooms;
}

void complete_notes(id_generator* ids, proposal* sent) {
    for (room_task& left : sent->tasks) {
        left.room = sent->event.room;
        if (left.id.empty()) {
            left.id = ids->next<task_id>();
        }
    }
    for (observation& left : sent->observations) {
        left.room = sent->event.room;
        left.channel = sent->event.source.channel;
        if (left.id.empty()) {
            left.id = ids->next<observation_id>();
        }
    }
}

}  // namespace convene
