// SPDX-License-Identifier: Apache-2.0
// Approval notices: who is told, and when it is over.
#include "store/memory/approval_notices.hpp"

#include <string>

#include "store/decider_rules.hpp"
#include "store/notification_facts.hpp"

namespace convene {

void tell_deciders(
    workflow_tables& to,
    const access_tables& people,
    const room_context& around,
    const approval& asked,
    wall_time now
) {
    for (const auto& [id, one] : people.users) {
        const bool is_there = one.organization == asked.organization && one.is_active;
        if (is_there && may_decide(decider{id.str(), one.role}, around, asked)) {
            to.tell(notice_of(facts_of(asked), asked.organization, id.str(), now));
        }
    }
}

void settle_notices(workflow_tables& in, const approval& ended, wall_time now) {
    const std::string link = link_of(facts_of(ended));
    for (auto& [number, told] : in.notifications) {
        const bool is_about = told.organization == ended.organization && told.link == link;
        if (is_about && !told.read_at) {
            told.read_at = now;
        }
    }
}

void cancel_open_approvals(workflow_tables& in, session_tables::session_row& of, wall_time now) {
    for (const auto& [id, one] : of.approvals) {
        if (one.state == approval_state::pending) {
            settle_notices(in, one, now);
        }
    }
    session_tables::cancel_approvals(of, now);
}

void forget_notices(workflow_tables& in, const session_tables::session_row& of) {
    for (const auto& [id, one] : of.approvals) {
        const std::string link = link_of(facts_of(one));
        std::erase_if(in.notifications, [&](const auto& entry) {
            return entry.second.organization == one.organization && entry.second.link == link;
        });
    }
}

}  // namespace convene
