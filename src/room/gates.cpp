// SPDX-License-Identifier: Apache-2.0
// The gates in the order of R6. Each is one function and knows nothing of the others.
#include "room/gates.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_writer.hpp"
#include "room/agent_recovery.hpp"
#include "room/blocking.hpp"
#include "room/edits.hpp"
#include "room/notice.hpp"
#include "room/permissions.hpp"
#include "room/threads.hpp"

namespace convene {

namespace {

// -- R4: status
// ------------------------------------------------------------------------------------------

std::optional<refusal> check_status(const room& room) {
    if (is_open(room.status)) {
        return std::nullopt;
    }
    return refusal{errc::room_closed, std::string{word_of(room.status)}};
}

// -- shape
// -----------------------------------------------------------------------------------------------

/// Notices and tool calls are the server's and the agents' to make: a person who could send one
/// would speak in their name.
bool may_a_person_say(content_type type) noexcept {
    return is_message(type) || type == content_type::edit || type == content_type::delete_;
}

std::optional<refusal> check_shape(const proposal& proposed) {
    const room_event& event = proposed.event;
    if (!fits_type(event.content, event.type)) {
        return refusal{errc::invalid_argument, "content.type"};
    }
    if (proposed.from != origin::reply && is_reply_key(event.idempotency_key)) {
        return refusal{errc::invalid_argument, "idempotency_key"};
    }
    if (proposed.from == origin::inbound && !may_a_person_say(event.content.type())) {
        return refusal{errc::not_authorized, "content.type"};
    }
    return std::nullopt;
}

// -- R8: idempotency
// -------------------------------------------------------------------------------------

/// What a key is known for. A key seen earlier in the batch is as good as a stored one.
std::optional<ops::key_hit> find_key(const gate_facts& facts, const std::string& key) {
    const auto hit = std::ranges::find(*facts.hits, key, &ops::key_hit::key);
    if (hit != facts.hits->end()) {
        return *hit;
    }
    const auto earlier = std::ranges::find(*facts.earlier, key, &room_event::idempotency_key);
    if (earlier != facts.earlier->end()) {
        return ops::key_hit{key, earlier->request_hash, *earlier};
    }
    return std::nullopt;
}

std::optional<gate_decision> check_key(const gate_facts& facts, const room_event& event) {
    if (event.idempotency_key.empty()) {
        return std::nullopt;
    }
    const std::optional<ops::key_hit> known = find_key(facts, event.idempotency_key);
    if (!known) {
        return std::nullopt;
    }
    if (known->request_hash != event.request_hash) {
        return refusal{errc::idempotency_key_reused, "idempotency_key"};
    }
    if (!known->event) {
        return refusal{errc::event_deleted, "idempotency_key"};
    }
    return replayed{*known->event};
}

// -- R13: edits and deletes
// ------------------------------------------------------------------------------

/// A change that says nothing of its own visibility is seen by those who see its target: the new
/// text of a whisper is a whisper too.
void inherit_visibility(const gate_facts& facts, const room_event& target, room_event* change) {
    if (change->visibility.kind() == visibility::scope::all) {
        change->visibility = effective_visibility(*facts.context, target);
    }
}

std::optional<refusal> check_change(const gate_facts& facts, room_event* event) {
    if (!is_change(event->type)) {
        return std::nullopt;
    }
    auto verdict = authorize_change(facts, *event);
    if (auto* refused = std::get_if<refusal>(&verdict)) {
        return std::move(*refused);
    }
    inherit_visibility(facts, *std::get<permitted_change>(verdict).target, event);
    return std::nullopt;
}

// -- R11: chain depth and cascade budget
// -----------------------------------------------------------------

framework_event limit_notice(
    std::string_view type, const gate_facts& facts, const room_event& event, std::int32_t limit
) {
    json_writer data;
    data.begin_object();
    data.key("channel").string(event.source.channel.str());
    data.key("caused_by").string(event.caused_by.str());
    data.key("cascade").string(event.plan.cascade.str());
    data.key("chain_depth").integer(event.chain_depth);
    data.key("max_chain_depth").integer(limit);
    data.end_object();
    return make_notice(type, facts.context->room.organization, event, data.take());
}

void check_cascade(const gate_facts& facts, const room_limits& limits, admitted* in) {
    const std::int32_t limit = std::max(limits.max_chain_depth, std::int32_t{1});
    if (in->event.chain_depth >= limit) {
        block(&in->event, block_rules::chain_depth);
        in->notices.push_back(limit_notice("chain_depth_exceeded", facts, in->event, limit));
    } else if (in->event.plan.budget < 0) {
        block(&in->event, block_rules::cascade_budget);
        in->notices.push_back(limit_notice("cascade_budget_exceeded", facts, in->event, limit));
    }
}

// -- after the hooks
// -------------------------------------------------------------------------------------

framework_event blocked_notice(const room_context& context, const room_event& event) {
    json_writer data;
    data.begin_object();
    data.key("channel").string(event.source.channel.str());
    data.key("blocked_by").string(event.blocked_by);
    data.key("reason").string(event.block_reason);
    data.end_object();
    return make_notice("event_blocked", context.room.organization, event, data.take());
}

/// R11a: the place of an injected event is that of its cause, in the thread and in the cascade. It
/// causes nothing itself, so it has no budget.
proposal make_injected(
    const proposal& cause, const room_event& caused_by, injected_event wanted, id_generator* ids
) {
    proposal made;
    made.from = origin::injected;
    made.targets = std::move(wanted.targets);
    made.chain = cause.chain;
    made.event.id = ids->next<event_id>();
    made.event.room = caused_by.room;
    made.event.type = wanted.type;
    made.event.content = std::move(wanted.content);
    made.event.visibility = std::move(wanted.visibility);
    made.event.metadata = std::move(wanted.metadata);
    made.event.chain_depth = caused_by.chain_depth;
    made.event.caused_by = caused_by.id;
    made.event.parent = caused_by.parent;
    made.event.correlation_id = caused_by.correlation_id;
    made.event.plan = caused_by.plan;
    made.event.plan.budget = 0;
    return made;
}

void complete_task(const room_event& cause, id_generator* ids, room_task* task) {
    task->room = cause.room;
    if (task->id.empty()) {
        task->id = ids->next<task_id>();
    }
}

void complete_observation(const room_event& cause, id_generator* ids, observation* seen) {
    seen->room = cause.room;
    if (seen->id.empty()) {
        seen->id = ids->next<observation_id>();
    }
    if (seen->channel.empty()) {
        seen->channel = cause.source.channel;
    }
}

}  // namespace

gate_decision pass_gates(
    const gate_facts& facts, const proposal& proposed, const room_limits& limits
) {
    if (auto refused = check_status(facts.context->room)) {
        return std::move(*refused);
    }
    if (auto refused = check_shape(proposed)) {
        return std::move(*refused);
    }
    if (auto decided = check_key(facts, proposed.event)) {
        return std::move(*decided);
    }
    admitted in{proposed.event, {}};
    // An injected event has its cause's place already.
    if (proposed.from != origin::injected) {
        if (auto notice = place_in_thread(facts, &in.event)) {
            in.notices.push_back(std::move(*notice));
        }
    }
    if (auto refused = check_change(facts, &in.event)) {
        return std::move(*refused);
    }
    check_cascade(facts, limits, &in);
    return in;
}

conclusion conclude(
    const room_context& context,
    const proposal& proposed,
    admitted in,
    hook_chain_outcome hooks,
    id_generator* ids
) {
    conclusion made;
    made.event = std::move(in.event);
    apply_changes(hooks, &made.event);
    apply_write_permission(context, &made.event);

    const bool is_blocked = made.event.status == event_status::blocked;
    if (!is_blocked && is_change(made.event.type)) {
        made.change = change_of(made.event);
    }

    made.notices = std::move(in.notices);
    std::ranges::move(hooks.notices, std::back_inserter(made.notices));
    if (is_blocked) {
        made.notices.push_back(blocked_notice(context, made.event));
    }

    for (injected_event& wanted : hooks.injected) {
        made.injected.push_back(make_injected(proposed, made.event, std::move(wanted), ids));
    }

    made.tasks = std::move(hooks.tasks);
    for (room_task& task : made.tasks) {
        complete_task(made.event, ids, &task);
    }

    made.observations = std::move(hooks.observations);
    for (observation& seen : made.observations) {
        complete_observation(made.event, ids, &seen);
    }
    return made;
}

}  // namespace convene
