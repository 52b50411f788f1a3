// SPDX-License-Identifier: Apache-2.0
// Approval desk: a decision and the turn that tells of it are one operation of the store.
#include "agent/session/approval_desk.hpp"

#include <utility>

#include "store/operations/sessions.hpp"
#include "store/store.hpp"

namespace convene {

/// The turn in which the agent reads what was decided. It acts for the session's owner, whoever decided.
session_turn approval_desk::resume_turn(
    organization_id organization, room_id room, const std::string& owner
) {
    session_turn turn;
    turn.id = ids_.next<turn_id>();
    turn_order order;
    order.said.thread = room.str();
    order.said.run = turn.id.str();
    order.participant = participant_id{owner};
    turn.organization = std::move(organization);
    turn.room = std::move(room);
    turn.kind = turn_kind::resume;
    turn.input = write_turn_order(order);
    turn.acting_for = owner;
    turn.format = kit_.plan_format();
    return turn;
}

awaitable<result<ops::decide_approvals::answer>> approval_desk::decide(
    organization_id organization, room_id room, answers given
) {
    ops::get_session look{organization, room};
    const auto session = co_await kit_.store().run(std::move(look));
    if (!session) {
        co_return session.error();
    }
    ops::decide_approvals request;
    request.turn = resume_turn(organization, room, session->session.owner);
    request.organization = std::move(organization);
    request.room = std::move(room);
    request.decisions = std::move(given.decisions);
    request.decided_by = std::move(given.decided_by);
    auto decided = co_await kit_.store().run(std::move(request));
    co_return decided;
}

awaitable<result<session_turn>> approval_desk::answer(
    agent_session session, turn_order* order, std::string started_by, answers given
) {
    session_turn turn = resume_turn(session.organization, session.room, session.owner);
    if (order->said.messages.empty()) {
        order->participant = participant_id{session.owner};
    } else {
        turn.acting_for = std::move(started_by);
    }
    turn.input = write_turn_order(*order);
    ops::decide_approvals request;
    request.organization = std::move(session.organization);
    request.room = std::move(session.room);
    request.decisions = std::move(given.decisions);
    request.decided_by = std::move(given.decided_by);
    request.turn = std::move(turn);
    request.which = ops::decide_approvals::reach::all;
    auto decided = co_await kit_.store().run(std::move(request));
    if (!decided) {
        co_return decided.error();
    }
    co_return *std::move(decided->queued);
}

awaitable<bool> approval_desk::expire() {
    ops::find_expired_approvals look;
    const auto late = co_await kit_.store().run(look);
    if (!late) {
        co_return false;  // the next look may find them
    }
    bool has_queued = false;
    for (const ops::find_expired_approvals::item& one : *late) {
        ops::expire_approvals request;
        request.room = one.room;
        request.turn = resume_turn(one.organization, one.room, one.owner);
        const auto ended = co_await kit_.store().run(std::move(request));
        has_queued = has_queued || (ended && ended->queued);
    }
    co_return has_queued;
}

}  // namespace convene
