// SPDX-License-Identifier: Apache-2.0
// The memory tables: remote hooks, and the versions of organisations.
#include <algorithm>
#include <iterator>
#include <ranges>
#include <tuple>

#include "store/memory/memory_tables.hpp"

namespace convene {

namespace {

bool is_asked_before(const remote_hook& a, const remote_hook& b) {
    return std::tie(a.priority, a.id) < std::tie(b.priority, b.id);
}

}  // namespace

const remote_hook* memory_tables::find_hook(const organization_id& organization, const hook_id& id)
    const {
    const auto place = hook_places_.find(id);
    if (place == hook_places_.end() || place->second.first != organization) {
        return nullptr;
    }
    return &hooks_.at(place->second).at(id);
}

std::vector<remote_hook> memory_tables::hooks_at(const hook_place& place) const {
    const auto known = hooks_.find(place);
    std::vector<remote_hook> found;
    if (known != hooks_.end()) {
        std::ranges::copy(known->second | std::views::values, std::back_inserter(found));
    }
    std::ranges::sort(found, is_asked_before);
    return found;
}

void memory_tables::raise_config_at(const hook_place& place, wall_time now) {
    if (place.second.empty()) {
        ++organization_configs_[place.first];
    } else if (room_record* const record = find_room(place.second)) {
        raise_config(*record, now);
    }
}

void memory_tables::forget_hooks_of(const room_record& record) {
    const hook_place place{record.info.organization, record.info.id};
    std::erase_if(hook_places_, [&place](const auto& entry) { return entry.second == place; });
    hooks_.erase(place);
}

void memory_tables::forget_hooks_of(const organization_id& organization) {
    std::erase_if(hook_places_, [&](const auto& entry) {
        return entry.second.first == organization;
    });
    std::erase_if(hooks_, [&](const auto& entry) { return entry.first.first == organization; });
    organization_configs_.erase(organization);
}

config_version memory_tables::organization_config(const organization_id& organization) const {
    const auto known = organization_configs_.find(organization);
    return known == organization_configs_.end() ? 0 : known->second;
}

result<remote_hook> memory_tables::apply(const ops::put_hook& request) {
    remote_hook put = request.hook;
    const remote_hook* const stored = find_hook(put.organization, put.id);
    if (put.revision == 0) {
        if (hook_places_.contains(put.id)) {
            return errc::already_exists;
        }
        if (!put.room.empty() && find_room(put.organization, put.room) == nullptr) {
            return errc::not_found;
        }
        const auto beside = hooks_.find({put.organization, put.room});
        if (beside != hooks_.end() && beside->second.size() >= max_remote_hooks) {
            return errc::overloaded;
        }
    } else if (stored == nullptr) {
        return errc::not_found;
    } else if (stored->revision != put.revision) {
        return errc::room_changed;
    }

    const wall_time now = clock_.now();
    put.created_at = stored != nullptr ? stored->created_at : now;
    put.room = stored != nullptr ? stored->room : put.room;
    put.updated_at = now;
    ++put.revision;
    const hook_place place{put.organization, put.room};
    hook_places_.insert_or_assign(put.id, place);
    hooks_[place].insert_or_assign(put.id, put);
    raise_config_at(place, now);
    access_.note(request.audit, now);
    return put;
}

result<remote_hook> memory_tables::apply(const ops::get_hook& request) {
    const remote_hook* const stored = find_hook(request.organization, request.id);
    if (stored == nullptr) {
        return errc::not_found;
    }
    return *stored;
}

result<std::vector<remote_hook>> memory_tables::apply(const ops::list_hooks& request) {
    return hooks_at({request.organization, request.room});
}

result<bool> memory_tables::apply(const ops::delete_hook& request) {
    if (find_hook(request.organization, request.id) == nullptr) {
        return false;
    }
    const hook_place place = hook_places_.at(request.id);
    hook_places_.erase(request.id);
    hooks_.at(place).erase(request.id);
    const wall_time now = clock_.now();
    raise_config_at(place, now);
    access_.note(request.audit, now);
    return true;
}

result<ops::load_hooks::answer> memory_tables::apply(const ops::load_hooks& request) {
    ops::load_hooks::answer loaded;
    loaded.organization_config = organization_config(request.organization);
    loaded.hooks = hooks_at({request.organization, room_id{}});
    if (!request.room.empty()) {
        std::ranges::move(
            hooks_at({request.organization, request.room}), std::back_inserter(loaded.hooks)
        );
    }
    std::erase_if(loaded.hooks, [](const remote_hook& hook) { return !hook.is_enabled; });
    std::ranges::sort(loaded.hooks, is_asked_before);
    return loaded;
}

}  // namespace convene
