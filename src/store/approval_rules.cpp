// SPDX-License-Identifier: Apache-2.0
// Approval rules: decisions, uses, and their JSON.
#include "store/approval_rules.hpp"

#include <charconv>
#include <set>
#include <utility>

#include "base/canonical_json.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

std::int64_t count_in(std::string_view object, std::string_view name) {
    const std::string_view digits = find_member(object, name).value_or("0");
    std::int64_t count = 0;
    // What is no number is 0: the grant then allows nothing.
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    return count;
}

}  // namespace

approval as_asked(
    const ops::end_run::question& question, const agent_run_record& by, wall_time now
) {
    approval asked = question.asked;
    asked.organization = by.organization;
    asked.room = by.room;
    asked.run = by.id;
    asked.state = approval_state::pending;
    asked.decided_by.clear();
    asked.response = json_text{};
    asked.decided_at.reset();
    asked.created_at = now;
    asked.expires_at = now + question.valid_for;
    return asked;
}

bool is_decision(approval_state state) noexcept {
    return state == approval_state::approved || state == approval_state::rejected ||
           state == approval_state::returned;
}

bool are_decisions(const std::vector<ops::decide_approvals::decision>& decisions) {
    std::set<approval_id> seen;
    for (const ops::decide_approvals::decision& one : decisions) {
        if (!is_decision(one.state) || !seen.insert(one.id).second) {
            return false;
        }
    }
    return !seen.empty();
}

result<> may_be_decided(const approval* known, const room_id& room, wall_time now) {
    if (known == nullptr || known->room != room) {
        return errc::not_found;
    }
    if (known->state != approval_state::pending) {
        return errc::approval_already_resolved;
    }
    if (known->expires_at <= now) {
        return errc::approval_expired;
    }
    return {};
}

bool use_up(approval* given, std::size_t grant, std::string_view tool, wall_time now) {
    if (given->state != approval_state::approved || given->expires_at <= now ||
        grant >= given->grants.size()) {
        return false;
    }
    approval_grant& allowed = given->grants[grant];
    if (allowed.tool != tool || allowed.used >= allowed.uses) {
        return false;
    }
    ++allowed.used;
    return true;
}

std::string text_of_grants(const std::vector<approval_grant>& grants) {
    json_writer out;
    out.begin_array();
    for (const approval_grant& one : grants) {
        out.begin_object();
        out.key("tool").string(one.tool);
        out.key("bounds").json(one.bounds);
        out.key("uses").integer(one.uses);
        out.key("used").integer(one.used);
        out.end_object();
    }
    out.end_array();
    return out.take().str();
}

std::vector<approval_grant> grants_of_text(std::string_view text) {
    std::vector<approval_grant> grants;
    for (const std::string_view grant : elements_of(text)) {
        approval_grant read;
        read.tool = find_text(grant, "tool").value_or("");
        if (const auto bounds = find_member(grant, "bounds")) {
            read.bounds = json_text::trusted(std::string{*bounds});
        }
        read.uses = count_in(grant, "uses");
        read.used = count_in(grant, "used");
        grants.push_back(std::move(read));
    }
    return grants;
}

std::string text_of_deciders(const std::vector<std::string>& deciders) {
    json_writer out;
    out.begin_array();
    for (const std::string& one : deciders) {
        out.string(one);
    }
    out.end_array();
    return out.take().str();
}

std::vector<std::string> deciders_of_text(std::string_view text) {
    std::vector<std::string> deciders;
    for (const std::string_view one : elements_of(text)) {
        deciders.push_back(decode_string(one).value_or(""));
    }
    return deciders;
}

}  // namespace convene
