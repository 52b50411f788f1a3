// SPDX-License-Identifier: Apache-2.0
// The memory tables: secrets that skills name.
#include <algorithm>
#include <cstddef>
#include <ranges>
#include <utility>

#include "store/memory/memory_tables.hpp"

namespace convene {

namespace {

std::vector<secret_user> users_of(
    const skill_tables& skills, const organization_id& organization, const secret_name& name
) {
    std::vector<secret_user> found;
    for (const skill& one : skills.skills | std::views::values) {
        if (one.organization == organization && one.source.secret == name) {
            found.push_back({one.id, one.name});
        }
    }
    return found;
}

}  // namespace

result<ops::put_secret::answer> memory_tables::apply(const ops::put_secret& request) {
    const wall_time now = clock_.now();
    const named_secret& wanted = request.secret;
    const named_secret* const known = skills_.find_secret(wanted.organization, wanted.name);
    const auto theirs = std::ranges::count(
        skills_.secrets | std::views::values, wanted.organization, &named_secret::organization
    );
    if (known == nullptr && theirs >= static_cast<std::ptrdiff_t>(most_secrets)) {
        return errc::overloaded;
    }
    ops::put_secret::answer put;
    put.is_new = known == nullptr;
    put.stored.secret = wanted;
    put.stored.secret.created_at = known == nullptr ? now : known->created_at;
    put.stored.secret.updated_at = now;
    skills_.secrets.insert_or_assign({wanted.organization, wanted.name}, put.stored.secret);
    access_.note(request.audit, now);
    put.stored.secret.value.clear();
    put.stored.used_by = users_of(skills_, wanted.organization, wanted.name);
    return put;
}

result<named_secret> memory_tables::apply(const ops::get_secret& request) {
    const named_secret* const known = skills_.find_secret(request.organization, request.name);
    if (known == nullptr) {
        return errc::not_found;
    }
    return *known;
}

result<std::vector<listed_secret>> memory_tables::apply(const ops::list_secrets& request) {
    std::vector<listed_secret> found;
    for (const named_secret& one : skills_.secrets | std::views::values) {
        if (one.organization == request.organization) {
            found.push_back({one, users_of(skills_, one.organization, one.name)});
            found.back().secret.value.clear();
        }
    }
    return found;
}

result<ops::delete_secret::answer> memory_tables::apply(const ops::delete_secret& request) {
    using enum ops::secret_deletion;
    if (skills_.find_secret(request.organization, request.name) == nullptr) {
        return ops::delete_secret::answer{not_found, {}};
    }
    std::vector<secret_user> users = users_of(skills_, request.organization, request.name);
    if (!users.empty()) {
        return ops::delete_secret::answer{in_use, std::move(users)};
    }
    skills_.secrets.erase({request.organization, request.name});
    access_.note(request.audit, clock_.now());
    return ops::delete_secret::answer{done, {}};
}

}  // namespace convene
