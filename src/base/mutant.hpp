// SPDX-License-Identifier: Apache-2.0
// Deliberate defects: each breaks one rule on purpose, so that the simulation can show that it
// would notice.
#pragma once

#include <string_view>

/// In a build with mutants, true while the simulation has this defect switched on; else always
/// false.
#ifdef CONVENE_MUTANTS
#define CONVENE_MUTANT(name) (::convene::mutant_is_active(name))
#else
#define CONVENE_MUTANT(name) false
#endif

namespace convene {

/// Whether `name` is the defect that is switched on.
[[nodiscard]] bool mutant_is_active(std::string_view name) noexcept;

/// Switches one defect of this process on and the one before off; an empty name: none is on.
/// *Requires*: `name` outlives its being on. *Thread safety*: before anything that has a mutant
/// runs.
void activate_mutant(std::string_view name) noexcept;

}  // namespace convene
