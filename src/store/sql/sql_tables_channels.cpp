// SPDX-License-Identifier: Apache-2.0
// The SQL tables: registered channels, receipts, subscriptions to framework events.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

std::string select_channels(std::string_view condition) {
    return "SELECT id, organization_id, version, type, name, url, secret, previous_secret,"
           " previous_secret_until, max_retries, base_delay_ms, max_delay_ms, delay_factor,"
           " has_limit, limit_second, limit_minute, limit_hour, attempt_deadline_ms, is_enabled,"
           " disabled_reason, metadata, created_at, updated_at FROM channels " +
           std::string{condition};
}

registered_channel read_channel(query& row) {
    registered_channel found;
    row.read(found.id, found.organization, found.version, found.type, found.name, found.url);
    row.read(found.secrets.current, found.secrets.previous, found.secrets.previous_until);
    std::optional<std::int32_t> max_retries;
    retry_policy retry;
    row.read(max_retries, retry.base_delay, retry.max_delay, retry.factor);
    if (max_retries) {
        retry.max_retries = *max_retries;
        found.retry = retry;
    }
    bool has_limit = false;
    rate_limit limit;
    row.read(has_limit, limit.per_second, limit.per_minute, limit.per_hour);
    if (has_limit) {
        found.limit = limit;
    }
    row.read(
        found.attempt_deadline,
        found.is_enabled,
        found.disabled_reason,
        found.metadata,
        found.created_at,
        found.updated_at
    );
    return found;
}

std::optional<registered_channel> find_channel(session& db, const channel_id& id) {
    static const std::string text = select_channels("WHERE id = ?1");
    query row = db.select(text, id);
    if (!row.next()) {
        return std::nullopt;
    }
    return read_channel(row);
}

void write_channel(session& db, const registered_channel& put) {
    const std::optional<retry_policy>& retry = put.retry;
    const rate_limit limit = put.limit.value_or(rate_limit{});
    static const std::string text = upsert(
        "channels",
        "id",
        {"id",
         "organization_id",
         "version",
         "type",
         "name",
         "url",
         "secret",
         "previous_secret",
         "previous_secret_until",
         "max_retries",
         "base_delay_ms",
         "max_delay_ms",
         "delay_factor",
         "has_limit",
         "limit_second",
         "limit_minute",
         "limit_hour",
         "attempt_deadline_ms",
         "is_enabled",
         "disabled_reason",
         "metadata",
         "created_at",
         "updated_at"}
    );
    db.run(
        text,
        put.id,
        put.organization,
        put.version,
        put.type,
        put.name,
        put.url,
        put.secrets.current,
        put.secrets.previous,
        put.secrets.previous_until,
        retry ? std::optional{retry->max_retries} : std::nullopt,
        retry ? std::optional{retry->base_delay} : std::nullopt,
        retry ? std::optional{retry->max_delay} : std::nullopt,
        retry ? std::optional{retry->factor} : std::nullopt,
        put.limit.has_value(),
        limit.per_second,
        limit.per_minute,
        limit.per_hour,
        put.attempt_deadline,
        put.is_enabled,
        put.disabled_reason,
        put.metadata,
        put.created_at,
        put.updated_at
    );
}

std::string select_subscriptions(std::string_view condition) {
    return "SELECT id, organization_id, version, url, secret, previous_secret,"
           " previous_secret_until, event_types, is_enabled, disabled_reason, position,"
           " failing_since, last_error, created_at, updated_at FROM webhook_subscriptions " +
           std::string{condition};
}

webhook_subscription read_subscription(query& row, session& db) {
    webhook_subscription found;
    row.read(found.id, found.organization, found.version, found.url);
    row.read(found.secrets.current, found.secrets.previous, found.secrets.previous_until);
    std::string types;
    row.read(types, found.is_enabled, found.disabled_reason, found.position, found.failing_since);
    row.read(found.last_error, found.created_at, found.updated_at);
    found.event_types = list_of_text(db, types);
    return found;
}

std::optional<webhook_subscription> find_subscription(session& db, const subscription_id& id) {
    static const std::string text = select_subscriptions("WHERE id = ?1");
    query row = db.select(text, id);
    if (!row.next()) {
        return std::nullopt;
    }
    return read_subscription(row, db);
}

void write_subscription(session& db, const webhook_subscription& put) {
    static const std::string text = upsert(
        "webhook_subscriptions",
        "id",
        {"id",
         "organization_id",
         "version",
         "url",
         "secret",
         "previous_secret",
         "previous_secret_until",
         "event_types",
         "is_enabled",
         "disabled_reason",
         "position",
         "failing_since",
         "last_error",
         "created_at",
         "updated_at"}
    );
    db.run(
        text,
        put.id,
        put.organization,
        put.version,
        put.url,
        put.secrets.current,
        put.secrets.previous,
        put.secrets.previous_until,
        text_of_list(put.event_types),
        put.is_enabled,
        put.disabled_reason,
        put.position,
        put.failing_since,
        put.last_error,
        put.created_at,
        put.updated_at
    );
}

/// Rows of one organisation where it is set, in the order of ids.
template <class Read>
auto owned_rows(
    session& db,
    std::string (*select)(std::string_view),
    const std::optional<organization_id>& organization,
    Read read
) {
    if (organization) {
        return collect(
            db.select(select("WHERE organization_id = ?1 ORDER BY id"), *organization), read
        );
    }
    return collect(db.select(select("ORDER BY id")), read);
}

}  // namespace

// -- channels ----------------------------------------------------------------------------------------

