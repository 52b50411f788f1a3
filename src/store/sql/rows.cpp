// SPDX-License-Identifier: Apache-2.0
// Reads and writes rows. A column list and its reader, or a writer and its list, stand next to each other.
#include "store/sql/rows.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/json_writer.hpp"

namespace convene::sql {

namespace {

std::string joined(std::string_view columns, std::string_view condition) {
    std::string sql{columns};
    sql += ' ';
    sql += condition;
    return sql;
}

visibility visibility_of(failure_latch& faults, std::string_view text) {
    result<visibility> parsed = visibility::parse(text);
    if (!parsed) {
        faults.fail(errc::corrupt_data, "a visibility that can't be read");
        return {};
    }
    return *std::move(parsed);
}

content content_of(failure_latch& faults, std::string_view text) {
    result<content> parsed = content::from_store(text);
    if (!parsed) {
        faults.fail(errc::corrupt_data, "content that can't be read");
        return {};
    }
    return *std::move(parsed);
}

std::string text_of_channels(const std::vector<channel_id>& channels) {
    std::vector<std::string> names;
    names.reserve(channels.size());
    for (const channel_id& channel : channels) {
        names.push_back(channel.str());
    }
    return text_of_list(names);
}

std::vector<channel_id> channels_of_text(failure_latch& faults, std::string_view text) {
    std::vector<channel_id> channels;
    for (std::string& name : list_of_text(faults, text)) {
        channels.emplace_back(std::move(name));
    }
    return channels;
}

}  // namespace

std::int64_t insert_audit(session& database, const audit_entry& added, wall_time now) {
    const std::optional<std::int64_t> sequence = database.value_of<std::int64_t>(
        "INSERT INTO audit_log (organization_id, actor, action, target, peer, at, details)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING sequence",
        added.organization,
        added.actor,
        added.action,
        added.target,
        added.peer,
        now,
        added.details
    );
    return sequence.value_or(0);
}

void insert_audit(session& database, const std::optional<audit_entry>& added, wall_time now) {
    if (added) {
        insert_audit(database, *added, now);
    }
}

std::string upsert(
    std::string_view table, std::string_view key, const std::vector<std::string_view>& columns
) {
    std::string names;
    std::string values;
    std::string changes;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string separator = i == 0 ? "" : ", ";
        const std::string parameter = '?' + std::to_string(i + 1);
        names += separator + std::string{columns[i]};
        values += separator + parameter;
        changes += separator + std::string{columns[i]} + " = " + parameter;
    }
    std::string text = "INSERT INTO " + std::string{table} + " (" + names + ") VALUES (" + values;
    text += ") ON CONFLICT (" + std::string{key} + ") DO UPDATE SET " + changes;
    return text;
}

std::string parameters(int count) {
    std::string list;
    for (int i = 1; i <= count; ++i) {
        list += (i == 1 ? "?" : ", ?") + std::to_string(i);
    }
    return list;
}

std::string text_of_list(const std::vector<std::string>& values) {
    json_writer out;
    out.begin_array();
    for (const std::string& value : values) {
        out.string(value);
    }
    out.end_array();
    return out.take().str();
}

std::vector<std::string> list_of_text(failure_latch& faults, std::string_view text) {
    std::vector<std::string> values;
    boost::system::error_code refused;
    const boost::json::value parsed = boost::json::parse(text, refused);
    const boost::json::array* const items = refused ? nullptr : parsed.if_array();
    if (items == nullptr) {
        faults.fail(errc::corrupt_data, "a list that can't be read");
        return values;
    }
    for (const boost::json::value& item : *items) {
        if (const boost::json::string* const value = item.if_string()) {
            values.emplace_back(*value);
        }
    }
    return values;
}

// -- rooms -------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view room_columns =
    "SELECT r.id, r.organization_id, r.external_id, r.status, r.config_version, r.timeline_epoch,"
    " r.next_index, r.event_count, r.latest_index, c.delivered_index, r.lock_epoch,"
    " r.inactive_after, r.closed_after, r.responses, coalesce(m.metadata, '{}'), r.created_at,"
    " r.updated_at, r.last_activity_at, r.paused_at, r.closed_at";

// CROSS JOIN keeps the room first, whatever the planner thinks of the sizes.
constexpr std::string_view room_tables =
    " FROM rooms r CROSS JOIN room_cursors c ON c.room_id = r.id LEFT JOIN room_metadata m ON"
    " m.room_id = r.id";

}  // namespace

std::string select_rooms(std::string_view condition) { return select_rooms_with("", condition); }

std::string select_rooms_with(std::string_view more_columns, std::string_view condition) {
    std::string columns{room_columns};
    columns += more_columns;
    columns += room_tables;
    return joined(columns, condition);
}

