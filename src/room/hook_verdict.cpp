// SPDX-License-Identifier: Apache-2.0
// Verdicts of hooks: making, checking and applying them.
#include "room/hook_verdict.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/json_writer.hpp"
#include "base/text_boundary.hpp"
#include "room/blocking.hpp"
#include "room/edits.hpp"
#include "room/notice.hpp"

namespace convene {

namespace {

constexpr std::size_t max_reason_length = 64;

bool is_snake_case(std::string_view word) noexcept {
    return !word.empty() && word.size() <= max_reason_length &&
           std::ranges::all_of(word, [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
           });
}

/// Content that a hook took from somewhere else than a factory may be anything.
bool passes_boundary(const content& what, const boundary_limits& limits) {
    return parse_content(what.json().str(), "content", limits).has_value();
}

bool is_text(std::string_view text, const boundary_limits& limits) {
    return check_text(text, "text", limits).has_value();
}

bool is_small_object(const json_text& value, const boundary_limits& limits) noexcept {
    return value.str().starts_with('{') && value.str().size() <= limits.max_json_bytes;
}

bool claims_the_same(const content& before, const content& after) {
    return after.target_event() == before.target_event() &&
           after.edit_source() == before.edit_source() &&
           after.delete_type() == before.delete_type();
}

bool can_replace(
    const content& before, const content& after, event_type type, const boundary_limits& limits
) {
    return fits_type(after, type) && claims_the_same(before, after) &&
           passes_boundary(after, limits);
}

bool can_inject(const injected_event& wanted, const verdict_limits& limits) {
    return !is_change(wanted.type) && fits_type(wanted.content, wanted.type) &&
           wanted.targets.size() <= limits.max_targets &&
           is_small_object(wanted.metadata, limits.values) &&
           passes_boundary(wanted.content, limits.values);
}

bool can_add(const room_task& task, const verdict_limits& limits) {
    return is_text(task.title, limits.values) && is_text(task.description, limits.values) &&
           is_text(task.assigned_to, limits.values) &&
           is_small_object(task.metadata, limits.values);
}

bool can_add(const observation& seen, const verdict_limits& limits) {
    return is_text(seen.content, limits.values) && is_text(seen.category, limits.values) &&
           seen.confidence >= 0.0 && seen.confidence <= 1.0 &&
           is_small_object(seen.metadata, limits.values);
}

template <class T>
bool can_add_all(const std::vector<T>& wanted, std::size_t max, const verdict_limits& limits) {
    return wanted.size() <= max &&
           std::ranges::all_of(wanted, [&](const T& one) { return can_add(one, limits); });
}

std::optional<std::string_view> find_impossible_change(
    const room_event& seen, const hook_verdict& verdict, const boundary_limits& limits
) {
    if (!verdict.new_content && !verdict.new_metadata) {
        return "modify";
    }
    if (verdict.new_content &&
        !can_replace(seen.content, *verdict.new_content, seen.type, limits)) {
        return "new_content";
    }
    if (verdict.new_metadata && !is_small_object(*verdict.new_metadata, limits)) {
        return "new_metadata";
    }
    return std::nullopt;
}

std::optional<std::string_view> find_impossible_action(
    const room_event& seen, const hook_verdict& verdict, const boundary_limits& limits
) {
    switch (verdict.what) {
        case hook_verdict::action::allow:
        case hook_verdict::action::block:
            return std::nullopt;
        case hook_verdict::action::modify:
            return find_impossible_change(seen, verdict, limits);
    }
    return "what";
}

template <class T>
void append(std::vector<T>* to, std::vector<T> more) {
    std::ranges::move(more, std::back_inserter(*to));
}

void block_chain(const hook_id& hook, std::string_view reason, hook_chain_outcome* chain) {
    chain->blocked = hook_chain_outcome::blocked_event{hook.str(), std::string{reason}};
}

}  // namespace

hook_verdict hook_verdict::block(std::string reason) {
    hook_verdict made;
    made.what = action::block;
    made.reason = std::move(reason);
    return made;
}

hook_verdict hook_verdict::modify(content new_content) {
    hook_verdict made;
    made.what = action::modify;
    made.new_content = std::move(new_content);
    return made;
}

std::string_view word_of(hook_failure failure) noexcept {
    switch (failure) {
        using enum hook_failure;
        case threw:
            return "threw";
        case timed_out:
            return "timed_out";
        case stuck:
            return "stuck";
        case overloaded:
            return "overloaded";
        case bad_verdict:
            return "bad_verdict";
        case unreachable:
            return "unreachable";
        case rejected:
            return "rejected";
        case kept_out:
            return "kept_out";
        case in_lock:
            return "in_lock";
    }
    return {};
}

void apply_changes(const hook_chain_outcome& chain, room_event* event) {
    if (chain.new_content) {
        event->content = *chain.new_content;
    }
    if (chain.new_metadata) {
        event->metadata = *chain.new_metadata;
    }
    if (chain.blocked) {
        block(event, chain.blocked->by, chain.blocked->reason);
    }
}

std::optional<std::string_view> find_impossible(
    const room_event& seen, const hook_verdict& verdict, const verdict_limits& limits
) {
    if (const auto field = find_impossible_action(seen, verdict, limits.values)) {
        return field;
    }
    const auto is_injectable = [&](const injected_event& one) { return can_inject(one, limits); };
    if (verdict.injected.size() > limits.max_injected ||
        !std::ranges::all_of(verdict.injected, is_injectable)) {
        return "injected";
    }
    if (!can_add_all(verdict.tasks, limits.max_tasks, limits)) {
        return "tasks";
    }
    if (!can_add_all(verdict.observations, limits.max_observations, limits)) {
        return "observations";
    }
    return std::nullopt;
}

void apply_verdict(const hook_id& hook, hook_verdict verdict, hook_chain_outcome* chain) {
    if (verdict.what == hook_verdict::action::block) {
        // Whatever its reason looks like, a block blocks: treated as a failure it would fail open.
        const bool has_word = is_snake_case(verdict.reason);
        block_chain(hook, has_word ? verdict.reason : hook_block_reasons::unnamed, chain);
    }
    if (verdict.what == hook_verdict::action::modify) {
        if (verdict.new_content) {
            chain->new_content = std::move(verdict.new_content);
        }
        if (verdict.new_metadata) {
            chain->new_metadata = std::move(verdict.new_metadata);
        }
    }
    append(&chain->injected, std::move(verdict.injected));
    append(&chain->tasks, std::move(verdict.tasks));
    append(&chain->observations, std::move(verdict.observations));
}

void apply_failure(const hook_id& hook, hook_failure_policy policy, hook_chain_outcome* chain) {
    if (policy == hook_failure_policy::fail_closed) {
        block_chain(hook, hook_block_reasons::failed, chain);
    }
}

void apply_crashes(const hook_id& hook, hook_chain_outcome* chain) {
    block_chain(hook, hook_block_reasons::crashed, chain);
}

void append_outcome(hook_chain_outcome more, hook_chain_outcome* chain) {
    if (more.new_content) {
        chain->new_content = std::move(more.new_content);
    }
    if (more.new_metadata) {
        chain->new_metadata = std::move(more.new_metadata);
    }
    if (more.blocked) {
        chain->blocked = std::move(more.blocked);
    }
    append(&chain->injected, std::move(more.injected));
    append(&chain->tasks, std::move(more.tasks));
    append(&chain->observations, std::move(more.observations));
    append(&chain->notices, std::move(more.notices));
}

framework_event make_hook_notice(
    std::string_view type,
    const hook_id& hook,
    hook_failure_policy policy,
    const hook_input& input,
    hook_failure failure
) {
    json_writer data;
    data.begin_object();
    data.key("hook").string(hook.str());
    data.key("failure").string(word_of(failure));
    data.key("policy").string(word_of(policy));
    data.end_object();
    return make_notice(type, input.context.room.organization, input.event, data.take());
}

}  // namespace convene
