// SPDX-License-Identifier: Apache-2.0
// `Convene-Cause` of a request: what is sent because of a call of ours.
#pragma once

#include "convene/cause.hpp"

#include <optional>

#include "base/secret_box.hpp"
#include "http/route.hpp"

namespace convene {

/// Of routes that honour it.
[[nodiscard]] parameter cause_parameter();

/// The cause that a request of `organization` carries. `box` may be null: then no cause is ours.
/// *Errors*: 422 for a cause that is not ours, of another organisation, or too old.
[[nodiscard]] or_problem<std::optional<event_cause>> cause_of(
    const route_call& call,
    const organization_id& organization,
    const secret_box* box,
    wall_time now
);

}  // namespace convene