room read_room(query& row) {
    room r;
    row.read(r.id, r.organization, r.external_id, r.status, r.config, r.timeline_epoch);
    row.read(r.next_index, r.event_count, r.latest_index, r.delivered_index, r.lock_epoch);
    row.read(r.timers.inactive_after, r.timers.closed_after, r.responses, r.metadata);
    row.read(r.created_at, r.updated_at, r.last_activity_at, r.paused_at, r.closed_at);
    return r;
}

void insert_room(session& database, const room& added) {
    database.run(
        "INSERT INTO rooms (id, organization_id, external_id, status, config_version,"
        " timeline_epoch, next_index, event_count, latest_index, lock_epoch, inactive_after,"
        " closed_after, responses, created_at, updated_at, last_activity_at, paused_at, closed_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
        added.id,
        added.organization,
        added.external_id,
        added.status,
        added.config,
        added.timeline_epoch,
        added.next_index,
        added.event_count,
        added.latest_index,
        added.lock_epoch,
        added.timers.inactive_after,
        added.timers.closed_after,
        added.responses,
        added.created_at,
        added.updated_at,
        added.last_activity_at,
        added.paused_at,
        added.closed_at
    );
    database.run(
        "INSERT INTO room_cursors (room_id, delivered_index, claimer, claim_epoch, takeovers)"
        " VALUES (?1, ?2, '', 0, 0)",
        added.id,
        added.delivered_index
    );
}

// -- bindings and participants -----------------------------------------------------------------------

std::string select_bindings(std::string_view condition) {
    return joined(
        "SELECT room_id, channel_id, channel_type, kind, access, is_muted, visibility,"
        " participant_id, address, max_retries, base_delay_ms, max_delay_ms, delay_factor,"
        " has_limit, limit_second, limit_minute, limit_hour, attached_at, metadata FROM bindings",
        condition
    );
}

binding read_binding(query& row, failure_latch& faults) {
    binding b;
    std::string sees;
    row.read(
        b.room,
        b.channel,
        b.channel_type,
        b.kind,
        b.access,
        b.is_muted,
        sees,
        b.participant,
        b.address
    );
    b.visibility = visibility_of(faults, sees);

    std::optional<std::int32_t> max_retries;
    retry_policy retry;
    row.read(max_retries, retry.base_delay, retry.max_delay, retry.factor);
    if (max_retries) {
        retry.max_retries = *max_retries;
        b.retry = retry;
    }

    bool has_limit = false;
    rate_limit limit;
    row.read(has_limit, limit.per_second, limit.per_minute, limit.per_hour);
    if (has_limit) {
        b.limit = limit;
    }
    row.read(b.attached_at, b.metadata);
    return b;
}

void put_binding(session& database, const room& owner, const binding& added) {
    const std::optional<retry_policy>& retry = added.retry;
    const rate_limit limit = added.limit.value_or(rate_limit{});
    static const std::string text = upsert(
        "bindings",
        "room_id, channel_id",
        {"room_id",   "channel_id",   "organization_id", "room_is_open", "channel_type",
         "kind",      "access",       "is_muted",        "visibility",   "participant_id",
         "address",   "max_retries",  "base_delay_ms",   "max_delay_ms", "delay_factor",
         "has_limit", "limit_second", "limit_minute",    "limit_hour",   "attached_at",
         "metadata"}
    );
    database.run(
        text,
        owner.id,
        added.channel,
        owner.organization,
        is_open(owner.status),
        added.channel_type,
        added.kind,
        added.access,
        added.is_muted,
        added.visibility.text(),
        added.participant,
        added.address,
        retry ? std::optional{retry->max_retries} : std::nullopt,
        retry ? std::optional{retry->base_delay} : std::nullopt,
        retry ? std::optional{retry->max_delay} : std::nullopt,
        retry ? std::optional{retry->factor} : std::nullopt,
        added.limit.has_value(),
        limit.per_second,
        limit.per_minute,
        limit.per_hour,
        added.attached_at,
        added.metadata
    );
}

std::string select_participants(std::string_view condition) {
    return joined(
        "SELECT room_id, id, display_name, role, status, identity_id, external_id, metadata,"
        " joined_at FROM participants",
        condition
    );
}

participant read_participant(query& row) {
    participant p;
    row.read(
        p.room,
        p.id,
        p.display_name,
        p.role,
        p.status,
        p.identity,
        p.external_id,
        p.metadata,
        p.joined_at
    );
    return p;
}

