// SPDX-License-Identifier: Apache-2.0
// Store operations on approvals (A6). They are made by `end_run`, and used up by `start_tool_call`.
//
// A session's row is locked before its approvals, and those before its turns. All times are the store's clock. A change
// carries the lines of the audit trail that tell of it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "store/access_values.hpp"
#include "store/approval_values.hpp"

namespace convene::ops {

/// *Errors*: `not_found`.
struct get_approval {
    using answer = approval;
    organization_id organization;
    approval_id id;
};

/// In the order of ids, the last one first.
struct list_approvals {
    using answer = std::vector<approval>;
    organization_id organization;
    std::optional<room_id> room;
    std::optional<approval_state> state;
    std::optional<participant_id> member;  ///< only of rooms of which it is an active participant
    approval_id before;                    ///< exclusive; empty: from the last
    std::size_t limit = 50;
};

/// Decides approvals of one session, all of these or none, each once. With the last one that was open the turn is
/// queued that goes on, however many turns wait. Unless `which` is `some`, those that stay open are an error.
/// *Errors*: `not_found` (an approval of this session), `approval_already_resolved`, `approval_expired`,
/// `session_awaiting_approval` (others stay open), `invalid_argument` (a state that nobody decides, none or one twice).
struct decide_approvals {
    struct decision {
        approval_id id;
        approval_state state = approval_state::approved;
        json_text response;
        std::optional<audit_entry> audit{};
    };

    struct answer {
        std::vector<approval> decided;       ///< in the order of the request
        std::optional<session_turn> queued;  ///< unset: others stay open
    };

    enum class reach { some, all };

    organization_id organization;
    room_id room;
    std::vector<decision> decisions;
    std::string decided_by;
    session_turn turn;  ///< as for `queue_turn`
    reach which = reach::some;
};

/// Sessions with an open approval whose time is over, by that time.
struct find_expired_approvals {
    struct item {
        organization_id organization;
        room_id room;
        std::string owner;  ///< of the session
    };

    using answer = std::vector<item>;
    std::size_t limit = 64;
};

/// Ends those of a session whose time is over. With the last open one the turn is queued that goes on.
struct expire_approvals {
    struct answer {
        std::vector<approval> expired;
        std::optional<session_turn> queued;
    };

    room_id room;
    session_turn turn;  ///< as for `queue_turn`
};

}  // namespace convene::ops
