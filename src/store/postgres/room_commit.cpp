// SPDX-License-Identifier: Apache-2.0
// Room commit: the statements, and what their answers mean.
#include "store/postgres/room_commit.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "base/content_attachments.hpp"
#include "base/log.hpp"
#include "postgres/arrays.hpp"
#include "postgres/failure.hpp"
#include "store/postgres/postgres_tables.hpp"
#include "store/room_rules.hpp"
#include "store/sql/indexed_words.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/writes.hpp"

namespace convene::postgres {

namespace {

constexpr std::string_view
    microseconds_now = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";

std::string expect(std::string_view condition, std::string_view state, std::string_view what) {
    std::string text = "convene_expect(";
    text.append(condition).append(", '").append(state).append("', '").append(what).append("')");
    return text;
}

// -- the write ---------------------------------------------------------------------------------------

// Arguments of the write: those of `move_counters_text`, who commits, then the arrays.
constexpr int committed_by_argument = 10;
constexpr int first_event_argument = 11;
constexpr int first_words_argument = first_event_argument + sql::event_column_count;
constexpr int first_delivery_argument = first_words_argument + 2;

/// `a.c1, a.c2, ...`
std::string column_aliases(std::string_view prefix, int count) {
    std::string list;
    for (int i = 1; i <= count; ++i) {
        list += i == 1 ? "" : ", ";
        list.append(prefix).append("c").append(std::to_string(i));
    }
    return list;
}

/// Inserts the rows of some arrays if the room was as expected, in the order of one of their columns.
std::string insert_unnested(
    std::string_view into, std::string_view columns, int count, const std::string& arrays, int order
) {
    std::string text = "INSERT INTO ";
    text.append(into).append(" (").append(columns).append(") SELECT ");
    text.append(column_aliases("u.", count)).append(" FROM r, unnest(").append(arrays);
    text.append(") AS u(").append(column_aliases("", count)).append(") ORDER BY u.c");
    return text + std::to_string(order);
}

/// One statement: the compare drives the inserts, so that a miss stores nothing.
std::string write_text(const column_arrays* events, const column_arrays* deliveries) {
    std::string text = "WITH r AS (" + std::string{sql::move_counters_text} + " RETURNING id)";
    constexpr int place_of_index = 3;
    constexpr int place_of_index_in_deliveries = 4;
    if (events != nullptr) {
        text += ", c AS (UPDATE room_cursors SET waits_for = ?" +
                std::to_string(committed_by_argument) +
                " WHERE room_id = ?1 AND waits_for IS NULL AND EXISTS (SELECT 1 FROM r))";
        text += ", e AS (" +
                insert_unnested(
                    "events",
                    sql::event_columns,
                    sql::event_column_count,
                    events->parameters(first_event_argument),
                    place_of_index
                ) +
                " RETURNING seq, id)";
        text +=
            ", w AS (INSERT INTO event_words (seq, words) SELECT e.seq, u.words::text[] FROM e"
            " JOIN unnest((?" +
            std::to_string(first_words_argument) + ")::text[], (?" +
            std::to_string(first_words_argument + 1) +
            ")::text[]) AS u(id, words) ON u.id = e.id ORDER BY e.seq)";
    }
    if (deliveries != nullptr) {
        text += ", d AS (" +
                insert_unnested(
                    "deliveries",
                    sql::delivery_columns,
                    sql::delivery_column_count,
                    deliveries->parameters(first_delivery_argument),
                    place_of_index_in_deliveries
                ) +
                ")";
    }
    text += " SELECT " + expect("(SELECT count(*) FROM r) = 1", expected_room, "room_changed");
    return text + ", " +
           expect(
               "NOT EXISTS (SELECT 1 FROM events WHERE room_id = ?1 AND \"index\" >= ?3)",
               expected_free_index,
               "duplicate_index"
           );
}

/// The texts differ only in which inserts there are.
const std::string& known_write_text(const column_arrays* events, const column_arrays* deliveries) {
    static std::array<std::string, 4> texts;
    std::string& text = texts[(events != nullptr ? 1U : 0U) + (deliveries != nullptr ? 2U : 0U)];
    if (text.empty()) {
        text = write_text(events, deliveries);
    }
    return text;
}

void add_write(request& sent, const ops::commit& batch, wall_time now) {
    column_arrays events{sql::event_column_count};
    array_text ids;
    array_text words;
    for (const room_event& event : batch.events) {
        sql::with_event_values(event, now, [&events](const auto&... values) {
            events.add(values...);
        });
        if (sql::is_searchable(event)) {
            ids.add(event.id.str());
            words.add(array_of_words(sql::words_of(batch.organization, 0, event)));
        }
    }
    column_arrays deliveries{sql::delivery_column_count};
    for (const delivery_row& row : batch.deliveries) {
        sql::with_delivery_values(row, [&deliveries](const auto&... values) {
            deliveries.add(values...);
        });
    }
    const bool has_events = !batch.events.empty();
    const bool has_deliveries = !batch.deliveries.empty();
    arguments& values = sent.add_unbound(
        known_write_text(has_events ? &events : nullptr, has_deliveries ? &deliveries : nullptr)
    );
    const incarnation_id committed_by = has_events ? batch.events.front().committed_by
                                                   : incarnation_id{};
    sql::binder::bind_all(
        values,
        sql::text_lifetime::copies,
        batch.room,
        batch.organization,
        batch.expected_next,
        batch.expected_config,
        batch.expected_status,
        batch.expected_lock_epoch,
        static_cast<std::int64_t>(batch.events.size()),
        now,
        batch.expected_organization_config,
        committed_by
    );
    const auto bind = [&values](int position, const std::string& text) {
        if (position <= values.parameter_count()) {
            values.bind_text(position, sql::text_lifetime::copies, text);
        }
    };
    for (int i = 0; has_events && i < sql::event_column_count; ++i) {
        bind(first_event_argument + i, events.text_of(i));
    }
    bind(first_words_argument, ids.text());
    bind(first_words_argument + 1, words.text());
    for (int i = 0; has_deliveries && i < sql::delivery_column_count; ++i) {
        bind(first_delivery_argument + i, deliveries.text_of(i));
    }
}

// -- what stands beside the write --------------------------------------------------------------------

void add_guards(request& sent, const ops::commit& batch) {
    static const std::string text = "SELECT " + expect(
                                                    "EXISTS (SELECT 1 FROM deliveries WHERE "
                                                    "room_id = ?1 AND id = ?2 AND state < 3 AND"
                                                    " committed_by = ?3 FOR UPDATE)",
                                                    expected_claim,
                                                    "claim_lost"
                                                );
    for (const ops::commit::row_guard& guard : batch.guards) {
        sent.add(text, batch.room, guard.row, guard.executor);
    }
}

void add_inbound_keys(request& sent, const ops::commit& batch) {
    static const std::string text = "WITH k AS (" + std::string{sql::take_inbound_key_text} +
                                    " RETURNING 1) SELECT " +
                                    expect(
                                        "(SELECT count(*) FROM k) = 1",
                                        expected_new_key,
                                        "duplicate_key"
                                    );
    for (const ops::commit::inbound_key& added : batch.inbound_keys) {
        sent.add(
            text,
            batch.organization,
            added.channel,
            added.key,
            batch.room,
            added.event,
            added.request_hash
        );
    }
}

/// A message that names an attachment keeps it.
void add_named_attachments(request& sent, const room_event& naming) {
    for (const std::string& id : attachments_in(naming.content)) {
        sent.add(
            "WITH kept AS (UPDATE attachments SET expires_at = NULL WHERE id = ?1 AND room_id = ?2"
            " AND state = 2 RETURNING id) INSERT INTO attachment_uses (attachment_id, event_id,"
            " room_id) SELECT id, ?3, ?2 FROM kept ON CONFLICT DO NOTHING",
            id,
            naming.room,
            naming.id
        );
    }
}

void add_change(request& sent, const ops::commit& batch, const ops::target_change& change) {
    static const std::string
        target = "SELECT " + expect(
                                 "EXISTS (SELECT 1 FROM events WHERE room_id = ?1 AND id = ?2)",
                                 expected_target,
                                 "target_event_not_found"
                             );
    sent.add(target, batch.room, change.target);
    sent.add(
        "DELETE FROM event_words WHERE seq = (SELECT seq FROM events WHERE room_id = ?1 AND id ="
        " ?2)",
        batch.room,
        change.target
    );
    if (!change.new_content) {
        sent.add(
            "UPDATE events SET is_deleted = 1 WHERE room_id = ?1 AND id = ?2",
            batch.room,
            change.target
        );
        return;
    }
    sent.add(
        "UPDATE events SET content = ?3, is_edited = 1 WHERE room_id = ?1 AND id = ?2",
        batch.room,
        change.target,
        change.new_content->json()
    );
    room_event edited;
    edited.id = change.target;
    edited.room = batch.room;
    edited.content = *change.new_content;
    sent.add(
        "INSERT INTO event_words (seq, words) SELECT seq, (?3)::text[] FROM events WHERE room_id ="
        " ?1 AND id = ?2 AND status = 1 AND is_deleted = 0",
        batch.room,
        change.target,
        array_of_words(sql::words_of(batch.organization, 0, edited))
    );
    add_named_attachments(sent, edited);
}

void add_notices(request& sent, const ops::commit& batch, wall_time now) {
    if (batch.notices.empty()) {
        return;
    }
    sent.add("SELECT pg_advisory_xact_lock(?1)", order_of_notices());
    const auto write = [&sent](std::string_view text, const auto&... values) {
        sent.add(text, values...);
    };
    for (const framework_event& notice : batch.notices) {
        sql::insert_notice(write, notice, now);
    }
}

// -- what is read ------------------------------------------------------------------------------------

std::string array_of(const std::vector<std::string>& keys) {
    array_text list;
    for (const std::string& key : keys) {
        list.add(key);
    }
    return list.text();
}

}  // namespace

request head_request(const ops::load_room_head& wanted, std::optional<wall_time> now) {
    static const std::string room_text = sql::select_rooms_with(
        ", coalesce((SELECT o.config_version FROM organization_configs o WHERE o.organization_id ="
        " r.organization_id), 0), " +
            std::string{microseconds_now},
        "WHERE r.id = ?1 AND r.organization_id = ?2"
    );
    static const std::string live_keys = sql::select_events(
        "WHERE e.room_id = ?1 AND e.idempotency_key = ANY((?2)::text[]) AND e.idempotency_key <> ''"
    );
    request reads;
    reads.add(room_text, wanted.room, wanted.organization);
    if (!wanted.keys.empty()) {
        const std::string keys = array_of(wanted.keys);
        reads.add(live_keys, wanted.room, keys);
        reads.add(
            "SELECT key, request_hash FROM deleted_keys WHERE room_id = ?1 AND key ="
            " ANY((?2)::text[]) AND deleted_at > coalesce(?4, " +
                std::string{microseconds_now} + ") - ?3",
            wanted.room,
            keys,
            std::chrono::microseconds{deleted_key_lifetime},
            now
        );
    }
    return reads;
}

result<room_head> read_head(const ops::load_room_head& wanted, std::vector<answer>* answers) {
    for (const answer& one : *answers) {
        if (!one.is_good()) {
            return one.error->code;
        }
    }
    room_head found;
    sql::query rows{&answers->front().rows};
    if (!rows.next()) {
        return errc::not_found;
    }
    found.head.room = sql::read_room(rows);
    rows.read(found.head.organization_config, found.read_at);
    if (wanted.keys.empty()) {
        return found;
    }

    sql::failure_latch faults;
    sql::query live{&(*answers)[1].rows};
    while (live.next()) {
        room_event event = sql::read_event(live, faults);
        ops::key_hit hit{event.idempotency_key, event.request_hash, {}};
        hit.event = std::move(event);
        found.head.hits.push_back(std::move(hit));
    }
    sql::query deleted{&(*answers)[2].rows};
    while (deleted.next()) {
        ops::key_hit hit;
        deleted.read(hit.key, hit.request_hash);
        // A key that was taken again is a live one.
        if (std::ranges::find(found.head.hits, hit.key, &ops::key_hit::key) ==
            found.head.hits.end()) {
            found.head.hits.push_back(std::move(hit));
        }
    }
    if (faults.failure()) {
        return faults.failure();
    }
    // In the order in which they were asked for.
    std::ranges::sort(found.head.hits, {}, [&wanted](const ops::key_hit& hit) {
        return std::ranges::find(wanted.keys, hit.key) - wanted.keys.begin();
    });
    return found;
}

result<> check_shape(const ops::commit& batch) {
    const auto index_of = [&batch](const event_id& id) {
        const auto found = std::ranges::find(batch.events, id, &room_event::id);
        return found == batch.events.end() ? std::nullopt : std::optional{found->index};
    };
    event_index expected = batch.expected_next;
    for (const room_event& event : batch.events) {
        if (event.index < expected) {
            return errc::duplicate_index;
        }
        if (event.index != expected || event.room != batch.room) {
            return errc::invalid_argument;
        }
        expected = expected.next();
    }
    const bool fits = std::ranges::all_of(
                          batch.deliveries,
                          [&](const delivery_row& row) {
                              return row.room == batch.room && index_of(row.event) == row.index;
                          }
                      ) &&
                      std::ranges::all_of(
                          batch.inbound_keys,
                          [&](const ops::commit::inbound_key& key) {
                              return index_of(key.event).has_value();
                          }
                      ) &&
                      std::ranges::all_of(
                          batch.tasks,
                          [&](const room_task& task) { return task.room == batch.room; }
                      ) &&
                      std::ranges::all_of(batch.observations, [&](const observation& observed) {
                          return observed.room == batch.room;
                      });
    return fits ? result<>{} : result<>{errc::invalid_argument};
}

request commit_request(const ops::commit& batch, const room& decided_in, wall_time now) {
    request sent;
    const auto write = [&sent](std::string_view text, const auto&... values) {
        sent.add(text, values...);
    };
    add_guards(sent, batch);
    add_write(sent, batch, now);
    for (const room_event& event : batch.events) {
        add_named_attachments(sent, event);
    }
    add_inbound_keys(sent, batch);
    for (const ops::target_change& change : batch.changes) {
        add_change(sent, batch, change);
    }
    for (const room_task& task : batch.tasks) {
        sql::insert_task(write, task, now);
    }
    for (const observation& observed : batch.observations) {
        sql::insert_observation(write, observed, now);
    }
    for (const ops::commit::row_end& end : batch.row_ends) {
        sql::end_row(write, batch.room, end);
    }
    if (batch.new_status != batch.expected_status) {
        room changed = decided_in;
        changed.status = batch.expected_status;
        changed.config = batch.expected_config;
        if (!batch.events.empty()) {
            changed.last_activity_at = now;
        }
        sql::set_status(write, changed, batch.new_status, now);
    }
    // Last: whoever stores framework events waits for all others who do, until they have committed.
    add_notices(sent, batch, now);
    sent.end_group();
    return sent;
}

void add_unlock(request* sent, std::int64_t key) {
    sent->add("SELECT pg_advisory_unlock(?1)::int", key);
    sent->end_group();
}

error_code refusal_in(const std::vector<answer>& answers) {
    // What follows the one that failed says only that it was not run.
    for (const answer& one : answers) {
        if (!one.is_good() && one.error->code != errc::cancelled) {
            // A condition that was not met is an everyday matter; a statement that failed is not.
            const bool is_condition = one.error->state.starts_with("CV");
            log(is_condition ? log_level::debug : log_level::error,
                "commit_refused",
                {{"state", one.error->state}, {"detail", one.error->text}});
            return one.error->code;
        }
    }
    return {};
}

}  // namespace convene::postgres
