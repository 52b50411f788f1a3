// SPDX-License-Identifier: Apache-2.0
// Store operations on workflows, their executions and notifications (W1 to W3).
//
// What a session's agent changes compares the session's epoch, as all that a driver writes: `driver_fenced` is final.
#pragma once

#include "convene/room.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "store/access_values.hpp"
#include "store/session_values.hpp"
#include "store/task_graph.hpp"
#include "store/workflow_values.hpp"

namespace convene::ops {

/// A room that is a session from its start.
struct new_session {
    convene::room room;
    std::vector<binding> bindings;
    std::vector<participant> participants;
    channel_id agent;
    std::string owner;
    std::optional<session_turn> turn{};  ///< the first that it has to do
};

// -- workflows ---------------------------------------------------------------------------------------------

/// Adds a workflow (`revision` 0), with the session in which it is designed if there is to be one, or replaces it as it was
/// read (its `revision`). Id, organisation, room, creator and what was published never change here. Tasks make of a failed
/// one a draft, and any change of a published one modified. Adding one that is there with the same creator answers it.
/// *Errors*: `already_exists` (the id, or the session's room), `not_found` (what is replaced), `room_changed` (it was
/// replaced meanwhile), `invalid_argument` (tasks that are no list of ones).
struct put_workflow {
    using answer = workflow;
    convene::workflow workflow;
    std::optional<new_session> session{};
    std::optional<audit_entry> audit{};
};

/// *Errors*: `not_found`.
struct get_workflow {
    using answer = workflow;
    organization_id organization;
    workflow_id workflow;
};

/// Newest first.
struct list_workflows {
    using answer = std::vector<workflow>;
    organization_id organization;
    std::optional<workflow_id> before{};  ///< a page: older ones than this
    std::size_t limit = 50;
};

/// With its versions. False if there was none. The session in which it was designed stays.
struct delete_workflow {
    using answer = bool;
    organization_id organization;
    workflow_id workflow;
    std::optional<audit_entry> audit{};
};

/// The draft becomes the next version, unless it is the last one already. *Errors*: `not_found`, `room_changed` (another
/// `revision`), `invalid_argument` (no tasks, or it is being generated).
struct publish_workflow {
    using answer = workflow_version;
    organization_id organization;
    workflow_id workflow;
    std::int64_t revision = 0;  ///< that was looked at
    std::string by;
    std::optional<audit_entry> audit{};
};

/// *Errors*: `not_found`.
struct get_workflow_version {
    using answer = workflow_version;
    organization_id organization;
    workflow_id workflow;
    std::int64_t number = 0;
};

/// Newest first.
struct list_workflow_versions {
    using answer = std::vector<workflow_version>;
    organization_id organization;
    workflow_id workflow;
    std::size_t limit = 50;
};

/// What the agent of a design session makes of the draft. *Errors*: `driver_fenced`, `not_found` (the session is none of a
/// workflow), `invalid_argument` (tasks that are no list of ones).
struct put_draft {
    using answer = workflow;
    room_id room;
    std::int64_t epoch = 0;
    std::optional<std::string> description{};
    std::optional<std::vector<task_template>> tasks{};
};

// -- executions --------------------------------------------------------------------------------------------

/// The execution, its tasks, its session and the first turn, in one. One that is there is answered as it is.
/// The skill's revision is pinned until the room is deleted, where the skill is known.
/// *Errors*: `already_exists` (the room is another's), `invalid_argument` (tasks that are no list of ones).
struct create_execution {
    using answer = workflow_execution;
    workflow_execution execution;
    std::vector<task_template> tasks;
    new_session session;  ///< its room is the execution's
    std::optional<audit_entry> audit{};
};

/// *Errors*: `not_found`.
struct get_execution {
    struct answer {
        workflow_execution execution;
        std::vector<execution_task> tasks;
    };

    organization_id organization;
    room_id room;
};

/// Newest first.
struct list_executions {
    using answer = std::vector<workflow_execution>;
    organization_id organization;
    std::optional<workflow_id> workflow{};
    std::optional<execution_status> status{};
    std::optional<std::string> initiator{};
    std::optional<room_id> before{};  ///< a page: older ones than this
    std::size_t limit = 50;
};

/// What a session is for, if it is for one of them.
struct find_session_work {
    struct answer {
        std::optional<get_execution::answer> execution;
        std::optional<workflow> design;
    };

    organization_id organization;
    room_id room;
};

/// A task's next state, with what follows from it: tasks that can't be done any more, the end of the execution, and the
/// initiator's notification of it, all once. *Errors*: `driver_fenced`, `not_found` (the session is none of an execution),
/// `execution_ended`.
struct change_task {
    struct answer {
        workflow_execution execution;
        std::vector<execution_task> tasks;
        task_verdict verdict;
    };

    room_id room;
    std::int64_t epoch = 0;
    task_change change;
};

/// Ends an execution: what is open of it is skipped, its turns that wait are done, its run is asked to end. One that has
/// ended is answered as it is. *Errors*: `not_found`.
struct cancel_execution {
    using answer = workflow_execution;
    organization_id organization;
    room_id room;
    std::optional<audit_entry> audit{};
};

/// *Errors*: `driver_fenced`, `not_found` (the session is none of an execution).
struct note_invocation {
    using answer = tool_invocation;
    tool_invocation invocation;  ///< number and time are made
    std::int64_t epoch = 0;
};

/// Newest first.
struct list_invocations {
    using answer = std::vector<tool_invocation>;
    organization_id organization;
    room_id room;
    std::optional<std::int64_t> before{};  ///< a page: smaller numbers than this
    std::size_t limit = 50;
};

// -- notifications -----------------------------------------------------------------------------------------

struct numbered_notification {
    std::int64_t number = 0;  ///< rises
    notification told;

    friend bool operator==(const numbered_notification&, const numbered_notification&) = default;
};

/// Of one user, newest first.
struct list_notifications {
    using answer = std::vector<numbered_notification>;
    organization_id organization;
    std::string user;
    bool only_unread = false;
    std::optional<std::int64_t> before{};  ///< a page: smaller numbers than this
    std::size_t limit = 50;
};

/// Whether its user has seen it. *Errors*: `not_found`, also for somebody else's.
struct mark_notification {
    using answer = notification;
    organization_id organization;
    std::string user;
    notification_id notification;
    bool is_read = true;
};

}  // namespace convene::ops
