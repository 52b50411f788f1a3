// SPDX-License-Identifier: Apache-2.0
// The memory tables: skills, their pulls and pins.
#include <algorithm>
#include <ranges>

#include "store/memory/memory_tables.hpp"
#include "store/skill_rules.hpp"

namespace convene {

result<skill> memory_tables::apply(const ops::put_skill& request) {
    const wall_time now = clock_.now();
    const skill& wanted = request.changed;
    if (wanted.version == 0) {
        if (skills_.skills.contains(wanted.id)) {
            return errc::already_exists;
        }
        if (!skills_.can_name(wanted.organization, wanted.source.secret)) {
            return errc::invalid_argument;
        }
        skill made = first_of(wanted, now);
        skills_.skills.emplace(made.id, made);
        access_.note(request.audit, now);
        return made;
    }
    skill* const known = skills_.find(wanted.organization, wanted.id);
    if (known == nullptr) {
        return errc::not_found;
    }
    if (known->version != wanted.version) {
        return errc::room_changed;
    }
    if (!skills_.can_name(wanted.organization, wanted.source.secret)) {
        return errc::invalid_argument;
    }
    *known = changed_by(*known, wanted, now);
    access_.note(request.audit, now);
    return *known;
}

result<skill> memory_tables::apply(const ops::get_skill& request) {
    const skill* const known = skills_.find(request.organization, request.id);
    if (known == nullptr) {
        return errc::not_found;
    }
    return *known;
}

result<std::vector<skill>> memory_tables::apply(const ops::list_skills& request) {
    std::vector<skill> found;
    for (const skill& one : skills_.skills | std::views::values) {
        const bool is_theirs = !request.organization || one.organization == *request.organization;
        if (is_theirs && (!request.state || one.state == *request.state)) {
            found.push_back(one);
        }
    }
    return found;
}

result<ops::skill_deletion> memory_tables::apply(const ops::delete_skill& request) {
    if (skills_.find(request.organization, request.id) == nullptr) {
        return ops::skill_deletion::not_found;
    }
    const auto pins = skills_.pins | std::views::values;
    if (std::ranges::find(pins, request.id, &skill_pin::skill) != pins.end()) {
        return ops::skill_deletion::pinned;
    }
    skills_.skills.erase(request.id);
    access_.note(request.audit, clock_.now());
    return ops::skill_deletion::done;
}

result<skill> memory_tables::apply(const ops::want_skill_pull& request) {
    skill* const known = skills_.find(request.organization, request.id);
    if (known == nullptr) {
        return errc::not_found;
    }
    want_pull(*known);
    access_.note(request.audit, clock_.now());
    return *known;
}

result<skill> memory_tables::apply(const ops::begin_skill_pull& request) {
    skill* const known = skills_.find(request.organization, request.id);
    if (known == nullptr) {
        return errc::not_found;
    }
    if (known->state == skill_state::cloning) {
        ++known->pull_epoch;
    }
    return *known;
}

result<skill> memory_tables::apply(const ops::end_skill_pull& request) {
    skill* const known = skills_.find(request.organization, request.id);
    if (known == nullptr) {
        return errc::not_found;
    }
    if (known->pull_epoch != request.epoch) {
        return errc::lease_lost;
    }
    *known = ended_by(*known, request, clock_.now());
    return *known;
}

result<skill_pin> memory_tables::apply(const ops::pin_skill& request) {
    const skill_pin& pin = request.pin;
    if (skills_.find(pin.organization, pin.skill) == nullptr) {
        return errc::not_found;
    }
    skills_.pins.insert_or_assign({pin.organization, pin.holder_kind, pin.holder}, pin);
    return pin;
}

result<bool> memory_tables::apply(const ops::unpin_skill& request) {
    return skills_.pins.erase({request.organization, request.holder_kind, request.holder}) != 0;
}

result<std::vector<skill_pin>> memory_tables::apply(const ops::list_skill_pins& request) {
    std::vector<skill_pin> found;
    for (const skill_pin& pin : skills_.pins | std::views::values) {
        if (pin.organization == request.organization && pin.skill == request.skill) {
            found.push_back(pin);
        }
    }
    return found;
}

result<std::string> memory_tables::apply(const ops::agree_on_marker& request) {
    if (request.proposed.empty()) {
        const auto known = skills_.markers.find(request.name);
        return known == skills_.markers.end() ? std::string{} : known->second;
    }
    return skills_.markers.try_emplace(request.name, request.proposed).first->second;
}

}  // namespace convene
