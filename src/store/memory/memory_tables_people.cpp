// SPDX-License-Identifier: Apache-2.0
// The memory tables: identities and their addresses, tasks, observations.
#include "store/memory/memory_tables.hpp"

namespace convene {

// -- identities -------------------------------------------------------------------------------

result<identity> memory_tables::apply(const ops::create_identity& request) {
    const auto [stored, is_new] = identities_.try_emplace(request.identity.id, request.identity);
    if (!is_new) {
        return errc::already_exists;
    }
    stored->second.created_at = clock_.now();
    return stored->second;
}

result<identity> memory_tables::apply(const ops::get_identity& request) {
    const auto known = identities_.find(request.id);
    if (known == identities_.end() || known->second.organization != request.organization) {
        return errc::not_found;
    }
    return known->second;
}

result<std::monostate> memory_tables::apply(const ops::link_address& request) {
    const auto known = identities_.find(request.identity);
    if (known == identities_.end() || known->second.organization != request.organization) {
        return errc::not_found;
    }
    addresses_.insert_or_assign(
        address_key{request.organization, request.channel_type, request.address}, request.identity
    );
    return std::monostate{};
}

result<std::optional<identity>> memory_tables::apply(const ops::resolve_identity& request) {
    const auto linked = addresses_.find(
        {request.organization, request.channel_type, request.address}
    );
    // An erasure takes identities and addresses in steps.
    const auto known = linked == addresses_.end() ? identities_.end()
                                                  : identities_.find(linked->second);
    if (known == identities_.end()) {
        return std::optional<identity>{};
    }
    return std::optional{known->second};
}

// -- tasks and observations -------------------------------------------------------------------

result<room_task> memory_tables::apply(const ops::add_task& request) {
    room_record* const record = find_room(request.organization, request.task.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    const auto [stored, is_new] = record->tasks.try_emplace(request.task.id, request.task);
    if (!is_new) {
        return errc::already_exists;
    }
    stored->second.created_at = clock_.now();
    return stored->second;
}

result<room_task> memory_tables::apply(const ops::update_task& request) {
    room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr || !record->tasks.contains(request.id)) {
        return errc::not_found;
    }
    room_task& task = record->tasks.at(request.id);
    task.status = request.status.value_or(task.status);
    task.assigned_to = request.assigned_to.value_or(task.assigned_to);
    return task;
}

result<std::vector<room_task>> memory_tables::apply(const ops::list_tasks& request) {
    std::vector<room_task> found;
    const room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return found;
    }
    for (const auto& [id, task] : record->tasks) {
        if (!request.status || task.status == *request.status) {
            found.push_back(task);
        }
    }
    return found;
}

result<std::vector<observation>> memory_tables::apply(const ops::list_observations& request) {
    std::vector<observation> found;
    const room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return found;
    }
    for (const auto& [id, observed] : record->observations) {
        found.push_back(observed);
    }
    return found;
}

}  // namespace convene
