// SPDX-License-Identifier: Apache-2.0
// The memory tables: rooms, bindings and participants.
#include <iterator>
#include <utility>

#include "base/mutant.hpp"
#include "store/memory/approval_notices.hpp"
#include "store/memory/memory_tables.hpp"
#include "store/metadata.hpp"
#include "store/room_rules.hpp"

namespace convene {

namespace {

template <class Map>
auto values_of(const Map& map) {
    std::vector<typename Map::mapped_type> values;
    values.reserve(map.size());
    for (const auto& [key, value] : map) {
        values.push_back(value);
    }
    return values;
}

/// True if `wanted` is set and `current` differs from it.
template <class T>
bool differs(const std::optional<T>& wanted, const T& current) {
    return wanted && *wanted != current;
}

bool has_member(const room_record& record, const participant_id& member) {
    const auto found = record.participants.find(member);
    return found != record.participants.end() && found->second.status == participant_status::active;
}

bool matches(const room_record& record, const ops::list_rooms& request) {
    const room& info = record.info;
    return (!request.organization || info.organization == *request.organization) &&
           (!request.status || info.status == *request.status) &&
           (!request.member || has_member(record, *request.member));
}

/// The first `limit` records of a range that match.
template <class Iterator>
std::vector<room> first_matching(Iterator next, Iterator end, const ops::list_rooms& request) {
    std::vector<room> found;
    for (; next != end && found.size() < request.limit; ++next) {
        if (matches(next->second, request)) {
            found.push_back(next->second.info);
        }
    }
    return found;
}

}  // namespace

// -- what the others build on -----------------------------------------------------------------

room_record* memory_tables::find_room(const room_id& id) {
    const auto found = rooms_.find(id);
    return found == rooms_.end() ? nullptr : &found->second;
}

room_record* memory_tables::find_room(const organization_id& organization, const room_id& id) {
    room_record* const record = find_room(id);
    return record != nullptr && record->info.organization == organization ? record : nullptr;
}

bool memory_tables::is_active_member(const room_id& room, const participant_id& who) const {
    return has_member(rooms_.at(room), who);
}

bool memory_tables::can_create(const room& wanted) const {
    const external_key external{wanted.organization, wanted.external_id};
    return !rooms_.contains(wanted.id) &&
           (wanted.external_id.empty() || !external_ids_.contains(external));
}

room_record& memory_tables::add_room(
    const room& wanted,
    const std::vector<binding>& bindings,
    const std::vector<participant>& participants
) {
    room_record& record = rooms_[wanted.id];
    record.info = fresh_room(wanted, clock_.now());
    for (binding bound : bindings) {
        bound.room = wanted.id;
        record.bindings.insert_or_assign(bound.channel, std::move(bound));
    }
    for (participant member : participants) {
        member.room = wanted.id;
        record.participants.insert_or_assign(member.id, std::move(member));
    }
    if (!wanted.external_id.empty()) {
        external_ids_.emplace(external_key{wanted.organization, wanted.external_id}, wanted.id);
    }
    list_for_routing(record);
    arm_timer(record);
    return record;
}

void memory_tables::raise_config(room_record& record, wall_time now) {
    ++record.info.config;
    record.info.updated_at = now;
}

void memory_tables::set_status(room_record& record, room_status status, wall_time now) {
    unlist_for_routing(record);
    convene::change_status(record.info, status, now);
    list_for_routing(record);
    arm_timer(record);
}

void memory_tables::change_status(room_record& record, room_status status, wall_time now) {
    set_status(record, status, now);
    auto* const session = is_open(status) ? nullptr : sessions_.find(record.info.id);
    if (session != nullptr) {
        cancel_open_approvals(workflows_, *session, now);
        if (session->info.status == session_status::waiting_for_approval) {
            session_tables::settle(*session, session_status::idle, now);
        }
    }
}

// -- rooms ------------------------------------------------------------------------------------

result<room> memory_tables::apply(const ops::create_room& request) {
    if (!can_create(request.room)) {
        return errc::already_exists;
    }
    return add_room(request.room, request.bindings, request.participants).info;
}

result<room> memory_tables::apply(const ops::get_room& request) {
    const room_record* const record = find_room(request.organization, request.id);
    if (record == nullptr) {
        return errc::not_found;
    }
    return record->info;
}

result<organization_id> memory_tables::apply(const ops::find_organization& request) {
    const room_record* const record = find_room(request.id);
    if (record == nullptr) {
        return errc::not_found;
    }
    return record->info.organization;
}

result<std::optional<room>> memory_tables::apply(const ops::find_room_by_external_id& request) {
    const auto known = external_ids_.find({request.organization, request.external_id});
    if (known == external_ids_.end()) {
        return std::optional<room>{};
    }
    return std::optional{find_room(known->second)->info};
}

result<std::vector<room>> memory_tables::apply(const ops::list_rooms& request) {
    if (request.order == ops::room_order::oldest_first) {
        return first_matching(rooms_.upper_bound(request.after), rooms_.end(), request);
    }
    const auto end = request.after.empty() ? rooms_.end() : rooms_.lower_bound(request.after);
    return first_matching(std::reverse_iterator{end}, rooms_.rend(), request);
}

result<room> memory_tables::apply(const ops::update_room& request) {
    room_record* const record = find_room(request.organization, request.id);
    if (record == nullptr) {
        return errc::not_found;
    }
    room& info = record->info;
    if (request.expected_config && *request.expected_config != info.config) {
        return errc::room_changed;
    }
    const json_text patch = request.metadata_patch.value_or(json_text{});
    result<json_text> metadata = merge_keys(info.metadata, patch, request.metadata_unset);
    if (!metadata) {
        return metadata.error();
    }

    const wall_time now = clock_.now();
    const bool timers_change = differs(request.timers, info.timers);
    const bool responses_change = differs(request.responses, info.responses);
    const bool status_changes = differs(request.status, info.status);
    info.metadata = std::move(*metadata);
    info.timers = request.timers.value_or(info.timers);
    info.responses = request.responses.value_or(info.responses);
    info.updated_at = now;
    if (status_changes) {
        change_status(*record, *request.status, now);
    } else if (timers_change || responses_change) {
        raise_config(*record, now);
    }
    if (timers_change) {
        arm_timer(*record);
    }
    if (CONVENE_MUTANT("counter_written_elsewhere") && info.event_count > 0) {
        // As a caller's stale room object would: the counters of one event ago.
        --info.event_count;
        info.latest_index = info.latest_index.previous();
    }
    return info;
}

result<bool> memory_tables::apply(const ops::delete_room& request) {
    room_record* const record = find_room(request.organization, request.id);
    if (record == nullptr) {
        return false;
    }
    forget_room(*record);
    return true;
}

void memory_tables::forget_room(room_record& record) {
    const room_id id = record.info.id;
    const wall_time now = clock_.now();
    unlist_for_routing(record);
    forget_routes_to(record);
    forget_who_the_cursor_waits_for(record);
    forget_hooks_of(record);
    if (record.timer_due) {
        timers_.erase({*record.timer_due, id});
    }
    external_ids_.erase({record.info.organization, record.info.external_id});
    for (const auto& [index, stored] : record.events.events()) {
        event_ids_.erase(stored.event.id);
        attachments_.forget_event(stored.event.id, now);
    }
    attachments_.remove_room(id, now);
    policies_.erase({record.info.organization, id});
    room_keys_.remove_room(id);
    inbound_keys_.remove_room(id);
    rows_.remove_room(id);
    channels_.forget_receipts(id);
    outbound_.remove_room(id);
    if (const auto* const session = sessions_.find(id)) {
        forget_notices(workflows_, *session);
    }
    sessions_.forget_room(id);
    workflows_.forget_room(id);
    skills_.pins.erase({record.info.organization, execution_holder, id.str()});
    std::erase_if(skips_, [&](const delivery_skip& skip) { return skip.room == id; });
    rooms_.erase(id);
}

result<room_context> memory_tables::apply(const ops::load_room_context& request) {
    const room_record* const record = find_room(request.organization, request.id);
    if (record == nullptr) {
        return errc::not_found;
    }
    return room_context{record->info, values_of(record->bindings), values_of(record->participants)};
}

// -- bindings and participants ----------------------------------------------------------------

result<binding> memory_tables::apply(const ops::put_binding& request) {
    room_record* const record = find_room(request.organization, request.binding.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    record->bindings.insert_or_assign(request.binding.channel, request.binding);
    list_for_routing(*record);
    raise_config(*record, clock_.now());
    return request.binding;
}

result<bool> memory_tables::apply(const ops::remove_binding& request) {
    room_record* const record = find_room(request.organization, request.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    if (!record->bindings.contains(request.channel)) {
        return false;
    }
    unlist_for_routing(*record);
    record->bindings.erase(request.channel);
    list_for_routing(*record);
    raise_config(*record, clock_.now());
    return true;
}

result<participant> memory_tables::apply(const ops::put_participant& request) {
    room_record* const record = find_room(request.organization, request.participant.room);
    if (record == nullptr) {
        return errc::not_found;
    }
    record->participants.insert_or_assign(request.participant.id, request.participant);
    raise_config(*record, clock_.now());
    return request.participant;
}

}  // namespace convene
