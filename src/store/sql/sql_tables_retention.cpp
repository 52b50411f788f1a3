// SPDX-License-Identifier: Apache-2.0
// The SQL tables: how long things are kept, and erasing an organisation.
#include <utility>

#include "store/retention_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

/// Rows of one kind that one step of an erasure removes.
constexpr std::int64_t max_rows_of_step = 1000;

room_id read_room_id(query& row) {
    room_id id;
    row.read(id);
    return id;
}

}  // namespace

retention_policy sql_tables::policy_of(const organization_id& organization, const room_id& room) {
    retention_policy policy;
    query rows = db_.select(
        "SELECT events_max_age_days, attachments_max_age_days, room_delete_after_closed_days FROM"
        " retention_policies WHERE organization_id = ?1 AND room_id = ?2",
        organization,
        room
    );
    if (rows.next()) {
        rows.read(
            policy.events_max_age_days,
            policy.attachments_max_age_days,
            policy.room_delete_after_closed_days
        );
    }
    return policy;
}

retention_policy sql_tables::effective_policy(const room& of) {
    const retention_policy own = policy_of(of.organization, of.id);
    return stricter(own, policy_of(of.organization, {}));
}

result<retention_policy> sql_tables::perform(const ops::put_retention& request) {
    if (!request.room.empty() && !has_room(request.organization, request.room)) {
        return errc::not_found;
    }
    db_.run(
        "DELETE FROM retention_policies WHERE organization_id = ?1 AND room_id = ?2",
        request.organization,
        request.room
    );
    const retention_policy& policy = request.policy;
    if (policy != retention_policy{}) {
        db_.run(
            "INSERT INTO retention_policies (organization_id, room_id, events_max_age_days,"
            " attachments_max_age_days, room_delete_after_closed_days) VALUES (?1, ?2, ?3, ?4, ?5)",
            request.organization,
            request.room,
            policy.events_max_age_days,
            policy.attachments_max_age_days,
            policy.room_delete_after_closed_days
        );
    }
    insert_audit(db_, request.audit, clock_.now());
    return policy;
}

result<ops::get_retention::found> sql_tables::perform(const ops::get_retention& request) {
    if (request.room.empty()) {
        const retention_policy own = policy_of(request.organization, {});
        return ops::get_retention::found{own, own};
    }
    const std::optional<room> known = find_room(request.organization, request.room);
    if (!known) {
        return errc::not_found;
    }
    const retention_policy own = policy_of(request.organization, request.room);
    return ops::get_retention::found{own, effective_policy(*known)};
}

bool sql_tables::is_retention_due(const room& info, wall_time now) {
    const retention_policy policy = effective_policy(info);
    if (is_to_be_deleted(info, policy, now)) {
        return true;
    }
    if (policy.events_max_age_days) {
        const std::optional<wall_time> first = db_.value_of<wall_time>(
            "SELECT created_at FROM events WHERE room_id = ?1 ORDER BY \"index\" LIMIT 1", info.id
        );
        if (first && has_outlived(*first, policy.events_max_age_days, now)) {
            return true;
        }
    }
    const std::optional<wall_time> oldest = oldest_kept(policy.attachments_max_age_days, now);
    return oldest && db_.exists(
                         "SELECT 1 FROM attachments WHERE room_id = ?1 AND state = 2 AND created_at"
                         " <= ?2",
                         info.id,
                         *oldest
                     );
}

result<ops::find_retention_due::outcome> sql_tables::perform(const ops::find_retention_due& request
) {
    ops::find_retention_due::outcome found;
    if (!db_.exists("SELECT 1 FROM retention_policies LIMIT 1")) {
        return found;
    }
    const wall_time now = clock_.now();
    static const std::string page = select_rooms("WHERE r.id > ?1 ORDER BY r.id LIMIT ?2");
    const std::vector<room> rooms = collect(
        db_.select(page, request.after, request.limit), read_room
    );
    for (const room& info : rooms) {
        if (is_retention_due(info, now)) {
            found.due.push_back({info.organization, info.id});
        }
    }
    if (!rooms.empty()) {
        found.last = rooms.back().id;
    }
    found.has_more = rooms.size() == request.limit;
    return found;
}

result<ops::apply_retention::outcome> sql_tables::perform(const ops::apply_retention& request) {
    ops::apply_retention::outcome done;
    const std::optional<room> info = find_room(request.organization, request.room);
    if (!info) {
        return done;
    }
    const wall_time now = clock_.now();
    const retention_policy policy = effective_policy(*info);
    retention_work work;
    if (is_to_be_deleted(*info, policy, now)) {
        erase_room(request.organization, request.room, now);
        done.is_room_deleted = work.is_room_deleted = true;
        add_notices({retention_notice(*info, work)}, now);
        return done;
    }

    if (policy.events_max_age_days) {
        static const std::string first = select_events(
            "WHERE e.room_id = ?1 ORDER BY e.\"index\" LIMIT ?2"
        );
        const std::vector<stored_event> oldest = collect(
            db_.select(first, request.room, request.limit),
            [this](query& row) { return read_stored_event(row, db_); }
        );
        for (const stored_event& one : oldest) {
            const room_event& event = one.event;
            if (!has_outlived(event.created_at, policy.events_max_age_days, now)) {
                break;
            }
            work.from = done.events.empty() ? event.index : work.from;
            work.to = event.index;
            erase_event(request.organization, one, now);
            db_.run(
                "DELETE FROM deliveries WHERE room_id = ?1 AND \"index\" = ?2 AND event_id = ?3",
                event.room,
                event.index,
                event.id
            );
            done.events.push_back(event.id);
        }
        settle_cursor(request.room);
    }
    if (const auto oldest = oldest_kept(policy.attachments_max_age_days, now)) {
        done.attachments = remove_old_attachments(request.room, *oldest, request.limit, now);
    }
    work.events = static_cast<std::int64_t>(done.events.size());
    work.attachments = done.attachments;
    if (work.events + work.attachments > 0) {
        forget_expired_keys(now);
        add_notices({retention_notice(*info, work)}, now);
    }
    done.has_more = is_retention_due(*info, now);
    return done;
}

