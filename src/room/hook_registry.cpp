// SPDX-License-Identifier: Apache-2.0
// Hook registry: what a definition must look like, and when it applies.
#include "room/hook_registry.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/text_boundary.hpp"

namespace convene {

namespace {

constexpr std::chrono::milliseconds shortest_deadline{1};
constexpr std::chrono::milliseconds longest_before_commit{2'000};  ///< the room's lock is held
                                                                   ///< meanwhile
constexpr std::chrono::milliseconds longest_after_delivery{30'000};

bool has_function(const hook_definition& hook) {
    return std::visit([](const auto& run) { return static_cast<bool>(run); }, hook.run);
}

bool has_allowed_deadline(const hook_definition& hook) noexcept {
    const auto longest = hook.point == hook_point::before_commit ? longest_before_commit
                                                                 : longest_after_delivery;
    return hook.deadline >= shortest_deadline && hook.deadline <= longest;
}

bool is_valid(const hook_definition& hook) {
    return check_id(hook.id.str(), "id") && has_function(hook) && has_allowed_deadline(hook);
}

/// An empty filter lets everything through.
template <class T>
bool admits(const std::vector<T>& filter, const T& value) {
    return filter.empty() || std::ranges::find(filter, value) != filter.end();
}

template <class Id>
bool admits(const Id& filter, const Id& value) noexcept {
    return filter.empty() || filter == value;
}

bool applies(
    const hook_definition& hook, hook_point point, const room& where, const room_event& event
) {
    return hook.point == point && admits(hook.organization, where.organization) &&
           admits(hook.room, where.id) && admits(hook.channel_types, event.source.channel_type) &&
           admits(hook.event_types, event.type);
}

bool runs_before(const hook_registry::shared_hook& a, const hook_registry::shared_hook& b) {
    return std::tie(a->priority, a->id) < std::tie(b->priority, b->id);
}

}  // namespace

result<> hook_registry::add(hook_definition added) {
    if (!is_valid(added)) {
        return errc::invalid_argument;
    }
    if (find(added.id) != nullptr) {
        return errc::already_exists;
    }
    auto hook = std::make_shared<const hook_definition>(std::move(added));
    const auto place = std::ranges::upper_bound(hooks_, hook, runs_before);
    hooks_.insert(place, std::move(hook));
    return {};
}

void hook_registry::remove(const hook_id& id) {
    std::erase_if(hooks_, [&](const shared_hook& hook) { return hook->id == id; });
}

std::vector<hook_registry::shared_hook> hook_registry::match(
    hook_point point, const room& where, const room_event& event
) const {
    std::vector<shared_hook> met;
    std::ranges::copy_if(hooks_, std::back_inserter(met), [&](const shared_hook& hook) {
        return applies(*hook, point, where, event);
    });
    return met;
}

hook_registry::shared_hook hook_registry::find(const hook_id& id) const {
    const auto found = std::ranges::find(hooks_, id, [](const shared_hook& hook) -> const hook_id& {
        return hook->id;
    });
    return found == hooks_.end() ? nullptr : *found;
}

}  // namespace convene
