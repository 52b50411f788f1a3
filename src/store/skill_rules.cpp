// SPDX-License-Identifier: Apache-2.0
// Skill rules: what wishes for pulls and their ends make of a skill.
#include "store/skill_rules.hpp"

#include <utility>

namespace convene {

skill first_of(const skill& wanted, wall_time now) {
    skill made;
    made.id = wanted.id;
    made.organization = wanted.organization;
    made.version = 1;
    made.name = wanted.name;
    made.source = wanted.source;
    made.created_at = now;
    made.updated_at = now;
    want_pull(made);
    return made;
}

skill changed_by(skill known, const skill& wanted, wall_time now) {
    known.name = wanted.name;
    if (known.source != wanted.source) {
        known.source = wanted.source;
        want_pull(known);
    }
    ++known.version;
    known.updated_at = now;
    return known;
}

void want_pull(skill& changed) {
    changed.state = skill_state::cloning;
    ++changed.pulls_wanted;
}

skill ended_by(skill known, const ops::end_skill_pull& end, wall_time now) {
    known.error = end.error;
    known.error_detail = end.error_detail;
    if (end.error.empty()) {
        known.revision = end.revision;
        known.pulled_at = now;
    }
    // A pull that was asked for meanwhile may find what this one came too early for.
    if (known.pulls_wanted == end.wanted) {
        known.state = end.error.empty() ? skill_state::ready : skill_state::failed;
    }
    return known;
}

}  // namespace convene
