// SPDX-License-Identifier: Apache-2.0
// The memory tables: how long things are kept, and erasing an organisation.
#include <algorithm>
#include <utility>

#include "store/memory/memory_tables.hpp"
#include "store/retention_rules.hpp"

namespace convene {

namespace {

/// Rows of one kind that one step of an erasure removes.
constexpr std::size_t max_rows_of_step = 1000;

/// Removes some that match. True if there may be more.
template <class Map, class Predicate>
bool erase_some(Map& map, Predicate matches) {
    std::size_t erased = 0;
    for (auto next = map.begin(); next != map.end() && erased < max_rows_of_step;) {
        if (matches(*next)) {
            next = map.erase(next);
            ++erased;
        } else {
            ++next;
        }
    }
    return erased == max_rows_of_step;
}

}  // namespace

retention_policy memory_tables::policy_of(const organization_id& organization, const room_id& room)
    const {
    const auto known = policies_.find({organization, room});
    return known == policies_.end() ? retention_policy{} : known->second;
}

retention_policy memory_tables::effective_policy(const room& of) const {
    return stricter(policy_of(of.organization, of.id), policy_of(of.organization, {}));
}

result<retention_policy> memory_tables::apply(const ops::put_retention& request) {
    if (!request.room.empty() && find_room(request.organization, request.room) == nullptr) {
        return errc::not_found;
    }
    const std::pair key{request.organization, request.room};
    if (request.policy == retention_policy{}) {
        policies_.erase(key);
    } else {
        policies_.insert_or_assign(key, request.policy);
    }
    access_.note(request.audit, clock_.now());
    return request.policy;
}

result<ops::get_retention::found> memory_tables::apply(const ops::get_retention& request) {
    if (request.room.empty()) {
        const retention_policy own = policy_of(request.organization, {});
        return ops::get_retention::found{own, own};
    }
    const room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    return ops::get_retention::found{
        policy_of(request.organization, request.room), effective_policy(record->info)
    };
}

bool memory_tables::is_retention_due(const room_record& record, wall_time now) const {
    const retention_policy policy = effective_policy(record.info);
    if (is_to_be_deleted(record.info, policy, now)) {
        return true;
    }
    const room_event* const first = record.events.first_after(event_index::none());
    if (first != nullptr && has_outlived(first->created_at, policy.events_max_age_days, now)) {
        return true;
    }
    const std::optional<wall_time> oldest = oldest_kept(policy.attachments_max_age_days, now);
    return oldest && !attachments_.stored_before(record.info.id, *oldest, 1).empty();
}

result<ops::find_retention_due::outcome> memory_tables::apply(const ops::find_retention_due& request
) {
    ops::find_retention_due::outcome found;
    if (policies_.empty()) {
        return found;
    }
    const wall_time now = clock_.now();
    std::size_t looked_at = 0;
    for (auto next = rooms_.upper_bound(request.after);
         next != rooms_.end() && looked_at < request.limit;
         ++next, ++looked_at) {
        found.last = next->first;
        if (is_retention_due(next->second, now)) {
            found.due.push_back({next->second.info.organization, next->first});
        }
    }
    found.has_more = looked_at == request.limit;
    return found;
}

result<ops::apply_retention::outcome> memory_tables::apply(const ops::apply_retention& request) {
    ops::apply_retention::outcome done;
    room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return done;
    }
    const wall_time now = clock_.now();
    const room info = record->info;
    const retention_policy policy = effective_policy(info);
    retention_work work;
    if (is_to_be_deleted(info, policy, now)) {
        forget_room(*record);
        done.is_room_deleted = work.is_room_deleted = true;
        add_notices({retention_notice(info, work)}, now);
        return done;
    }

    while (done.events.size() < request.limit) {
        const room_event* const first = record->events.first_after(event_index::none());
        if (first == nullptr || !has_outlived(first->created_at, policy.events_max_age_days, now)) {
            break;
        }
        work.from = done.events.empty() ? first->index : work.from;
        work.to = first->index;
        done.events.push_back(first->id);
        erase_event(*record, done.events.back(), now);
        rows_.remove_event(info.id, done.events.back());
    }
    settle_cursor(*record);
    if (const auto oldest = oldest_kept(policy.attachments_max_age_days, now)) {
        for (const attachment_id& id :
             attachments_.stored_before(info.id, *oldest, request.limit)) {
            attachments_.remove(*attachments_.find(id), now);
            ++done.attachments;
        }
    }
    work.events = static_cast<std::int64_t>(done.events.size());
    work.attachments = done.attachments;
    if (work.events + work.attachments > 0) {
        add_notices({retention_notice(info, work)}, now);
    }
    done.has_more = is_retention_due(*record, now);
    return done;
}

// -- erasing an organisation ----------------------------------------------------------------------

result<bool> memory_tables::apply(const ops::begin_erasure& request) {
    const organization_id& leaving = request.organization;
    if (access_.organizations.erase(leaving) == 0) {
        return false;
    }
    const auto is_theirs = [&leaving](const auto& row) {
        return row.second.organization == leaving;
    };
    for (const auto& [id, one] : access_.users) {
        if (one.organization == leaving) {
            access_.emails.erase(email_key(one.email));
        }
    }
    std::erase_if(access_.users, is_theirs);
    std::erase_if(access_.tokens, is_theirs);
    std::erase_if(access_.sessions, is_theirs);
    std::erase_if(access_.links, is_theirs);
    std::erase_if(policies_, [&](const auto& row) { return row.first.first == leaving; });
    erasures_.push_back(leaving);
    access_.note(request.audit, clock_.now());
    return true;
}

result<ops::continue_erasure::outcome> memory_tables::apply(const ops::continue_erasure& request) {
    ops::continue_erasure::outcome done;
    if (erasures_.empty()) {
        return done;
    }
    const organization_id leaving = erasures_.front();
    done.organization = leaving;
    for (const auto& [id, record] : rooms_) {
        if (done.rooms.size() == request.limit) {
            break;
        }
        if (record.info.organization == leaving) {
            done.rooms.push_back(id);
        }
    }
    for (const room_id& id : done.rooms) {
        forget_room(rooms_.at(id));
    }
    if (done.rooms.size() == request.limit) {
        done.has_more = true;
        return done;
    }
    const auto is_valued = [&leaving](const auto& row) {
        return row.second.organization == leaving;
    };
    const auto is_keyed = [&leaving](const auto& row) { return std::get<0>(row.first) == leaving; };
    done.has_more |= erase_some(addresses_, is_keyed);
    done.has_more |= erase_some(identities_, is_valued);
    done.has_more |= erase_some(access_.requests, [&](const auto& row) {
        return row.first.organization == leaving;
    });
    done.has_more |= erase_some(channels_.channels, is_valued);
    done.has_more |= erase_some(channels_.subscriptions, is_valued);
    done.has_more |= erase_some(skills_.skills, is_valued);
    done.has_more |= erase_some(skills_.pins, is_valued);
    done.has_more |= erase_some(skills_.secrets, is_valued);
    done.has_more |= sessions_.forget_organization(leaving, max_rows_of_step);
    done.has_more |= workflows_.forget_organization(leaving, max_rows_of_step);
    done.has_more |= erase_some(access_.audit, is_valued);
    done.has_more |= erase_some(notices_, is_valued);
    if (!done.has_more) {
        forget_hooks_of(leaving);
        erasures_.erase(erasures_.begin());
        done.has_more = !erasures_.empty();
    }
    return done;
}

}  // namespace convene
