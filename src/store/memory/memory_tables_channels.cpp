// SPDX-License-Identifier: Apache-2.0
// The memory tables: registered channels, receipts, subscriptions to framework events.
#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "store/memory/memory_tables.hpp"

namespace convene {

namespace {

/// The row of an organisation; null for none, or another organisation's.
template <class Id, class Row>
Row* find_row(std::map<Id, Row>& rows, const organization_id& organization, const Id& id) {
    const auto known = rows.find(id);
    const bool is_theirs = known != rows.end() && known->second.organization == organization;
    return is_theirs ? &known->second : nullptr;
}

template <class Id, class Row>
std::vector<Row> owned_rows(
    const std::map<Id, Row>& rows, const std::optional<organization_id>& organization
) {
    std::vector<Row> found;
    std::ranges::copy_if(rows | std::views::values, std::back_inserter(found), [&](const Row& row) {
        return !organization || row.organization == *organization;
    });
    return found;
}

}  // namespace

void channel_tables::forget_receipts(const room_id& room, const event_id& event) {
    const auto first = receipts.lower_bound({room, event, delivery_id{}});
    auto end = first;
    while (end != receipts.end() && std::get<0>(end->first) == room &&
           std::get<1>(end->first) == event) {
        ++end;
    }
    receipts.erase(first, end);
}

void channel_tables::forget_receipts(const room_id& room) {
    std::erase_if(receipts, [&room](const auto& row) { return std::get<0>(row.first) == room; });
}

// -- channels -------------------------------------------------------------------------------------

result<registered_channel> memory_tables::apply(const ops::put_channel& request) {
    const wall_time now = clock_.now();
    registered_channel put = request.channel;
    if (put.version == 0) {
        if (channels_.channels.contains(put.id)) {
            return errc::already_exists;
        }
        put.created_at = now;
    } else {
        const registered_channel* const known = find_row(
            channels_.channels, put.organization, put.id
        );
        if (known == nullptr) {
            return errc::not_found;
        }
        if (known->version != put.version) {
            return errc::room_changed;
        }
        put.type = known->type;
        put.created_at = known->created_at;
    }
    ++put.version;
    put.updated_at = now;
    channels_.channels.insert_or_assign(put.id, put);
    access_.note(request.audit, now);
    return put;
}

result<registered_channel> memory_tables::apply(const ops::get_channel& request) {
    const auto known = channels_.channels.find(request.id);
    if (known == channels_.channels.end()) {
        return errc::not_found;
    }
    return known->second;
}

result<std::vector<registered_channel>> memory_tables::apply(const ops::list_channels& request) {
    return owned_rows(channels_.channels, request.organization);
}

result<bool> memory_tables::apply(const ops::delete_channel& request) {
    if (find_row(channels_.channels, request.organization, request.id) == nullptr) {
        return false;
    }
    channels_.channels.erase(request.id);
    access_.note(request.audit, clock_.now());
    return true;
}

// -- receipts -------------------------------------------------------------------------------------

result<bool> memory_tables::apply(const ops::put_receipt& request) {
    const delivery_receipt& receipt = request.receipt;
    const auto holds = [&request](const auto& room) {
        return room.second.info.organization == request.organization &&
               room.second.events.find(request.event) != nullptr;
    };
    const auto around = std::ranges::find_if(rooms_, holds);
    if (around == rooms_.end()) {
        return errc::not_found;
    }
    const room_id& room = around->first;
    const auto rows = apply(ops::list_deliveries{room, request.event});
    const auto row = std::ranges::find(*rows, receipt.delivery, &delivery_row::id);
    if (row == rows->end() || row->kind != target_kind::channel ||
        row->channel != request.channel) {
        return errc::not_found;
    }
    const channel_tables::receipt_key key{room, request.event, receipt.delivery};
    const auto known = channels_.receipts.find(key);
    if (known != channels_.receipts.end() && known->second.status >= receipt.status) {
        return false;
    }
    delivery_receipt stored = receipt;
    stored.at = clock_.now();
    channels_.receipts.insert_or_assign(key, std::move(stored));
    return true;
}

result<std::vector<delivery_receipt>> memory_tables::apply(const ops::list_receipts& request) {
    std::vector<delivery_receipt> found;
    for (auto row = channels_.receipts.lower_bound({request.room, request.event, delivery_id{}});
         row != channels_.receipts.end() && std::get<0>(row->first) == request.room &&
         std::get<1>(row->first) == request.event;
         ++row) {
        found.push_back(row->second);
    }
    return found;
}

// -- framework events of an organisation ----------------------------------------------------------

result<std::int64_t> memory_tables::apply(const ops::get_last_notice&) { return last_notice_; }

result<std::vector<framework_event>> memory_tables::apply(const ops::list_notices_of& request) {
    std::vector<framework_event> found;
    for (auto next = notices_.upper_bound(request.after);
         next != notices_.end() && found.size() < request.limit;
         ++next) {
        if (next->second.organization == request.organization) {
            found.push_back(next->second);
        }
    }
    return found;
}

// -- subscriptions --------------------------------------------------------------------------------

result<webhook_subscription> memory_tables::apply(const ops::put_webhook_subscription& request) {
    const wall_time now = clock_.now();
    webhook_subscription put = request.subscription;
    if (put.version == 0) {
        if (channels_.subscriptions.contains(put.id)) {
            return errc::already_exists;
        }
        put.created_at = now;
        put.position = last_notice_;
        put.failing_since.reset();
        put.last_error.clear();
    } else {
        const webhook_subscription* const known = find_row(
            channels_.subscriptions, put.organization, put.id
        );
        if (known == nullptr) {
            return errc::not_found;
        }
        if (known->version != put.version) {
            return errc::room_changed;
        }
        put.created_at = known->created_at;
        put.position = known->position;
        const bool starts_afresh = put.is_enabled && !known->is_enabled;
        put.failing_since = starts_afresh ? std::nullopt : known->failing_since;
        put.last_error = starts_afresh ? std::string{} : known->last_error;
    }
    ++put.version;
    put.updated_at = now;
    channels_.subscriptions.insert_or_assign(put.id, put);
    access_.note(request.audit, now);
    return put;
}

result<webhook_subscription> memory_tables::apply(const ops::get_webhook_subscription& request) {
    const webhook_subscription* const known = find_row(
        channels_.subscriptions, request.organization, request.id
    );
    if (known == nullptr) {
        return errc::not_found;
    }
    return *known;
}

result<std::vector<webhook_subscription>> memory_tables::apply(
    const ops::list_webhook_subscriptions& request
) {
    return owned_rows(channels_.subscriptions, request.organization);
}

result<bool> memory_tables::apply(const ops::delete_webhook_subscription& request) {
    if (find_row(channels_.subscriptions, request.organization, request.id) == nullptr) {
        return false;
    }
    channels_.subscriptions.erase(request.id);
    access_.note(request.audit, clock_.now());
    return true;
}

result<bool> memory_tables::apply(const ops::note_subscription_progress& request) {
    const auto found = channels_.subscriptions.find(request.id);
    if (found == channels_.subscriptions.end()) {
        return false;
    }
    const wall_time now = clock_.now();
    webhook_subscription& known = found->second;
    known.position = std::max(known.position, request.position);
    known.last_error = request.error;
    if (request.error.empty()) {
        known.failing_since.reset();
    } else if (!known.failing_since) {
        known.failing_since = now;
    }
    if (!request.disable_reason.empty()) {
        known.is_enabled = false;
        known.disabled_reason = request.disable_reason;
        ++known.version;
        known.updated_at = now;
    }
    if (request.notice) {
        add_notices({*request.notice}, now);
    }
    return true;
}

}  // namespace convene
