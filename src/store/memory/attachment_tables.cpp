// SPDX-License-Identifier: Apache-2.0
// Keeps attachments, the events that name them, and the count of bytes in step.
#include "store/memory/attachment_tables.hpp"

#include <algorithm>
#include <tuple>

#include "base/content_attachments.hpp"

namespace convene {

attachment_tables::row* attachment_tables::find(const attachment_id& id) {
    const auto known = rows_.find(id);
    return known == rows_.end() ? nullptr : &known->second;
}

std::int64_t attachment_tables::bytes_of(const organization_id& organization, const room_id& room)
    const {
    const auto known = usage_.find({organization, room});
    return known == usage_.end() ? 0 : known->second;
}

void attachment_tables::count(const attachment& info, std::int64_t bytes) {
    for (const room_id& of : {info.room, room_id{}}) {
        const usage_key key{info.organization, of};
        if ((usage_[key] += bytes) == 0) {
            usage_.erase(key);
        }
    }
}

attachment_tables::row& attachment_tables::put(
    attachment info, incarnation_id uploader, wall_time expires_at
) {
    row& added = rows_[info.id];
    if (!added.info.id.empty()) {
        count(added.info, -added.info.size_bytes);
    }
    count(info, info.size_bytes);
    added = {std::move(info), std::move(uploader), expires_at, {}, {}};
    return added;
}

void attachment_tables::name(const room_id& room, const event_id& event, const content& said) {
    for (std::string& text : attachments_in(said)) {
        const attachment_id id{std::move(text)};
        row* const named = find(id);
        if (named == nullptr || named->info.room != room ||
            named->info.state != attachment_state::stored) {
            continue;
        }
        named->named_by.insert(event);
        named->expires_at.reset();
        names_[event].insert(id);
    }
}

void attachment_tables::forget_event(const event_id& event, wall_time now) {
    const auto names = names_.find(event);
    if (names == names_.end()) {
        return;
    }
    for (const attachment_id& id : names->second) {
        row& named = rows_.at(id);
        named.named_by.erase(event);
        if (named.named_by.empty() && named.info.state == attachment_state::stored) {
            remove(named, now);
        }
    }
    names_.erase(names);
}

void attachment_tables::remove(row& removed, wall_time now) {
    if (removed.info.state == attachment_state::removed) {
        return;
    }
    count(removed.info, -removed.info.size_bytes);
    removed.info.state = attachment_state::removed;
    removed.expires_at = now;
}

void attachment_tables::remove_room(const room_id& room, wall_time now) {
    for (auto& [id, known] : rows_) {
        if (known.info.room == room) {
            remove(known, now);
        }
    }
}

std::vector<attachment_id> attachment_tables::stored_before(
    const room_id& room, wall_time oldest, std::size_t limit
) const {
    std::vector<std::pair<wall_time, attachment_id>> old;
    for (const auto& [id, known] : rows_) {
        const bool is_stored = known.info.room == room &&
                               known.info.state == attachment_state::stored;
        if (is_stored && known.info.created_at <= oldest) {
            old.emplace_back(known.info.created_at, id);
        }
    }
    std::ranges::sort(old);
    old.resize(std::min(old.size(), limit));
    std::vector<attachment_id> ids;
    for (auto& [at, id] : old) {
        ids.push_back(std::move(id));
    }
    return ids;
}

void attachment_tables::drop(const attachment_id& id) {
    for (const event_id& event : rows_.at(id).named_by) {
        const auto names = names_.find(event);
        names->second.erase(id);
        if (names->second.empty()) {
            names_.erase(names);
        }
    }
    rows_.erase(id);
}

}  // namespace convene
