// SPDX-License-Identifier: Apache-2.0
// What the routes of channels, webhooks and subscriptions share.
#include "http/resource/integration_routes.hpp"

#include <iterator>
#include <string>
#include <utility>

#include "http/resource/access_routes.hpp"

namespace convene {

namespace {

constexpr seconds longest_overlap = std::chrono::days{30};

}  // namespace

std::vector<route> integration_routes(const integration_route_parts& parts) {
    std::vector<route> routes;
    for (const auto list : {channel_routes, webhook_routes, subscription_routes}) {
        std::vector<route> more = list(parts);
        std::move(more.begin(), more.end(), std::back_inserter(routes));
    }
    return routes;
}

audit_entry by_caller(const route_call& call) {
    const access_caller caller = caller_of(call);
    audit_entry by;
    by.organization = call.who.organization;
    by.actor = caller.who.actor();
    by.peer = caller.peer;
    return by;
}

schema secret_rotation_schema() {
    return schema::input(
        "SecretRotation",
        {optional("secret", schema::text({1, 128}), "`whsec_...`; left out: made"),
         optional(
             "overlap_seconds",
             schema::integer({0, longest_overlap.count()}),
             "How long the secret before stays good; left out: a day"
         )}
    );
}

schema_field secret_field() {
    return optional(
        "secret", schema::text({1, 128}), "`whsec_...`, as its maker has it; left out: made"
    );
}

or_problem<std::optional<webhook_secret>> read_secret(const read_object& body) {
    const std::optional<std::string> text = body.text("secret");
    if (!text) {
        return std::optional<webhook_secret>{};
    }
    std::optional<webhook_secret> secret = webhook_secret::parse(*text);
    if (!secret) {
        return validation_problem("secret", boundary_reason::malformed);
    }
    return secret;
}

seconds read_overlap(const read_object& body) {
    return seconds{body.integer("overlap_seconds").value_or(seconds{default_secret_overlap}.count())
    };
}

problem problem_of_change(error_code code, std::string_view limit) {
    if (code != errc::overloaded) {
        return problem_of(code);
    }
    return conflict_problem("LIMIT_REACHED", std::string{limit});
}

}  // namespace convene
