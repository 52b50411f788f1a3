// SPDX-License-Identifier: Apache-2.0
// Reading the cause of a request.
#include "http/cause.hpp"

#include <string>
#include <utility>

#include "webhook/cause_header.hpp"

namespace convene {

parameter cause_parameter() {
    parameter made;
    made.name = std::string{cause_header};
    made.in = parameter_place::header;
    made.type = schema::text({1, 8192});
    made.description = "As it came with a call of ours that this is sent because of";
    return made;
}

or_problem<std::optional<event_cause>> cause_of(
    const route_call& call,
    const organization_id& organization,
    const secret_box* box,
    wall_time now
) {
    const std::optional<std::string> text = call.text(cause_header);
    if (!text) {
        return std::optional<event_cause>{};
    }
    if (box == nullptr) {
        return validation_problem("Convene-Cause", boundary_reason::malformed);
    }
    checked<event_cause> cause = decode_cause(*text, *box, now);
    if (!cause) {
        return problem_of(cause.error());
    }
    if (cause->organization != organization) {
        return validation_problem("Convene-Cause", boundary_reason::not_allowed_here);
    }
    return std::optional{*std::move(cause)};
}

}  // namespace convene
