// SPDX-License-Identifier: Apache-2.0
// Workflows as the surfaces use them: made, changed, published, executed; and what their sessions' agents are given (W1).
#pragma once

#include "convene/room_kit.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/session/session_service.hpp"
#include "base/uuid.hpp"
#include "store/operations/workflows.hpp"
#include "workflow/skill_texts.hpp"

namespace convene {

/// Owns none; they outlive the service.
struct workflow_parts {
    room_kit* kit = nullptr;
    session_service* sessions = nullptr;
    const wall_clock* clock = nullptr;
    random_source* random = nullptr;
    skill_texts* skills = nullptr;  ///< unset: there are no skills
    channel_id people;              ///< through which people speak in the rooms that are made
};

/// Who makes or starts something.
struct workflow_actor {
    organization_id organization;
    std::string name;          ///< a user or a token
    std::string display_name;  ///< of a user
    bool is_user = false;
    std::string key{};  ///< said again with the same key it is the same thing; empty: another one
};

/// Which part of a workflow is executed.
enum class executed_form : std::uint8_t {
    published,
    draft,  ///< without its real tools
};

/// *Thread safety*: loop only. *Errors*: each operation's own, and those of the store; what belongs to another
/// organisation is `not_found`.
class workflow_service {
   public:
    explicit workflow_service(workflow_parts parts);

    workflow_service(const workflow_service&) = delete;
    workflow_service& operator=(const workflow_service&) = delete;

    /// A workflow; with an agent also a session in which it is designed, and with a prompt the first turn there.
    /// *Errors*: `channel_not_registered` (the agent), `invalid_argument` (tasks that are no list of ones).
    [[nodiscard]] awaitable<result<workflow>> create(
        workflow wanted, std::string prompt, workflow_actor by, audit_entry audit
    );

    /// `apply` sees the workflow as it is now, perhaps more than once; with `expected` only if that is its revision.
    /// *Errors*: `not_found`, `room_changed` (it is another revision), `room_contended` (others changed it each time).
    [[nodiscard]] awaitable<result<workflow>> change(
        workflow_id id,
        std::function<void(workflow&)> apply,
        std::optional<std::int64_t> expected,
        audit_entry audit
    );

    /// The draft as it is now becomes the next version, unless it is the last one. *Errors*: `not_found`,
    /// `invalid_argument` (no tasks, or it is being generated), `room_contended`.
    [[nodiscard]] awaitable<result<workflow_version>> publish(
        workflow_id id, workflow_actor by, audit_entry audit
    );

    /// With the room in which it was designed. *Errors*: `not_found`.
    [[nodiscard]] awaitable<result<>> remove(workflow_id id, audit_entry audit);

    /// Starts an execution in a room of its own, whose first turn waits for a worker. *Errors*: `not_found` (also: nothing
    /// is published), `invalid_argument` (a draft without tasks), `channel_not_registered` (the agent), `skill_not_ready`.
    [[nodiscard]] awaitable<result<workflow_execution>> execute(
        workflow_id id, executed_form form, std::string name, workflow_actor by, audit_entry audit
    );

    /// Ends an execution and its run, wherever that is driven. *Errors*: `not_found`.
    [[nodiscard]] awaitable<result<workflow_execution>> cancel(room_id room, audit_entry audit);

    /// Gives the agent of a session what it needs for the workflow or the execution that the session is for: tools,
    /// instructions, a policy. The session is as its driver has it. *Errors*: `skill_not_ready`, store errors.
    [[nodiscard]] awaitable<result<>> equip(agent_session session, session_agent* agent);

   private:
    [[nodiscard]] awaitable<result<ops::new_session>> describe_session(
        room_id room, channel_id agent, std::string name, workflow_actor by
    );
    [[nodiscard]] awaitable<result<skill_text>> read_skill(
        organization_id organization, std::string skill, std::string commit
    );
    template <class Id>
    [[nodiscard]] Id id_for(const workflow_actor& by, std::string_view what);

    // fixed after construction
    const workflow_parts parts_;

    // touched on the loop only
    id_generator ids_;
};

}  // namespace convene
