// SPDX-License-Identifier: Apache-2.0
// Workflows in memory: finding, settling, telling, forgetting.
#include "store/memory/workflow_tables.hpp"

#include <algorithm>
#include <utility>

namespace convene {

namespace {

/// Removes some that match. True if there may be more.
template <class Map, class Predicate>
bool erase_up_to(Map& map, std::size_t limit, Predicate matches) {
    std::size_t erased = 0;
    for (auto next = map.begin(); next != map.end() && erased < limit;) {
        const bool is_match = matches(next->second);
        next = is_match ? map.erase(next) : std::next(next);
        erased += is_match ? 1 : 0;
    }
    return erased == limit;
}

}  // namespace

workflow_tables::workflow_row* workflow_tables::find(
    const organization_id& organization, const workflow_id& id
) {
    const auto known = workflows.find(id);
    const bool is_theirs = known != workflows.end() &&
                           known->second.info.organization == organization;
    return is_theirs ? &known->second : nullptr;
}

const workflow_tables::execution_row* workflow_tables::find(
    const organization_id& organization, const room_id& room
) const {
    const auto known = executions.find(room);
    const bool is_theirs = known != executions.end() &&
                           known->second.info.organization == organization;
    return is_theirs ? &known->second : nullptr;
}

workflow_tables::execution_row* workflow_tables::find_execution(const room_id& room) {
    const auto known = executions.find(room);
    return known == executions.end() ? nullptr : &known->second;
}

workflow_tables::workflow_row* workflow_tables::find_design(const room_id& room) {
    const auto known = std::ranges::find_if(workflows, [&room](const auto& entry) {
        return !room.empty() && entry.second.info.room == room;
    });
    return known == workflows.end() ? nullptr : &known->second;
}

bool workflow_tables::is_over(const room_id& room) const {
    const auto known = executions.find(room);
    return known != executions.end() && known->second.info.status != execution_status::running;
}

void workflow_tables::settle_generation(
    const room_id& room, std::string_view error, wall_time now
) {
    workflow_row* const design = find_design(room);
    if (design != nullptr && design->info.status == workflow_status::generating) {
        design->info = after_generation(std::move(design->info), error, now);
        tell(notice_of(design->info, now));
    }
}

void workflow_tables::tell(notification told) {
    const bool is_told = std::ranges::any_of(notifications, [&told](const auto& entry) {
        return entry.second.id == told.id;
    });
    if (!is_told) {
        notifications.emplace(++last_notification, std::move(told));
    }
}

void workflow_tables::forget_room(const room_id& room) {
    executions.erase(room);
    if (workflow_row* const design = find_design(room)) {
        workflow& info = design->info;
        info.room = room_id{};
        ++info.revision;
        if (info.status == workflow_status::generating) {
            info.status = workflow_status::failed;
            info.error = "room_deleted";
        }
    }
}

bool workflow_tables::forget_organization(const organization_id& leaving, std::size_t limit) {
    const bool has_more_workflows = erase_up_to(workflows, limit, [&](const workflow_row& row) {
        return row.info.organization == leaving;
    });
    const bool has_more_notices = erase_up_to(notifications, limit, [&](const notification& told) {
        return told.organization == leaving;
    });
    return has_more_workflows || has_more_notices;
}

}  // namespace convene
