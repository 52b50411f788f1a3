// SPDX-License-Identifier: Apache-2.0
// The SQL tables: workers, framework events, subscriptions and figures.
#include <algorithm>

#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"
#include "store/sql/writes.hpp"

namespace convene::sql {

namespace {

ops::worker_row read_worker(query& row) {
    ops::worker_row worker;
    row.read(
        worker.incarnation,
        worker.state,
        worker.host,
        worker.version,
        worker.format,
        worker.started_at
    );
    return worker;
}

}  // namespace

// -- workers -----------------------------------------------------------------------------------------

bool sql_tables::is_gone(const incarnation_id& worker) {
    return worker.empty() ||
           db_.exists("SELECT 1 FROM workers WHERE incarnation = ?1 AND state = 3", worker);
}

std::int32_t sql_tables::format_of(const incarnation_id& worker) {
    return db_.value_of<std::int32_t>("SELECT format FROM workers WHERE incarnation = ?1", worker)
        .value_or(0);
}

result<ops::worker_row> sql_tables::perform(const ops::register_worker& request) {
    ops::worker_row added = request.worker;
    if (db_.exists("SELECT 1 FROM workers WHERE incarnation = ?1", added.incarnation)) {
        return errc::already_exists;
    }
    added.started_at = clock_.now();
    db_.run(
        "INSERT INTO workers (incarnation, state, host, version, format, started_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        added.incarnation,
        added.state,
        added.host,
        added.version,
        added.format,
        added.started_at
    );
    return added;
}

result<std::monostate> sql_tables::perform(const ops::set_worker_state& request) {
    const std::optional<ops::worker_state> state = db_.value_of<ops::worker_state>(
        "SELECT state FROM workers WHERE incarnation = ?1", request.incarnation
    );
    if (!state) {
        return errc::not_found;
    }
    if (*state == ops::worker_state::dead && request.state != ops::worker_state::dead) {
        return errc::invalid_argument;
    }
    db_.run(
        "UPDATE workers SET state = ?2 WHERE incarnation = ?1", request.incarnation, request.state
    );
    return std::monostate{};
}

result<std::vector<ops::worker_row>> sql_tables::perform(const ops::list_workers&) {
    return collect(
        db_.select("SELECT incarnation, state, host, version, format, started_at FROM workers "
                   "ORDER BY incarnation"),
        read_worker
    );
}

// -- framework events --------------------------------------------------------------------------------

void sql_tables::add_notices(const std::vector<framework_event>& notices, wall_time now) {
    if (!notices.empty()) {
        commit_notices_in_order();
    }
    for (const framework_event& notice : notices) {
        insert_notice(write_, notice, now);
    }
}

result<std::int64_t> sql_tables::perform(const ops::append_notices& request) {
    add_notices(request.notices, clock_.now());
    return last_notice();
}

result<std::vector<framework_event>> sql_tables::perform(const ops::list_notices& request) {
    return collect(
        db_.select(
            select_notices("WHERE sequence > ?1 ORDER BY sequence LIMIT ?2"),
            request.after,
            request.limit
        ),
        read_notice
    );
}

result<std::int64_t> sql_tables::perform(const ops::get_subscription& request) {
    return db_
        .value_of<std::int64_t>("SELECT sequence FROM subscriptions WHERE name = ?1", request.name)
        .value_or(0);
}

result<std::monostate> sql_tables::perform(const ops::put_subscription& request) {
    db_.run(
        "INSERT INTO subscriptions (name, sequence) VALUES (?1, ?2) ON CONFLICT (name)"
        " DO UPDATE SET sequence = ?2 WHERE subscriptions.sequence < ?2",
        request.name,
        std::max(request.sequence, std::int64_t{0})
    );
    return std::monostate{};
}

// -- figures -----------------------------------------------------------------------------------------

result<ops::store_figures> sql_tables::perform(const ops::read_figures&) {
    const auto count = [this](std::string_view sql) {
        return db_.value_of<std::int64_t>(sql).value_or(0);
    };
    ops::store_figures figures;
    figures.rooms = count("SELECT count(*) FROM rooms");
    figures.events = count("SELECT count(*) FROM events");
    figures.pending_deliveries = count("SELECT count(*) FROM deliveries WHERE state < 3");
    figures.outbound_waiting = count("SELECT count(*) FROM outbound_queue");
    figures.skips = count("SELECT count(*) FROM delivery_skips");
    figures.index_is_unique = is_event_index_unique();
    figures.duplicate_rows = figures.index_is_unique ? 0 : find_duplicate_indexes().rows;
    figures.schema_version = stored_schema_version();
    return figures;
}

}  // namespace convene::sql
