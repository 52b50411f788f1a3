// SPDX-License-Identifier: Apache-2.0
// How the larger values lie in the tables: column lists, and reading and writing them in that order.
#pragma once

#include "convene/delivery.hpp"
#include "convene/event.hpp"
#include "convene/room.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/sql/session.hpp"
#include "store/access_values.hpp"

namespace convene::sql {

// `SELECT` texts up to and including `FROM`; a condition follows. Each has a `read_...` for its columns.

/// The room with its cursor and metadata; the room is `r`.
[[nodiscard]] std::string select_rooms(std::string_view condition);

/// The same with columns after those of the room.
[[nodiscard]] std::string select_rooms_with(
    std::string_view more_columns, std::string_view condition
);
[[nodiscard]] room read_room(query& row);

[[nodiscard]] std::string select_bindings(std::string_view condition);
[[nodiscard]] binding read_binding(query& row, failure_latch& faults);

[[nodiscard]] std::string select_participants(std::string_view condition);
[[nodiscard]] participant read_participant(query& row);

/// An event and its row: its place among all commits of the store.
struct stored_event {
    std::int64_t seq = 0;
    room_event event;
};

/// The event is `e`. A value that can't be decoded fails the session with `corrupt_data`.
[[nodiscard]] std::string select_events(std::string_view condition);
[[nodiscard]] room_event read_event(query& row, failure_latch& faults);
[[nodiscard]] stored_event read_stored_event(query& row, failure_latch& faults);

[[nodiscard]] std::string select_deliveries(std::string_view condition);
[[nodiscard]] delivery_row read_delivery(query& row);

[[nodiscard]] std::string select_notices(std::string_view condition);
[[nodiscard]] framework_event read_notice(query& row);

// The columns of a new row, and its values in their order: `use(value, value, ...)`.

inline constexpr std::string_view event_columns =
    "id, room_id, \"index\", type, status, is_edited, is_deleted, created_at, committed_by,"
    " channel_id, channel_type, participant_id, external_id, provider_message_id, blocked_by,"
    " block_reason, visibility, response_visibility, chain_depth, caused_by, parent_id,"
    " correlation_id, idempotency_key, request_hash, plan_config, plan_cascade, plan_budget,"
    " plan_trace_parent, addressed_to, metadata, content";
inline constexpr int event_column_count = 31;

/// What of an event is stored as text that is made for it.
struct event_texts {
    explicit event_texts(const room_event& event);

    std::string visibility;
    std::optional<std::string> response_visibility;
    std::optional<std::string> addressed_to;
};

template <class Use>
decltype(auto) with_event_values(const room_event& added, wall_time now, Use use) {
    const event_texts texts{added};
    return use(
        added.id,
        added.room,
        added.index,
        added.type,
        added.status,
        added.is_edited,
        added.is_deleted,
        now,
        added.committed_by,
        added.source.channel,
        added.source.channel_type,
        added.source.participant,
        added.source.external_id,
        added.source.provider_message_id,
        added.blocked_by,
        added.block_reason,
        texts.visibility,
        texts.response_visibility,
        added.chain_depth,
        added.caused_by,
        added.parent,
        added.correlation_id,
        added.idempotency_key,
        added.request_hash,
        added.plan.config,
        added.plan.cascade,
        added.plan.budget,
        added.plan.trace_parent,
        texts.addressed_to,
        added.metadata,
        added.content.json()
    );
}

inline constexpr std::string_view delivery_columns =
    "id, event_id, room_id, \"index\", kind, channel_id, address, state, attempts, is_bound,"
    " committed_by, provider_message_id, error_code, error_message, is_retryable";
inline constexpr int delivery_column_count = 15;

template <class Use>
decltype(auto) with_delivery_values(const delivery_row& added, Use use) {
    return use(
        added.id,
        added.event,
        added.room,
        added.index,
        added.kind,
        added.channel,
        added.address,
        added.state,
        added.attempts,
        added.is_bound,
        added.committed_by,
        added.outcome.provider_message_id,
        added.outcome.error_code,
        added.outcome.error_message,
        added.outcome.is_retryable
    );
}

void insert_room(session& database, const room& added);
void put_binding(session& database, const room& owner, const binding& added);
void put_participant(session& database, const participant& added);
void insert_delivery(session& database, const delivery_row& added);

// What the store stamps with its own time.
/// Answers the row's place; unset if its id or key is known, or its index is taken.
[[nodiscard]] std::optional<std::int64_t> insert_event(
    session& database, const room_event& added, wall_time now
);
/// Answers the sequence it got.
std::int64_t insert_audit(session& database, const audit_entry& added, wall_time now);
void insert_audit(session& database, const std::optional<audit_entry>& added, wall_time now);

/// The text of an insert that replaces the row with the same key. The parameters are those of the columns, in their
/// order.
[[nodiscard]] std::string upsert(
    std::string_view table, std::string_view key, const std::vector<std::string_view>& columns
);

/// `?1, ?2, ...`
[[nodiscard]] std::string parameters(int count);

/// A JSON array of strings, and back. *Errors* (latched): `corrupt_data`.
[[nodiscard]] std::string text_of_list(const std::vector<std::string>& values);
[[nodiscard]] std::vector<std::string> list_of_text(failure_latch& faults, std::string_view text);

/// All rows of a query, read one by one.
template <class Read>
[[nodiscard]] auto collect(query rows, Read read) {
    std::vector<decltype(read(rows))> found;
    while (rows.next()) {
        found.push_back(read(rows));
    }
    return found;
}

}  // namespace convene::sql
