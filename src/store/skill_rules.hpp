// SPDX-License-Identifier: Apache-2.0
// Rules about skills that every store keeps alike.
#pragma once

#include "store/operations/skills.hpp"

namespace convene {

/// A new skill, as it is stored.
[[nodiscard]] skill first_of(const skill& wanted, wall_time now);

/// The skill with name and source of `wanted`.
[[nodiscard]] skill changed_by(skill known, const skill& wanted, wall_time now);

void want_pull(skill& changed);

/// *Requires*: the epoch is the skill's.
[[nodiscard]] skill ended_by(skill known, const ops::end_skill_pull& end, wall_time now);

}  // namespace convene
