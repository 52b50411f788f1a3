// SPDX-License-Identifier: Apache-2.0
// Lines of the audit trail from requests.
#include "http/audit.hpp"

#include "http/access_authenticator.hpp"

namespace convene {

audit_entry audit_of(
    const route_call& call, std::string_view action, std::string_view target, json_text details
) {
    audit_entry entry;
    entry.organization = call.who.organization;
    entry.actor = signed_in_of(call.who).actor();
    entry.action = action;
    entry.target = target;
    entry.details = std::move(details);
    entry.peer = call.request.peer;
    return entry;
}

}  // namespace convene
