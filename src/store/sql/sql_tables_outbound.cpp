// SPDX-License-Identifier: Apache-2.0
// The SQL tables: the outbound queue. Of each address one item, the oldest, is marked as its head.
#include <algorithm>
#include <utility>

#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

outbound_item read_item(query& row) {
    outbound_item item;
    row.read(item.id, item.room, item.channel, item.address, item.event, item.index, item.delivery);
    row.read(item.attempts, item.not_before, item.last_error);
    return item;
}

void mark_head(session& database, const channel_id& channel, const std::string& address) {
    // The next place in the index, which is somebody else's if the address has no item: one row,
    // however long the queue is, and whatever the planner thinks of how items are spread over addresses.
    database.run(
        "UPDATE outbound_queue SET is_head = 1 WHERE id = (SELECT CASE WHEN channel_id = ?1 AND"
        " address = ?2 THEN id END FROM outbound_queue WHERE (channel_id, address, id) > (?1, ?2, "
        "0)"
        " ORDER BY channel_id, address, id LIMIT 1)",
        channel,
        address
    );
}

/// Removes items with a `DELETE … RETURNING channel_id, address`, and lets the next ones of their addresses move up.
/// Answers whether there were any.
bool remove_items(session& database, query removed) {
    std::vector<std::pair<channel_id, std::string>> addresses;
    while (removed.next()) {
        auto& [channel, address] = addresses.emplace_back();
        removed.read(channel, address);
    }
    for (const auto& [channel, address] : addresses) {
        mark_head(database, channel, address);
    }
    return !addresses.empty();
}

}  // namespace

std::int64_t sql_tables::queue_outbound(const outbound_item& item) {
    const std::optional<std::int64_t> id = db_.value_of<std::int64_t>(
        "INSERT INTO outbound_queue (room_id, channel_id, address, event_id, \"index\","
        " delivery_id, attempts, not_before, last_error, is_head) VALUES (?1, ?2, ?3, ?4, ?5, ?6,"
        " ?7, ?8, ?9, coalesce((SELECT CASE WHEN channel_id = ?2 AND address = ?3 THEN 0 ELSE 1 END"
        " FROM outbound_queue WHERE (channel_id, address, id) > (?2, ?3, 0) ORDER BY channel_id,"
        " address, id LIMIT 1), 1)) RETURNING id",
        item.room,
        item.channel,
        item.address,
        item.event,
        item.index,
        item.delivery,
        item.attempts,
        item.not_before,
        item.last_error
    );
    return id.value_or(0);
}

void sql_tables::remove_outbound_of(const room_id& room) {
    remove_items(
        db_,
        db_.select(
            "DELETE FROM outbound_queue WHERE room_id = ?1 RETURNING channel_id, address", room
        )
    );
}

void sql_tables::remove_outbound_of(const room_id& room, const event_id& event) {
    remove_items(
        db_,
        db_.select(
            "DELETE FROM outbound_queue WHERE room_id = ?1 AND event_id = ?2 RETURNING channel_id,"
            " address",
            room,
            event
        )
    );
}

result<std::int64_t> sql_tables::perform(const ops::put_outbound& request) {
    return queue_outbound(request.item);
}

result<std::vector<outbound_item>> sql_tables::perform(const ops::take_due_outbound& request) {
    // In the order of the index: for that of the ids the planner would read the whole queue, and drop what is not due.
    std::vector<outbound_item> due = collect(
        db_.select(
            "SELECT id, room_id, channel_id, address, event_id, \"index\", delivery_id, attempts,"
            " not_before, last_error FROM outbound_queue INDEXED BY outbound_due WHERE is_head = 1"
            " AND not_before <= ?1 ORDER BY not_before, id LIMIT ?2",
            clock_.now(),
            request.limit
        ),
        read_item
    );
    std::ranges::sort(due, {}, &outbound_item::id);
    return due;
}

result<bool> sql_tables::perform(const ops::finish_outbound& request) {
    const ops::row_result& given = request.result;
    if (request.retry_at) {
        const auto noted = db_.value_of<std::int64_t>(
            "UPDATE outbound_queue SET not_before = ?2, attempts = ?3, last_error = ?4 WHERE id ="
            " ?1 AND attempts = ?5 RETURNING id",
            request.id,
            *request.retry_at,
            given.attempts,
            given.outcome.error_message,
            request.seen_attempts
        );
        return noted.has_value();
    }
    // Only the outbound queue settles a row that was deferred to it.
    db_.run(
        "UPDATE deliveries SET state = ?2, attempts = ?3, provider_message_id = ?4, error_code ="
        " ?5, error_message = ?6, is_retryable = ?7 WHERE (state < 3 OR state = 5) AND (room_id,"
        " \"index\", id) = (SELECT room_id, \"index\", delivery_id FROM outbound_queue WHERE id ="
        " ?1)",
        request.id,
        given.state,
        given.attempts,
        given.outcome.provider_message_id,
        given.outcome.error_code,
        given.outcome.error_message,
        given.outcome.is_retryable
    );
    return remove_items(
        db_,
        db_.select(
            "DELETE FROM outbound_queue WHERE id = ?1 RETURNING channel_id, address", request.id
        )
    );
}

result<std::vector<ops::list_outbound_addresses::item>> sql_tables::perform(
    const ops::list_outbound_addresses& request
) {
    const auto read = [](query& row) {
        ops::list_outbound_addresses::item item;
        row.read(item.channel, item.address, item.waiting, item.next_due);
        return item;
    };
    if (request.room) {
        return collect(
            db_.select(
                "SELECT channel_id, address, count(*), max(CASE WHEN is_head = 1 THEN not_before"
                " END) FROM outbound_queue WHERE room_id = ?1 GROUP BY channel_id, address ORDER BY"
                " channel_id, address",
                *request.room
            ),
            read
        );
    }
    return collect(
        db_.select(
            "SELECT channel_id, address, count(*), max(CASE WHEN is_head = 1 THEN not_before END)"
            " FROM outbound_queue GROUP BY channel_id, address ORDER BY channel_id, address"
        ),
        read
    );
}

}  // namespace convene::sql