// -- erasing an organisation ----------------------------------------------------------------------

result<bool> sql_tables::perform(const ops::begin_erasure& request) {
    const bool is_known = db_.run("DELETE FROM organizations WHERE id = ?1", request.organization) >
                          0;
    if (!is_known) {
        return false;
    }
    const wall_time now = clock_.now();
    for (const std::string_view removal : {
             "DELETE FROM auth_sessions WHERE user_id IN (SELECT id FROM users WHERE"
             " organization_id = ?1)",
             "DELETE FROM one_time_links WHERE user_id IN (SELECT id FROM users WHERE"
             " organization_id = ?1)",
             "DELETE FROM users WHERE organization_id = ?1",
             "DELETE FROM api_tokens WHERE organization_id = ?1",
             "DELETE FROM retention_policies WHERE organization_id = ?1",
         }) {
        db_.run(removal, request.organization);
    }
    db_.run(
        "INSERT INTO erasures (organization_id, requested_at) VALUES (?1, ?2)",
        request.organization,
        now
    );
    insert_audit(db_, request.audit, now);
    return true;
}

result<ops::continue_erasure::outcome> sql_tables::perform(const ops::continue_erasure& request) {
    ops::continue_erasure::outcome done;
    const std::optional<organization_id> leaving = db_.value_of<organization_id>(
        "SELECT organization_id FROM erasures ORDER BY sequence LIMIT 1"
    );
    if (!leaving) {
        return done;
    }
    done.organization = *leaving;
    done.rooms = collect(
        db_.select(
            "SELECT id FROM rooms WHERE organization_id = ?1 ORDER BY id LIMIT ?2",
            *leaving,
            request.limit
        ),
        read_room_id
    );
    const wall_time now = clock_.now();
    for (const room_id& id : done.rooms) {
        erase_room(*leaving, id, now);
    }
    if (done.rooms.size() == request.limit) {
        done.has_more = true;
        return done;
    }
    for (const std::string_view removal : {
             "DELETE FROM identity_addresses WHERE (organization_id, channel_type, address) IN"
             " (SELECT organization_id, channel_type, address FROM identity_addresses WHERE"
             " organization_id = ?1 LIMIT ?2)",
             "DELETE FROM identities WHERE id IN (SELECT id FROM identities WHERE organization_id ="
             " ?1 LIMIT ?2)",
             "DELETE FROM request_answers WHERE (organization_id, route, key) IN (SELECT"
             " organization_id, route, key FROM request_answers WHERE organization_id = ?1 LIMIT"
             " ?2)",
             "DELETE FROM user_state WHERE (organization_id, owner) IN (SELECT organization_id,"
             " owner FROM user_state WHERE organization_id = ?1 ORDER BY owner LIMIT ?2)",
             "DELETE FROM app_state WHERE organization_id IN (SELECT organization_id FROM app_state"
             " WHERE organization_id = ?1 LIMIT ?2)",
             "DELETE FROM workflows WHERE number IN (SELECT number FROM workflows WHERE"
             " organization_id = ?1 LIMIT ?2)",
             "DELETE FROM workflow_versions WHERE (workflow_id, number) IN (SELECT workflow_id,"
             " number FROM workflow_versions WHERE organization_id = ?1 LIMIT ?2)",
             "DELETE FROM notifications WHERE number IN (SELECT number FROM notifications WHERE"
             " organization_id = ?1 LIMIT ?2)",
             "DELETE FROM channels WHERE id IN (SELECT id FROM channels WHERE organization_id = ?1"
             " LIMIT ?2)",
             "DELETE FROM webhook_subscriptions WHERE id IN (SELECT id FROM webhook_subscriptions"
             " WHERE organization_id = ?1 LIMIT ?2)",
             "DELETE FROM skills WHERE id IN (SELECT id FROM skills WHERE organization_id = ?1"
             " LIMIT ?2)",
             "DELETE FROM skill_pins WHERE (organization_id, holder_kind, holder) IN (SELECT"
             " organization_id, holder_kind, holder FROM skill_pins WHERE organization_id = ?1"
             " LIMIT ?2)",
             "DELETE FROM secrets WHERE (organization_id, name) IN (SELECT organization_id, name"
             " FROM secrets WHERE organization_id = ?1 LIMIT ?2)",
             "DELETE FROM hooks WHERE id IN (SELECT id FROM hooks WHERE organization_id = ?1 LIMIT"
             " ?2)",
             "DELETE FROM organization_configs WHERE organization_id IN (SELECT organization_id"
             " FROM organization_configs WHERE organization_id = ?1 LIMIT ?2)",
             "DELETE FROM audit_log WHERE sequence IN (SELECT sequence FROM audit_log WHERE"
             " organization_id = ?1 LIMIT ?2)",
             "DELETE FROM framework_events WHERE sequence IN (SELECT sequence FROM"
             " framework_events WHERE organization_id = ?1 LIMIT ?2)",
         }) {
        done.has_more |= db_.run(removal, *leaving, max_rows_of_step) == max_rows_of_step;
    }
    if (!done.has_more) {
        db_.run("DELETE FROM erasures WHERE organization_id = ?1", *leaving);
        done.has_more = db_.exists("SELECT 1 FROM erasures LIMIT 1");
    }
    return done;
}

}  // namespace convene::sql
