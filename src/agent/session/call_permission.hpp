// SPDX-License-Identifier: Apache-2.0
// Which calls of an agent's tools are made: each is on record before, and those that need an approval have one.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/error.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "agent/session/run_scribe.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: its driver's; its parts outlive it.
class call_permission {
   public:
    call_permission(
        driver_parts with,
        organization_id organization,
        channel_id agent,
        std::set<std::string, std::less<>> needs_approval
    );

    /// Puts a call on record, and uses up the approval that allows it, at once. What is answered is why it is not to be made:
    /// a sentence for the model; unset: it is. The audit trail has each call that needs an approval.
    /// *Errors*: those of `ops::start_tool_call` and of the store.
    [[nodiscard]] awaitable<result<std::optional<std::string>>> begin(
        tool_intent intent, json_text arguments
    );

   private:
    /// The approval that covers the call. Unset: none does.
    [[nodiscard]] awaitable<result<std::optional<ops::start_tool_call::use>>> find_approval(
        tool_intent intent, json_text arguments
    );
    [[nodiscard]] audit_entry audit_of(
        const tool_intent& intent, std::string_view action, std::string_view approval
    ) const;

    // fixed after construction
    const driver_parts with_;
    const organization_id organization_;
    const channel_id agent_;
    const std::set<std::string, std::less<>> needs_approval_;
};

}  // namespace convene