void put_participant(session& database, const participant& added) {
    static const std::string text = upsert(
        "participants",
        "room_id, id",
        {"room_id",
         "id",
         "display_name",
         "role",
         "status",
         "identity_id",
         "external_id",
         "metadata",
         "joined_at"}
    );
    database.run(
        text,
        added.room,
        added.id,
        added.display_name,
        added.role,
        added.status,
        added.identity,
        added.external_id,
        added.metadata,
        added.joined_at
    );
}

// -- events ------------------------------------------------------------------------------------------

std::string select_events(std::string_view condition) {
    return joined(
        "SELECT e.id, e.room_id, e.\"index\", e.type, e.status, e.is_edited, e.is_deleted,"
        " e.created_at, e.committed_by, e.channel_id, e.channel_type, e.participant_id,"
        " e.external_id, e.provider_message_id, e.blocked_by, e.block_reason, e.visibility,"
        " e.response_visibility, e.chain_depth, e.caused_by, e.parent_id, e.correlation_id,"
        " e.idempotency_key, e.request_hash, e.plan_config, e.plan_cascade, e.plan_budget,"
        " e.plan_trace_parent, e.addressed_to, e.metadata, e.content, e.seq FROM events e",
        condition
    );
}

room_event read_event(query& row, failure_latch& faults) {
    room_event e;
    row.read(
        e.id,
        e.room,
        e.index,
        e.type,
        e.status,
        e.is_edited,
        e.is_deleted,
        e.created_at,
        e.committed_by
    );
    row.read(
        e.source.channel,
        e.source.channel_type,
        e.source.participant,
        e.source.external_id,
        e.source.provider_message_id
    );

    std::string sees;
    std::optional<std::string> answers_see;
    row.read(e.blocked_by, e.block_reason, sees, answers_see);
    e.visibility = visibility_of(faults, sees);
    if (answers_see) {
        e.response_visibility = visibility_of(faults, *answers_see);
    }

    row.read(
        e.chain_depth, e.caused_by, e.parent, e.correlation_id, e.idempotency_key, e.request_hash
    );
    row.read(e.plan.config, e.plan.cascade, e.plan.budget, e.plan.trace_parent);

    std::optional<std::string> addressed_to;
    std::string said;
    row.read(addressed_to, e.metadata, said);
    if (addressed_to) {
        e.addressed_to = channels_of_text(faults, *addressed_to);
    }
    e.content = content_of(faults, said);
    return e;
}

stored_event read_stored_event(query& row, failure_latch& faults) {
    stored_event stored;
    stored.event = read_event(row, faults);
    row.read(stored.seq);
    return stored;
}

event_texts::event_texts(const room_event& event) : visibility(event.visibility.text()) {
    if (event.response_visibility) {
        response_visibility = event.response_visibility->text();
    }
    if (event.addressed_to) {
        addressed_to = text_of_channels(*event.addressed_to);
    }
}

std::optional<std::int64_t> insert_event(
    session& database, const room_event& added, wall_time now
) {
    static const std::string text = "INSERT INTO events (" + std::string{event_columns} +
                                    ") VALUES (" + parameters(event_column_count) +
                                    ") ON CONFLICT DO NOTHING RETURNING seq";
    return with_event_values(added, now, [&database](const auto&... values) {
        return database.value_of<std::int64_t>(text, values...);
    });
}

// -- deliveries --------------------------------------------------------------------------------------

std::string select_deliveries(std::string_view condition) {
    return joined(
        "SELECT id, event_id, room_id, \"index\", kind, channel_id, address, state, attempts,"
        " is_bound, committed_by, provider_message_id, error_code, error_message, is_retryable"
        " FROM deliveries",
        condition
    );
}

delivery_row read_delivery(query& row) {
    delivery_row d;
    row.read(
        d.id,
        d.event,
        d.room,
        d.index,
        d.kind,
        d.channel,
        d.address,
        d.state,
        d.attempts,
        d.is_bound
    );
    row.read(
        d.committed_by,
        d.outcome.provider_message_id,
        d.outcome.error_code,
        d.outcome.error_message,
        d.outcome.is_retryable
    );
    return d;
}

void insert_delivery(session& database, const delivery_row& added) {
    static const std::string text = "INSERT INTO deliveries (" + std::string{delivery_columns} +
                                    ") VALUES (" + parameters(delivery_column_count) + ")";
    with_delivery_values(added, [&database](const auto&... values) {
        return database.run(text, values...);
    });
}

// -- small ones --------------------------------------------------------------------------------------

std::string select_notices(std::string_view condition) {
    return "SELECT sequence, type, organization_id, room_id, event_id, data, created_at FROM"
           " framework_events " +
           std::string{condition};
}

framework_event read_notice(query& row) {
    framework_event notice;
    row.read(notice.sequence, notice.type, notice.organization, notice.room, notice.event);
    row.read(notice.data, notice.created_at);
    return notice;
}

}  // namespace convene::sql
