// SPDX-License-Identifier: Apache-2.0
// The memory tables: approvals.
#include <algorithm>
#include <ranges>
#include <tuple>
#include <utility>

#include "store/approval_rules.hpp"
#include "store/memory/approval_notices.hpp"
#include "store/memory/memory_tables.hpp"

namespace convene {

namespace {

std::ptrdiff_t count_open(const session_tables::session_row& of) {
    return std::ranges::count_if(of.approvals, [](const auto& entry) {
        return entry.second.state == approval_state::pending;
    });
}

bool is_late(const approval& one, wall_time now) {
    return one.state == approval_state::pending && one.expires_at <= now;
}

}  // namespace

session_turn memory_tables::queue_resume(
    session_tables::session_row& of, session_turn turn, wall_time now
) {
    turn.organization = of.info.organization;
    turn.room = of.info.room;
    session_turn queued = as_queued(std::move(turn), now);
    sessions_.add_turn(of, queued);
    session_tables::settle(of, status_once_decided(of.info.status), now);
    return queued;
}

result<approval> memory_tables::apply(const ops::get_approval& request) {
    const approval* const known = sessions_.find_approval(request.id);
    if (known == nullptr || known->organization != request.organization) {
        return errc::not_found;
    }
    return *known;
}

result<std::vector<approval>> memory_tables::apply(const ops::list_approvals& request) {
    std::vector<approval> found;
    for (const auto& [room, session] : sessions_.all()) {
        if (session.info.organization != request.organization ||
            (request.room && *request.room != room) ||
            (request.member && !is_active_member(room, *request.member))) {
            continue;
        }
        for (const auto& [id, one] : session.approvals) {
            const bool is_wanted = !request.state || one.state == *request.state;
            if (is_wanted && (request.before.empty() || id < request.before)) {
                found.push_back(one);
            }
        }
    }
    std::ranges::sort(found, std::ranges::greater{}, &approval::id);
    found.resize(std::min(found.size(), request.limit));
    return found;
}

result<ops::decide_approvals::answer> memory_tables::apply(const ops::decide_approvals& request) {
    if (!are_decisions(request.decisions)) {
        return errc::invalid_argument;
    }
    if (find_session(request.organization, request.room) == nullptr) {
        return errc::not_found;
    }
    session_tables::session_row& session = *sessions_.find(request.room);
    const wall_time now = clock_.now();
    for (const ops::decide_approvals::decision& one : request.decisions) {
        const result<> open = may_be_decided(sessions_.find_approval(one.id), request.room, now);
        if (!open) {
            return open.error();
        }
    }
    const bool is_all = std::cmp_equal(count_open(session), request.decisions.size());
    if (!is_all && request.which == ops::decide_approvals::reach::all) {
        return errc::session_awaiting_approval;
    }
    if (is_all && sessions_.find_turn(request.turn.id) != nullptr) {
        return errc::already_exists;
    }
    ops::decide_approvals::answer answer;
    for (const ops::decide_approvals::decision& one : request.decisions) {
        approval& known = *sessions_.find_approval(one.id);
        known.state = one.state;
        known.decided_by = request.decided_by;
        known.response = one.response;
        known.decided_at = now;
        access_.note(one.audit, now);
        settle_notices(workflows_, known, now);
        answer.decided.push_back(known);
    }
    if (is_all) {
        answer.queued = queue_resume(session, request.turn, now);
    }
    return answer;
}

result<std::vector<ops::find_expired_approvals::item>> memory_tables::apply(
    const ops::find_expired_approvals& request
) {
    const wall_time now = clock_.now();
    std::vector<std::pair<wall_time, ops::find_expired_approvals::item>> late;
    for (const auto& [room, session] : sessions_.all()) {
        std::optional<wall_time> first;
        for (const auto& [id, one] : session.approvals) {
            if (is_late(one, now)) {
                first = std::min(first.value_or(one.expires_at), one.expires_at);
            }
        }
        if (first) {
            late.push_back({*first, {session.info.organization, room, session.info.owner}});
        }
    }
    std::ranges::sort(late, {}, [](const auto& one) {
        return std::tuple{one.first, one.second.room};
    });
    std::vector<ops::find_expired_approvals::item> found;
    for (auto& [at, item] : late | std::views::take(request.limit)) {
        found.push_back(std::move(item));
    }
    return found;
}

result<ops::expire_approvals::answer> memory_tables::apply(const ops::expire_approvals& request) {
    ops::expire_approvals::answer answer;
    session_tables::session_row* const session = sessions_.find(request.room);
    if (session == nullptr) {
        return answer;
    }
    const wall_time now = clock_.now();
    const auto late = std::ranges::count_if(session->approvals, [now](const auto& entry) {
        return is_late(entry.second, now);
    });
    const bool is_all = late > 0 && late == count_open(*session);
    if (is_all && sessions_.find_turn(request.turn.id) != nullptr) {
        return errc::already_exists;
    }
    for (auto& [id, one] : session->approvals) {
        if (is_late(one, now)) {
            one.state = approval_state::expired;
            one.decided_at = now;
            settle_notices(workflows_, one, now);
            answer.expired.push_back(one);
        }
    }
    if (is_all) {
        answer.queued = queue_resume(*session, request.turn, now);
    }
    return answer;
}

}  // namespace convene
