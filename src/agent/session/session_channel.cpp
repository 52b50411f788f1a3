// SPDX-License-Identifier: Apache-2.0
// Agents of sessions: their settings as a driver needs them, and turns that messages make.
#include "agent/session/session_channel.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "agent/model_agent.hpp"
#include "agent/session/turn_order.hpp"
#include "store/operations/sessions.hpp"
#include "store/store.hpp"

namespace convene {

result<session_agent> session_agent_of(const room_kit& kit, const channel_id& id) {
    const auto known = std::dynamic_pointer_cast<model_agent>(kit.find_channel(id));
    if (known == nullptr || !known->settings().is_enabled) {
        return errc::channel_not_registered;
    }
    const model_agent_settings& settings = known->settings();
    session_agent agent;
    agent.id = id;
    agent.model = known->model();
    agent.question.model = settings.model;
    agent.question.system = settings.instructions;
    agent.question.max_output_tokens = settings.max_output_tokens;
    agent.question.temperature = settings.temperature;
    agent.tools = known->tools();
    agent.room_tools = settings.room_tools;
    agent.needs_approval.insert(
        settings.requires_approval.begin(), settings.requires_approval.end()
    );
    agent.approvers = settings.approvers;
    agent.limits = settings.limits;
    agent.window = settings.window;
    return agent;
}

awaitable<result<bool>> queue_message_turn(room_kit* kit, agent_request request) {
    ops::get_session look{request.organization, request.trigger.room};
    const auto session = co_await kit->store().run(std::move(look));
    if (!session && session.error() == errc::not_found) {
        co_return false;
    }
    if (!session) {
        co_return session.error();
    }
    // The message is in the room already: the turn only says that there is something to answer.
    turn_order order;
    order.said.thread = request.trigger.room.str();
    order.said.run = request.id.str();
    order.participant = request.trigger.source.participant;
    ops::queue_turn queue;
    queue.turn.id = turn_id{request.id.str()};
    queue.turn.room = request.trigger.room;
    queue.turn.organization = request.organization;
    queue.turn.kind = turn_kind::message;
    queue.turn.input = write_turn_order(order);
    queue.turn.acting_for = request.trigger.source.participant.str();
    queue.turn.format = kit->plan_format();
    const auto queued = co_await kit->store().run(std::move(queue));
    if (!queued && queued.error() != errc::already_exists) {
        co_return queued.error();
    }
    co_return true;
}

}  // namespace convene
