// SPDX-License-Identifier: Apache-2.0
// Where people's decisions come in, and the turn with which a session goes on then (A6).
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"
#include "convene/room_kit.hpp"

#include <string>
#include <vector>

#include "agent/session/turn_order.hpp"
#include "base/uuid.hpp"
#include "store/operations/approvals.hpp"

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: the session service's; kit and ids outlive it.
class approval_desk {
   public:
    struct answers {
        std::vector<ops::decide_approvals::decision> decisions;
        std::string decided_by;  ///< as of `approval::decided_by`
    };

    approval_desk(room_kit* kit, id_generator* ids) : kit_(*kit), ids_(*ids) {}

    /// Some of what a session asks. *Errors*: as `ops::decide_approvals`.
    [[nodiscard]] awaitable<result<ops::decide_approvals::answer>> decide(
        organization_id organization, room_id room, answers given
    );

    /// All that a session asks, by a run that is about to begin: its turn is queued. One that says nothing besides acts for the
    /// session's owner, and `order` says so from then on. *Errors*: as `ops::decide_approvals`.
    [[nodiscard]] awaitable<result<session_turn>> answer(
        agent_session session, turn_order* order, std::string started_by, answers given
    );

    /// Ends what nobody decided in time. True: turns were queued.
    [[nodiscard]] awaitable<bool> expire();

   private:
    [[nodiscard]] session_turn resume_turn(
        organization_id organization, room_id room, const std::string& owner
    );

    // fixed after construction
    room_kit& kit_;

    // touched on the loop only
    id_generator& ids_;
};

}  // namespace convene
