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
#include "store/postgres/driver_append.hpp"
#include "store/postgres/expect.hpp"
#include "store/postgres/postgres_tables.hpp"
#include "store/room_rules.hpp"
#include "store/sql/indexed_words.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/writes.hpp"

namespace convene::postgres {

namespace {

constexpr std::string_view
    microseconds_now = "(extract(epoch from clock_timestamp()) * 1000000)::bigint";

// -- the write ---------------------------------------------------------------------------------------

// Arguments of the write: those of `move_counters_text`, who commits, then the rows.
constexpr int committed_by_argument = 10;
constexpr int first_event_argument = 11;
constexpr int first_words_argument = first_event_argument + sql::event_column_count;
constexpr int first_delivery_argument = first_words_argument + 2;

/// How many rows a write adds to a table. One is the everyday case and has its values as arguments; more come as an array
/// for each column, which cost the server several times as much as the row itself.
enum class amount { none, one, many };

amount amount_of(std::size_t rows) {
    return rows == 0 ? amount::none : rows == 1 ? amount::one : amount::many;
}

/// Arguments of a statement from some position on.
class arguments_from final : public sql::argument_sink {
   public:
    arguments_from(arguments& all, int first) : all_(all), before_(first - 1) {}

    [[nodiscard]] int parameter_count() const noexcept override {
        return all_.parameter_count() - before_;
    }

    void bind_text(int position, sql::text_lifetime how, std::string_view value) override {
        all_.bind_text(before_ + position, how, value);
    }

    void bind_bytes(int position, sql::text_lifetime how, std::string_view value) override {
        all_.bind_bytes(before_ + position, how, value);
    }

    void bind_integer(int position, std::int64_t value) override {
        all_.bind_integer(before_ + position, value);
    }

    void bind_real(int position, double value) override {
        all_.bind_real(before_ + position, value);
    }

    void bind_null(int position, sql::value_kind kind) override {
        all_.bind_null(before_ + position, kind);
    }

   private:
    arguments& all_;
    const int before_;
};

/// `a1, a2, ...`
std::string numbered(std::string_view prefix, int first, int count) {
    std::string list;
    for (int i = first; i < first + count; ++i) {
        list += i == first ? "" : ", ";
        list.append(prefix).append(std::to_string(i));
    }
    return list;
}

/// Where rows go, and where among the arguments they are.
struct row_place {
    std::string_view table;
    std::string_view columns;
    int count = 0;
    int first_argument = 0;
    int order = 0;  ///< the column that several are added in the order of
};

constexpr row_place event_place{
    "events", sql::event_columns, sql::event_column_count, first_event_argument, 3
};
constexpr row_place delivery_place{
    "deliveries", sql::delivery_columns, sql::delivery_column_count, first_delivery_argument, 4
};

/// Inserts one row, or some, if the room was as expected. `arrays` are of several.
std::string insert_text(const row_place& into, amount rows, const column_arrays& arrays) {
    std::string text = "INSERT INTO ";
    text.append(into.table).append(" (").append(into.columns).append(") SELECT ");
    if (rows == amount::one) {
        return text.append(numbered("?", into.first_argument, into.count)).append(" FROM r");
    }
    text.append(numbered("u.c", 1, into.count)).append(" FROM r, unnest(");
    text.append(arrays.parameters(into.first_argument)).append(") AS u(");
    text.append(numbered("c", 1, into.count)).append(") ORDER BY u.c");
    return text + std::to_string(into.order);
}

/// The words of the events that were inserted.
std::string words_text(amount events) {
    const std::string ids = '?' + std::to_string(first_words_argument);
    const std::string words = '?' + std::to_string(first_words_argument + 1);
    if (events == amount::one) {
        return "INSERT INTO event_words (seq, words) SELECT e.seq, (" + words +
               ")::text[] FROM e WHERE " + ids + " = 1";
    }
    return "INSERT INTO event_words (seq, words) SELECT e.seq, u.words::text[] FROM e JOIN "
           "unnest((" +
           ids + ")::text[], (" + words +
           ")::text[]) AS u(id, words) ON u.id = e.id ORDER BY e.seq";
}

/// What a write adds, as its arguments take it.
class added_rows {
   public:
    added_rows(const ops::commit& batch, wall_time now)
        : batch_(batch),
          now_(now),
          events_(amount_of(batch.events.size())),
          deliveries_(amount_of(batch.deliveries.size())),
          notes_who_committed_(sql::needs_nobody_at_first(batch)) {
        if (events_ == amount::many) {
            for (const room_event& event : batch.events) {
                sql::with_event_values(event, now, [this](const auto&... values) {
                    event_arrays_.add(values...);
                });
            }
        }
        if (deliveries_ == amount::many) {
            for (const delivery_row& row : batch.deliveries) {
                sql::with_delivery_values(row, [this](const auto&... values) {
                    delivery_arrays_.add(values...);
                });
            }
        }
    }

    /// One statement: the compare drives the inserts, so that a miss stores nothing. The texts differ only in how many rows
    /// there are.
    [[nodiscard]] const std::string& text() const {
        static std::array<std::string, 18> texts;
        const auto kind = static_cast<std::size_t>(events_) * 6 +
                          static_cast<std::size_t>(deliveries_) * 2 +
                          (notes_who_committed_ ? 1U : 0U);
        std::string& known = texts[kind];
        if (known.empty()) {
            known = make_text();
        }
        return known;
    }

    void bind_to(arguments& values) const {
        bind_events(values);
        bind_deliveries(values);
    }

