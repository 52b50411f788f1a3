// SPDX-License-Identifier: Apache-2.0
// What the memory store knows of skills.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "store/skill_values.hpp"

namespace convene {

/// The rows. *Thread safety*: as `tables`.
struct skill_tables {
    using pin_key = std::tuple<organization_id, std::string, std::string>;  ///< kind and id last

    /// Null for a skill that is absent or belongs to another organisation.
    [[nodiscard]] skill* find(const organization_id& organization, const skill_id& id) {
        const auto known = skills.find(id);
        const bool is_theirs = known != skills.end() && known->second.organization == organization;
        return is_theirs ? &known->second : nullptr;
    }

    using secret_key = std::pair<organization_id, secret_name>;

    /// Null for a secret that is absent or belongs to another organisation.
    [[nodiscard]] named_secret* find_secret(
        const organization_id& organization, const secret_name& name
    ) {
        const auto known = secrets.find({organization, name});
        return known == secrets.end() ? nullptr : &known->second;
    }

    /// Whether a skill can name it: there is such a secret, or it names none.
    [[nodiscard]] bool can_name(const organization_id& organization, const secret_name& name) {
        return name.empty() || find_secret(organization, name) != nullptr;
    }

    std::map<skill_id, skill> skills;
    std::map<secret_key, named_secret> secrets;
    std::map<pin_key, skill_pin> pins;
    std::map<std::string, std::string> markers;
};

}  // namespace convene
