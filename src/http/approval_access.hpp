// SPDX-License-Identifier: Apache-2.0
// Who may decide what an agent asks, and how a decision that can't be made any more is told.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/room_kit.hpp"

#include <vector>

#include "agent/agui/run_input.hpp"
#include "agent/session/session_service.hpp"
#include "http/principal.hpp"
#include "http/problem.hpp"
#include "http/route.hpp"
#include "http/view/approval_view.hpp"
#include "store/approval_values.hpp"

namespace convene {

/// By the rule of `store/decider_rules.hpp`.
[[nodiscard]] bool may_decide(
    const principal& who, const room_context& around, const approval& asked
);

/// A session that asks, as somebody sees it.
struct asking_session {
    room_context around;
    approval_asker asker;
};

/// *Errors*: 404 as well if its room may not be seen.
[[nodiscard]] awaitable<or_problem<asking_session>> read_asking(
    room_kit* kit, principal who, room_id room
);

[[nodiscard]] shown_approval shown_to(
    const principal& who, const asking_session& asking, approval asked
);

/// As somebody sees them, in the same order, without those whose rooms they may not see.
[[nodiscard]] awaitable<or_problem<std::vector<shown_approval>>> show_approvals(
    room_kit* kit, principal who, std::vector<approval> asked
);

/// With the line of the audit trail. *Requires*: `decision` is read.
[[nodiscard]] session_service::answers answers_of(
    const route_call& call,
    const std::vector<approval>& asked,
    std::vector<ops::decide_approvals::decision> decisions
);

/// 422: where an answer is none, and why.
[[nodiscard]] problem refusal_of(const std::vector<boundary_error>& faults);

/// What a run is started with decides, of a call on a room. *Errors*: 409 (not open, decided before), 403, 422.
[[nodiscard]] awaitable<or_problem<session_service::answers>> read_answers(
    room_kit* kit, const route_call* call, std::vector<interrupt_answer> answers
);

/// Why some were not decided: who was first, with what and when.
[[nodiscard]] awaitable<problem> describe_refusal(
    room_kit* kit,
    organization_id organization,
    room_id room,
    session_service::answers given,
    error_code why
);

}  // namespace convene