   private:
    [[nodiscard]] std::string make_text() const {
        std::string text = "WITH r AS (" + std::string{sql::move_counters_text} + " RETURNING id)";
        if (notes_who_committed_) {
            text += ", c AS (UPDATE room_cursors SET waits_for = ?" +
                    std::to_string(committed_by_argument) +
                    " WHERE room_id = ?1 AND waits_for IS NULL AND EXISTS (SELECT 1 FROM r) AND"
                    " delivered_index >= (SELECT o.latest_index FROM rooms o WHERE o.id = ?1))";
        }
        if (events_ != amount::none) {
            text += ", e AS (" + insert_text(event_place, events_, event_arrays_) +
                    " RETURNING seq, id), w AS (" + words_text(events_) + ")";
        }
        if (deliveries_ != amount::none) {
            text += ", d AS (" + insert_text(delivery_place, deliveries_, delivery_arrays_) + ")";
        }
        text += " SELECT " + expect("(SELECT count(*) FROM r) = 1", expected_room, "room_changed");
        // The last index, and not whether there is a later one: where few rooms have many events the planner expects to
        // meet one of those at once by reading the whole table, which has none.
        return text + ", " +
               expect(
                   "coalesce((SELECT max(\"index\") FROM events WHERE room_id = ?1), -1) < ?3",
                   expected_free_index,
                   "duplicate_index"
               );
    }

    void bind_events(arguments& values) const {
        if (events_ == amount::one) {
            const room_event& event = batch_.events.front();
            arguments_from place{values, first_event_argument};
            sql::with_event_values(event, now_, [&place](const auto&... each) {
                sql::binder::bind_all(place, sql::text_lifetime::copies, each...);
            });
            const bool has_words = sql::is_searchable(event);
            values.bind_integer(first_words_argument, has_words ? 1 : 0);
            values.bind_text(
                first_words_argument + 1,
                sql::text_lifetime::copies,
                has_words ? array_of_words(sql::words_of(batch_.organization, 0, event)) : "{}"
            );
        }
        if (events_ != amount::many) {
            return;
        }
        bind_arrays(values, event_place, event_arrays_);
        array_text ids;
        array_text words;
        for (const room_event& event : batch_.events) {
            if (sql::is_searchable(event)) {
                ids.add(event.id.str());
                words.add(array_of_words(sql::words_of(batch_.organization, 0, event)));
            }
        }
        values.bind_text(first_words_argument, sql::text_lifetime::copies, ids.text());
        values.bind_text(first_words_argument + 1, sql::text_lifetime::copies, words.text());
    }

    void bind_deliveries(arguments& values) const {
        if (deliveries_ == amount::many) {
            bind_arrays(values, delivery_place, delivery_arrays_);
        }
        if (deliveries_ == amount::one) {
            arguments_from place{values, first_delivery_argument};
            sql::with_delivery_values(batch_.deliveries.front(), [&place](const auto&... each) {
                sql::binder::bind_all(place, sql::text_lifetime::copies, each...);
            });
        }
    }

    static void bind_arrays(arguments& values, const row_place& into, const column_arrays& arrays) {
        for (int i = 0; i < into.count; ++i) {
            values.bind_text(
                into.first_argument + i, sql::text_lifetime::copies, arrays.text_of(i)
            );
        }
    }

    const ops::commit& batch_;
    const wall_time now_;
    const amount events_;
    const amount deliveries_;
    const bool notes_who_committed_;
    column_arrays event_arrays_{sql::event_column_count};
    column_arrays delivery_arrays_{sql::delivery_column_count};
};

void add_write(request& sent, const ops::commit& batch, wall_time now) {
    const added_rows rows{batch, now};
    arguments& values = sent.add_unbound(rows.text());
    const incarnation_id committed_by = batch.events.empty() ? incarnation_id{}
                                                             : batch.events.front().committed_by;
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
    rows.bind_to(values);
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

/// A row that has ended may have been the last open one in front of the cursor. `state + 0`: see `sql_tables::event_after`.
void add_settling(request& sent, const room_id& room) {
    sent.add(
        "UPDATE room_cursors c SET waits_for = (SELECT CASE WHEN EXISTS (SELECT 1 FROM deliveries d"
        " WHERE d.room_id = ?1 AND d.\"index\" = e.\"index\" AND d.event_id = e.id AND d.state +"
        " 0 < 3) THEN NULL ELSE e.committed_by END FROM events e WHERE e.room_id = ?1 AND "
        "e.\"index\" >"
        " c.delivered_index ORDER BY e.\"index\" LIMIT 1) WHERE c.room_id = ?1",
        room
    );
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
            std::string{microseconds_now} +
            ", coalesce((SELECT w.incarnation FROM workers w WHERE w.incarnation = c.claimer AND"
            " w.state = 1 AND w.format >= ?3), '')",
        "WHERE r.id = ?1 AND r.organization_id = ?2"
    );
    static const std::string live_keys = sql::select_events(
        "WHERE e.room_id = ?1 AND e.idempotency_key = ANY((?2)::text[]) AND e.idempotency_key <> ''"
    );
    request reads;
    reads.add(room_text, wanted.room, wanted.organization, wanted.format);
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
    rows.read(found.head.organization_config, found.read_at, found.head.deliverer);
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
    if (const result<> fits = check_driver(batch); !fits) {
        return fits;
    }
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
    add_driver(&sent, batch, now);
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
    if (!batch.row_ends.empty()) {
        add_settling(sent, batch.room);
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
    add_consumed_turns(&sent, batch);
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
