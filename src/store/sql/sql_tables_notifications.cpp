// SPDX-License-Identifier: Apache-2.0
// The SQL tables: what users are told (W3).
#include <utility>

#include "store/sql/rows.hpp"
#include "store/sql/session_rows.hpp"
#include "store/sql/sql_tables.hpp"
#include "store/sql/workflow_rows.hpp"

namespace convene::sql {

void sql_tables::add_notification(const notification& told) {
    db_.run(
        "INSERT INTO notifications (id, organization_id, recipient, kind, title, body, link,"
        " created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING",
        told.id,
        told.organization,
        told.user,
        told.kind,
        told.title,
        told.body,
        told.link,
        told.created_at
    );
}

result<std::vector<ops::numbered_notification>> sql_tables::perform(
    const ops::list_notifications& request
) {
    std::string text = select_from(
        "notifications",
        notification_columns,
        "WHERE organization_id = ?1 AND recipient = ?2 AND (?3 IS NULL OR number < ?3)"
    );
    text += request.only_unread ? " AND read_at IS NULL" : "";
    text += " ORDER BY number DESC LIMIT ?4";
    return collect(
        db_.select(text, request.organization, request.user, request.before, request.limit),
        read_notification
    );
}

result<notification> sql_tables::perform(const ops::mark_notification& request) {
    static const std::string text = select_from(
        "notifications",
        notification_columns,
        "WHERE id = ?1 AND organization_id = ?2 AND recipient = ?3"
    );
    std::optional<notification> known;
    {
        query rows = db_.select(text, request.notification, request.organization, request.user);
        if (rows.next()) {
            known = read_notification(rows).told;
        }
    }
    if (!known) {
        return errc::not_found;
    }
    if (request.is_read != known->read_at.has_value()) {
        known->read_at = request.is_read ? std::optional{clock_.now()} : std::nullopt;
        db_.run("UPDATE notifications SET read_at = ?2 WHERE id = ?1", known->id, known->read_at);
    }
    return *std::move(known);
}

}  // namespace convene::sql
