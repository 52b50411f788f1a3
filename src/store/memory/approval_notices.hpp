// SPDX-License-Identifier: Apache-2.0
// Approvals in memory and the notifications that go with them: told with the question, read with its end (W3).
#pragma once

#include "convene/room.hpp"

#include "store/memory/access_tables.hpp"
#include "store/memory/session_tables.hpp"
#include "store/memory/workflow_tables.hpp"

namespace convene {

/// All users who may decide it, in the order of their ids.
void tell_deciders(
    workflow_tables& to,
    const access_tables& people,
    const room_context& around,
    const approval& asked,
    wall_time now
);

/// It is open no more: whoever has not read that it was need not.
void settle_notices(workflow_tables& in, const approval& ended, wall_time now);

/// Ends what is open of a session.
void cancel_open_approvals(workflow_tables& in, session_tables::session_row& of, wall_time now);

/// What was asked goes with its room.
void forget_notices(workflow_tables& in, const session_tables::session_row& of);

}  // namespace convene
