// SPDX-License-Identifier: Apache-2.0
// Workflows, executions and notifications in memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "store/workflow_rules.hpp"

namespace convene {

/// *Thread safety*: as `tables`.
class workflow_tables {
   public:
    struct workflow_row {
        std::int64_t number = 0;  ///< in the order in which they were made
        workflow info;
        std::vector<workflow_version> versions;  ///< by their numbers
    };

    struct execution_row {
        std::int64_t number = 0;  ///< in the order in which they were made
        workflow_execution info;
        std::vector<execution_task> tasks;
        std::vector<tool_invocation> invocations;  ///< by their numbers
    };

    // Null for what is absent or belongs to another organisation.
    [[nodiscard]] workflow_row* find(const organization_id& organization, const workflow_id& id);
    [[nodiscard]] const execution_row* find(
        const organization_id& organization, const room_id& room
    ) const;

    // Null if there is none.
    [[nodiscard]] execution_row* find_execution(const room_id& room);
    [[nodiscard]] workflow_row* find_design(const room_id& room);

    /// Whether the session is one of an execution that is over.
    [[nodiscard]] bool is_over(const room_id& room) const;

    /// A run of the session has ended, and waits for nobody: if it was the first of a design, that is over.
    void settle_generation(const room_id& room, std::string_view error, wall_time now);

    /// Unless it was told before.
    void tell(notification told);

    void forget_room(const room_id& room);

    /// True if there may be more than `limit` of some kind.
    bool forget_organization(const organization_id& leaving, std::size_t limit);

    std::map<workflow_id, workflow_row> workflows;
    std::map<room_id, execution_row> executions;
    std::map<std::int64_t, notification> notifications;
    std::int64_t last_workflow = 0;
    std::int64_t last_execution = 0;
    std::int64_t last_invocation = 0;
    std::int64_t last_notification = 0;
};

}  // namespace convene
