// SPDX-License-Identifier: Apache-2.0
// Approval bounds: arguments are compared as values, whatever the order of their keys.
#include "agent/session/approval_bounds.hpp"

#include <string>
#include <utility>

#include "agent/json_schema.hpp"
#include "base/canonical_json.hpp"
#include "base/json.hpp"

namespace convene {

namespace {

std::optional<json_text> member_of(const json_text& bounds, std::string_view name) {
    const auto found = find_member(bounds.str(), name);
    return found ? std::optional{json_text::trusted(std::string{*found})} : std::nullopt;
}

bool is_same(const json_text& one, const json_text& other) {
    constexpr boundary_limits limits = boundary_limits::of_stored_json();
    const auto first = json_document::parse(one.str(), "arguments", limits);
    const auto second = json_document::parse(other.str(), "arguments", limits);
    return first && second && first->root() == second->root();
}

}  // namespace

std::optional<std::string> fault_of_bounds(const json_text& bounds) {
    const auto schema = member_of(bounds, "schema");
    if (!schema) {
        return std::nullopt;
    }
    const auto compiled = json_schema::compile(*schema, "schema");
    return compiled ? std::nullopt
                    : std::optional{"The schema is not supported: " + compiled.error().field};
}

bool are_within(const json_text& arguments, const json_text& bounds) {
    if (const auto exact = member_of(bounds, "arguments"); exact && !is_same(arguments, *exact)) {
        return false;
    }
    const auto schema = member_of(bounds, "schema");
    if (!schema) {
        return true;
    }
    const auto compiled = json_schema::compile(*schema, "schema");
    return compiled && !compiled->find_misfit(arguments);
}

std::optional<ops::start_tool_call::use> find_cover(
    const std::vector<approval>& given,
    std::string_view tool,
    const json_text& arguments,
    wall_time now
) {
    for (const approval& one : given) {
        if (one.state != approval_state::approved || one.expires_at <= now) {
            continue;
        }
        for (std::size_t i = 0; i < one.grants.size(); ++i) {
            const approval_grant& grant = one.grants[i];
            if (grant.tool == tool && grant.used < grant.uses &&
                are_within(arguments, grant.bounds)) {
                return ops::start_tool_call::use{one.id, i};
            }
        }
    }
    return std::nullopt;
}

}  // namespace convene