result<registered_channel> sql_tables::perform(const ops::put_channel& request) {
    const wall_time now = clock_.now();
    registered_channel put = request.channel;
    const std::optional<registered_channel> known = find_channel(db_, put.id);
    if (put.version == 0) {
        if (known) {
            return errc::already_exists;
        }
        put.created_at = now;
    } else {
        if (!known || known->organization != put.organization) {
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
    write_channel(db_, put);
    insert_audit(db_, request.audit, clock_.now());
    return put;
}

result<registered_channel> sql_tables::perform(const ops::get_channel& request) {
    std::optional<registered_channel> known = find_channel(db_, request.id);
    if (!known) {
        return errc::not_found;
    }
    return *std::move(known);
}

result<std::vector<registered_channel>> sql_tables::perform(const ops::list_channels& request) {
    return owned_rows(db_, select_channels, request.organization, read_channel);
}

result<bool> sql_tables::perform(const ops::delete_channel& request) {
    const std::int64_t removed = db_.run(
        "DELETE FROM channels WHERE id = ?1 AND organization_id = ?2",
        request.id,
        request.organization
    );
    if (removed == 0) {
        return false;
    }
    insert_audit(db_, request.audit, clock_.now());
    return true;
}

// -- receipts ----------------------------------------------------------------------------------------

result<bool> sql_tables::perform(const ops::put_receipt& request) {
    const delivery_receipt& receipt = request.receipt;
    const std::optional<room_id> room = db_.value_of<room_id>(
        "SELECT d.room_id FROM events e"
        " JOIN deliveries d ON d.room_id = e.room_id AND d.\"index\" = e.\"index\" AND d.id = ?2"
        " JOIN rooms r ON r.id = e.room_id"
        " WHERE e.id = ?1 AND d.event_id = ?1 AND d.channel_id = ?3 AND d.kind = ?4"
        " AND r.organization_id = ?5",
        request.event,
        receipt.delivery,
        request.channel,
        target_kind::channel,
        request.organization
    );
    if (!room) {
        return errc::not_found;
    }
    const std::int64_t changed = db_.run(
        "INSERT INTO delivery_receipts (room_id, event_id, delivery_id, status, error_code,"
        " error_message, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
        " ON CONFLICT (room_id, event_id, delivery_id) DO UPDATE SET status = ?4, error_code = ?5,"
        " error_message = ?6, at = ?7 WHERE delivery_receipts.status < ?4",
        *room,
        request.event,
        receipt.delivery,
        receipt.status,
        receipt.error_code,
        receipt.error_message,
        clock_.now()
    );
    return changed != 0;
}

result<std::vector<delivery_receipt>> sql_tables::perform(const ops::list_receipts& request) {
    return collect(
        db_.select(
            "SELECT delivery_id, status, error_code, error_message, at FROM delivery_receipts"
            " WHERE room_id = ?1 AND event_id = ?2 ORDER BY delivery_id",
            request.room,
            request.event
        ),
        [](query& row) {
            delivery_receipt found;
            row.read(found.delivery, found.status, found.error_code, found.error_message, found.at);
            return found;
        }
    );
}

// -- framework events of an organisation -------------------------------------------------------------

result<std::int64_t> sql_tables::perform(const ops::get_last_notice&) { return last_notice(); }

result<std::vector<framework_event>> sql_tables::perform(const ops::list_notices_of& request) {
    return collect(
        db_.select(
            select_notices("WHERE organization_id = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3"
            ),
            request.organization,
            request.after,
            request.limit
        ),
        read_notice
    );
}

// -- subscriptions -----------------------------------------------------------------------------------

result<webhook_subscription> sql_tables::perform(const ops::put_webhook_subscription& request) {
    const wall_time now = clock_.now();
    webhook_subscription put = request.subscription;
    const std::optional<webhook_subscription> known = find_subscription(db_, put.id);
    if (put.version == 0) {
        if (known) {
            return errc::already_exists;
        }
        put.created_at = now;
        put.position = last_notice();
        put.failing_since.reset();
        put.last_error.clear();
    } else {
        if (!known || known->organization != put.organization) {
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
    write_subscription(db_, put);
    insert_audit(db_, request.audit, clock_.now());
    return put;
}

result<webhook_subscription> sql_tables::perform(const ops::get_webhook_subscription& request) {
    std::optional<webhook_subscription> known = find_subscription(db_, request.id);
    if (!known || known->organization != request.organization) {
        return errc::not_found;
    }
    return *std::move(known);
}

result<std::vector<webhook_subscription>> sql_tables::perform(
    const ops::list_webhook_subscriptions& request
) {
    return owned_rows(db_, select_subscriptions, request.organization, [this](query& row) {
        return read_subscription(row, db_);
    });
}

result<bool> sql_tables::perform(const ops::delete_webhook_subscription& request) {
    const std::int64_t removed = db_.run(
        "DELETE FROM webhook_subscriptions WHERE id = ?1 AND organization_id = ?2",
        request.id,
        request.organization
    );
    if (removed == 0) {
        return false;
    }
    insert_audit(db_, request.audit, clock_.now());
    return true;
}

result<bool> sql_tables::perform(const ops::note_subscription_progress& request) {
    std::optional<webhook_subscription> known = find_subscription(db_, request.id);
    if (!known) {
        return false;
    }
    const wall_time now = clock_.now();
    known->position = std::max(known->position, request.position);
    known->last_error = request.error;
    if (request.error.empty()) {
        known->failing_since.reset();
    } else if (!known->failing_since) {
        known->failing_since = now;
    }
    if (!request.disable_reason.empty()) {
        known->is_enabled = false;
        known->disabled_reason = request.disable_reason;
        ++known->version;
        known->updated_at = now;
    }
    write_subscription(db_, *known);
    if (request.notice) {
        add_notices({*request.notice}, now);
    }
    return true;
}

}  // namespace convene::sql
