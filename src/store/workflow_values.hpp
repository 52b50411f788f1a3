// SPDX-License-Identifier: Apache-2.0
// Workflows, their published versions, executions with tasks, and notifications, as they are stored (W1 to W3).
#pragma once

#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

using workflow_id = text_id<struct workflow_tag>;
using notification_id = text_id<struct notification_tag>;

/// What is to be done, as a workflow says it.
struct task_template {
    std::string key;  ///< unique in its list
    std::string title;
    std::string instructions;
    std::vector<std::string> depends_on;  ///< keys of tasks that come before it
    std::vector<std::string> tools;       ///< that may be called for it
    json_text mocks;  ///< of drafts: what a tool of it answers, by its name; an object

    friend bool operator==(const task_template&, const task_template&) = default;
};

/// Words and numbers are frozen.
enum class workflow_status : std::uint8_t {
    generating = 1,  ///< its first design turn is to come or runs
    draft = 2,
    failed = 3,     ///< its first design turn left no tasks; tasks make it a draft
    published = 4,  ///< as the last version
    modified = 5,   ///< changed since
};

[[nodiscard]] std::string_view word_of(workflow_status status) noexcept;

/// Tasks for an agent, with what they are for. The draft; what is executed is a published version.
struct workflow {
    workflow_id id;
    organization_id organization;
    std::string name;
    std::string description;
    std::string skill;         ///< the id; empty: it needs none
    std::string skill_commit;  ///< its pinned revision
    channel_id agent;          ///< that designs it and executes it
    std::vector<task_template> tasks;
    workflow_status status = workflow_status::draft;
    std::string error;           ///< why its generation failed, a stable word; empty: it did not
    room_id room;                ///< the session in which it is designed; empty: none
    std::string created_by;      ///< a user or a token
    std::int64_t published = 0;  ///< the number of the last version; 0: none
    std::int64_t revision = 0;   ///< rises with each change
    wall_time created_at{};      ///< the store's clock, as the next
    wall_time updated_at{};

    friend bool operator==(const workflow&, const workflow&) = default;
};

/// A workflow as it was published. Never changes.
struct workflow_version {
    workflow_id workflow;
    std::int64_t number = 0;  ///< from 1
    std::string name;
    std::string description;
    std::string skill;
    std::string skill_commit;
    channel_id agent;
    std::vector<task_template> tasks;
    std::string published_by;
    wall_time published_at{};  ///< the store's clock

    friend bool operator==(const workflow_version&, const workflow_version&) = default;
};

/// Words and numbers are frozen.
enum class execution_status : std::uint8_t {
    running = 1,
    completed = 2,
    failed = 3,
    cancelled = 4
};

[[nodiscard]] std::string_view word_of(execution_status status) noexcept;

/// One execution of a workflow: its tasks are worked through in a session. It has the id of its room, as the session has,
/// and goes with it. What it was made from is its own copy.
struct workflow_execution {
    room_id room;
    organization_id organization;
    workflow_id workflow;
    std::int64_t version = 0;  ///< 0: of the draft
    std::string name;
    std::string description;
    std::string skill;
    std::string skill_commit;
    std::string initiator;  ///< a user or a token
    execution_status status = execution_status::running;
    wall_time created_at{};  ///< the store's clock, as the next
    std::optional<wall_time> finished_at;

    [[nodiscard]] bool is_draft() const noexcept { return version == 0; }

    friend bool operator==(const workflow_execution&, const workflow_execution&) = default;
};

/// Words and numbers are frozen.
enum class execution_task_status : std::uint8_t {
    pending = 1,
    in_progress = 2,
    completed = 3,
    failed = 4,
    skipped = 5,
};

[[nodiscard]] std::string_view word_of(execution_task_status status) noexcept;

/// Why a task failed. Words and numbers are frozen.
enum class task_error_kind : std::uint8_t {
    api_error = 1,
    timeout = 2,
    script_error = 3,
    invalid_input = 4,
    permission_denied = 5,
    rejected = 6,  ///< by a person who was asked
    other = 7,
};

[[nodiscard]] std::string_view word_of(task_error_kind kind) noexcept;
[[nodiscard]] std::optional<task_error_kind> task_error_kind_from(std::string_view word) noexcept;

struct execution_task {
    task_template what;
    execution_task_status status = execution_task_status::pending;
    std::optional<task_error_kind> error_kind;
    std::string error;                    ///< why it failed or was skipped
    std::string result;                   ///< what came of it
    std::optional<wall_time> started_at;  ///< the store's clock, as the next
    std::optional<wall_time> ended_at;

    friend bool operator==(const execution_task&, const execution_task&) = default;
};

/// Words and numbers are frozen.
enum class tool_decision : std::uint8_t {
    allowed = 1,
    denied = 2,
    mocked = 3,  ///< of a draft: nothing was called
};

[[nodiscard]] std::string_view word_of(tool_decision decision) noexcept;

/// A tool call that was decided on (W2).
struct tool_invocation {
    std::int64_t number = 0;  ///< given by the store; rises
    room_id room;
    std::string task;  ///< for which it was allowed; empty: for none
    std::string tool;
    tool_decision decision = tool_decision::denied;
    std::string reason;            ///< a stable word; empty: allowed
    std::string arguments_digest;  ///< SHA-256 in hex of the canonical text
    wall_time at{};                ///< the store's clock

    friend bool operator==(const tool_invocation&, const tool_invocation&) = default;
};

/// Words and numbers are frozen.
enum class notification_kind : std::uint8_t {
    draft_ready = 1,
    generation_failed = 2,
    approval_request = 3,
    execution_completed = 4,
};

[[nodiscard]] std::string_view word_of(notification_kind kind) noexcept;

/// Something that somebody is told once (W3).
struct notification {
    notification_id id;
    organization_id organization;
    std::string user;  ///< a user or a token
    notification_kind kind = notification_kind::draft_ready;
    std::string title;
    std::string body;
    std::string link;        ///< into the API, from `/api/v1` on
    wall_time created_at{};  ///< the store's clock, as the next
    std::optional<wall_time> read_at;

    friend bool operator==(const notification&, const notification&) = default;
};

}  // namespace convene
