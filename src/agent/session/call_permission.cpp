// SPDX-License-Identifier: Apache-2.0
// Call permission: the bounds are held here, the uses are counted by the store.
#include "agent/session/call_permission.hpp"

#include <utility>

#include "agent/session/approval_bounds.hpp"
#include "base/hash.hpp"
#include "base/json_writer.hpp"
#include "store/operations/access.hpp"
#include "store/operations/approvals.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// So many of a session's approvals, the last ones, are looked through.
constexpr std::size_t looked_at = 100;

constexpr std::string_view not_permitted =
    "Not called: no approval covers this call with these arguments. Ask for one with "
    "request_approval.";

}  // namespace

call_permission::call_permission(
    driver_parts with,
    organization_id organization,
    channel_id agent,
    std::set<std::string, std::less<>> needs_approval
)
    : with_(with),
      organization_(std::move(organization)),
      agent_(std::move(agent)),
      needs_approval_(std::move(needs_approval)) {}

awaitable<result<std::optional<std::string>>> call_permission::begin(
    tool_intent intent, json_text arguments
) {
    intent.arguments_digest = to_hex(sha256(arguments.str()));
    ops::start_tool_call request;
    request.intent = intent;
    const bool is_asked_for = needs_approval_.contains(intent.tool);
    if (is_asked_for) {
        const auto found = co_await find_approval(intent, std::move(arguments));
        if (!found) {
            co_return found.error();
        }
        request.allowed_by = *found;
    }
    if (request.allowed_by) {
        request.audit = audit_of(intent, "tool_call.allowed", request.allowed_by->approval.str());
    }
    if (request.allowed_by || !is_asked_for) {
        const auto stored = co_await with_.kit->store().run(std::move(request));
        if (stored) {
            co_return std::optional<std::string>{};
        }
        // It was good a moment ago.
        if (stored.error() != errc::not_authorized) {
            co_return stored.error();
        }
    }
    ops::append_audit line{audit_of(intent, "tool_call.refused", {})};
    const auto noted = co_await with_.kit->store().run(std::move(line));
    if (!noted) {
        co_return noted.error();
    }
    co_return std::optional{std::string{not_permitted}};
}

awaitable<result<std::optional<ops::start_tool_call::use>>> call_permission::find_approval(
    tool_intent intent, json_text arguments
) {
    ops::list_approvals look;
    look.organization = organization_;
    look.room = intent.room;
    look.state = approval_state::approved;
    look.limit = looked_at;
    const auto given = co_await with_.kit->store().run(std::move(look));
    if (!given) {
        co_return given.error();
    }
    co_return find_cover(*given, intent.tool, arguments, with_.clock->now());
}

/// The arguments only as a digest: they may hold what is nobody's business.
audit_entry call_permission::audit_of(
    const tool_intent& intent, std::string_view action, std::string_view approval
) const {
    json_writer details;
    details.begin_object();
    details.key("room_id").string(intent.room.str());
    details.key("run_id").string(intent.run.str());
    details.key("call_id").string(intent.call_id);
    details.key("arguments_sha256").string(intent.arguments_digest);
    if (!approval.empty()) {
        details.key("approval_id").string(approval);
    }
    details.end_object();
    audit_entry line;
    line.organization = organization_;
    line.actor = "agent:" + agent_.str();
    line.action = action;
    line.target = intent.tool;
    line.details = details.take();
    return line;
}

}  // namespace convene
