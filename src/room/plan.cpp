// SPDX-License-Identifier: Apache-2.0
// The delivery plan: the rules of who gets a row, and the row.
#include "room/plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/assert.hpp"
#include "base/uuid.hpp"
#include "room/agent_recovery.hpp"
#include "room/permissions.hpp"

namespace convene {

namespace {

bool contains(const std::vector<channel_id>& list, const channel_id& channel) {
    return std::ranges::find(list, channel) != list.end();
}

bool is_by_an_agent(const room_context& context, const room_event& event) noexcept {
    const binding* source = context.find_binding(event.source.channel);
    return source != nullptr && source->kind == channel_kind::intelligence;
}

/// A later part of an answer: the first has asked already.
bool continues_an_answer(const room_event& event) noexcept {
    return is_reply_key(event.idempotency_key) && !speaks_for_its_answer(event.idempotency_key);
}

bool asks(
    const room_context& context, const room_event& event, origin from, const channel_id& agent
) {
    if (from == origin::injected || continues_an_answer(event)) {
        return false;
    }
    const bool is_message = event.type == event_type::message;
    if (event.addressed_to) {
        const bool can_ask = is_message || event.type == event_type::custom;
        return can_ask && contains(*event.addressed_to, agent);
    }
    if (!is_message || from == origin::greeting) {
        return false;
    }
    return context.room.responses != agent_response_policy::addressed_only ||
           !is_by_an_agent(context, event);
}

bool gets_it(
    const room_context& context,
    const room_event& event,
    const plan_inputs& inputs,
    const binding& target
) {
    const bool has_it = target.channel == event.source.channel || target.channel == inputs.shown_on;
    if (has_it || !is_visible_to(context, event, target)) {
        return false;
    }
    if (target.kind == channel_kind::intelligence) {
        return asks(context, event, inputs.from, target.channel);
    }
    return inputs.from != origin::injected || contains(inputs.targets, target.channel);
}

delivery_row make_row(
    const room_event& event, const plan_inputs& inputs, target_kind kind, const std::string& target
) {
    delivery_row row;
    row.id = make_delivery_id(event.id, std::string{word_of(kind)} + ":" + target);
    row.event = event.id;
    row.room = event.room;
    row.index = event.index;
    row.kind = kind;
    row.channel = channel_id{target};
    row.committed_by = inputs.committed_by;
    return row;
}

delivery_row make_row_for(
    const room_event& event, const plan_inputs& inputs, const binding& target
) {
    const auto kind = target.kind == channel_kind::intelligence ? target_kind::agent
                                                                : target_kind::channel;
    delivery_row row = make_row(event, inputs, kind, target.channel.str());
    row.address = target.address;
    row.is_bound = inputs.is_bound(target.channel);
    return row;
}

}  // namespace

std::vector<delivery_row> plan_deliveries(
    const room_context& context, const room_event& event, const plan_inputs& inputs
) {
    std::vector<delivery_row> rows;
    if (event.status == event_status::blocked) {
        return rows;
    }
    for (const binding& target : context.bindings) {
        if (gets_it(context, event, inputs, target)) {
            rows.push_back(make_row_for(event, inputs, target));
        }
    }
    if (inputs.from != origin::injected) {
        for (const hook_id& hook : inputs.after_hooks) {
            rows.push_back(make_row(event, inputs, target_kind::hook_after, hook.str()));
        }
    }
    return rows;
}

std::int32_t split_budget(std::int32_t budget, std::size_t agent_rows) noexcept {
    CONVENE_ASSERT(agent_rows > 0, "a reply answers a row of an agent");
    const std::int64_t share = std::max(budget, std::int32_t{0}) /
                               static_cast<std::int64_t>(agent_rows);
    return static_cast<std::int32_t>(share) - 1;
}

}  // namespace convene
