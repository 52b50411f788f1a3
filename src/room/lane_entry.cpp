// SPDX-License-Identifier: Apache-2.0
// Who shares the budget of an event, and what goes out with a part of it.
#include "room/lane_entry.hpp"

#include <algorithm>
#include <utility>

#include "room/plan.hpp"

namespace convene {

std::size_t count_budget_sharers(
    const std::vector<delivery_row>& rows,
    const hook_registry& local,
    const channel_registry& channels
) {
    const auto sharers = std::ranges::count_if(rows, [&](const delivery_row& row) {
        switch (row.kind) {
            case target_kind::agent:
                return true;
            case target_kind::hook_after:
                return local.find(hook_id{row.channel.str()}) == nullptr;
            case target_kind::channel:
                break;
        }
        const std::shared_ptr<channel> to = channels.find(row.channel);
        return to != nullptr && to->carries_causes();
    });
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(sharers, 1));
}

event_cause make_delivery_cause(
    const organization_id& organization,
    const room_event& event,
    const delivery_row& row,
    std::size_t budget_sharers,
    std::vector<room_id> waiting
) {
    event_cause cause;
    cause.call = row.id.str();
    cause.organization = organization;
    cause.event = event.id;
    cause.cascade = event.plan.cascade;
    cause.depth = event.chain_depth;
    cause.budget = split_budget(event.plan.budget, budget_sharers) + 1;
    cause.rooms = std::move(waiting);
    return cause;
}

}  // namespace convene
