// SPDX-License-Identifier: Apache-2.0
// The SQL tables: attachments, their chunks, and which events name them.
#include <utility>

#include "base/content_attachments.hpp"
#include "store/attachment_rules.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

/// The row with what only the store sees of it.
struct attachment_row {
    attachment info;
    incarnation_id uploader;
    std::optional<wall_time> expires_at;
};

std::string select_attachments(std::string_view condition) {
    return "SELECT id, organization_id, room_id, filename, media_type, size_bytes, sha256,"
           " uploaded_by, link_key, state, created_at, uploader, expires_at FROM attachments " +
           std::string{condition};
}

attachment_row read_attachment_row(query& row) {
    attachment_row read;
    attachment& info = read.info;
    row.read(info.id, info.organization, info.room, info.filename, info.media_type);
    row.read(info.size_bytes, info.sha256, info.uploaded_by, info.link_key, info.state);
    row.read(info.created_at, read.uploader, read.expires_at);
    return read;
}

attachment read_attachment(query& row) { return read_attachment_row(row).info; }

std::optional<attachment_row> find_row(session& db, const attachment_id& id) {
    static const std::string text = select_attachments("WHERE id = ?1");
    query rows = db.select(text, id);
    return rows.next() ? std::optional{read_attachment_row(rows)} : std::nullopt;
}

/// The upload, if it is this worker's and not whole yet.
std::optional<attachment_row> find_upload(
    session& db, const attachment_id& id, const incarnation_id& uploader
) {
    std::optional<attachment_row> known = find_row(db, id);
    const bool is_theirs = known && known->info.state == attachment_state::uploading &&
                           known->uploader == uploader;
    return is_theirs ? std::move(known) : std::nullopt;
}

std::int64_t chunks_present(session& db, const attachment_id& id) {
    return db
        .value_of<std::int64_t>(
            "SELECT count(*) FROM attachment_chunks WHERE attachment_id = ?1", id
        )
        .value_or(0);
}

std::int64_t usage_of(session& db, const organization_id& organization, const room_id& room) {
    return db
        .value_of<std::int64_t>(
            "SELECT bytes FROM attachment_usage WHERE organization_id = ?1 AND room_id = ?2",
            organization,
            room
        )
        .value_or(0);
}

void count_bytes(session& db, const attachment& info, std::int64_t bytes) {
    for (const room_id& of : {info.room, room_id{}}) {
        db.run(
            "INSERT INTO attachment_usage (organization_id, room_id, bytes) VALUES (?1, ?2, ?3)"
            " ON CONFLICT (organization_id, room_id) DO UPDATE SET bytes = attachment_usage.bytes "
            "+ ?3",
            info.organization,
            of,
            bytes
        );
        db.run(
            "DELETE FROM attachment_usage WHERE organization_id = ?1 AND room_id = ?2 AND bytes ="
            " 0",
            info.organization,
            of
        );
    }
}

void remove(session& db, const attachment& removed, wall_time now) {
    if (removed.state == attachment_state::removed) {
        return;
    }
    count_bytes(db, removed, -removed.size_bytes);
    db.run("UPDATE attachments SET state = 3, expires_at = ?2 WHERE id = ?1", removed.id, now);
}

}  // namespace

// -- uploads -----------------------------------------------------------------------------------------

result<ops::begin_attachment::outcome> sql_tables::perform(const ops::begin_attachment& request) {
    using enum ops::begin_attachment::verdict;
    attachment added = request.attachment;
    if (!has_room(added.organization, added.room)) {
        return errc::not_found;
    }
    const wall_time now = clock_.now();
    std::int64_t freed = 0;
    const std::optional<attachment_row> present = find_row(db_, added.id);
    if (present) {
        if (present->info.state == attachment_state::stored) {
            return ops::begin_attachment::outcome{known, present->info};
        }
        if (present->info.state == attachment_state::removed) {
            return ops::begin_attachment::outcome{removed, {}};
        }
        const bool is_over = present->expires_at && *present->expires_at <= now;
        if (!is_over && !is_gone(present->uploader)) {
            return ops::begin_attachment::outcome{running, {}};
        }
        freed = present->info.size_bytes;
    }
    const std::int64_t more = added.size_bytes - freed;
    if (usage_of(db_, added.organization, added.room) + more > request.room_bytes) {
        return ops::begin_attachment::outcome{room_full, {}};
    }
    if (usage_of(db_, added.organization, {}) + more > request.organization_bytes) {
        return ops::begin_attachment::outcome{organization_full, {}};
    }
    if (present) {
        count_bytes(db_, present->info, -present->info.size_bytes);
        db_.run("DELETE FROM attachment_chunks WHERE attachment_id = ?1", added.id);
        db_.run("DELETE FROM attachments WHERE id = ?1", added.id);
    }
    added.state = attachment_state::uploading;
    added.created_at = now;
    db_.run(
        "INSERT INTO attachments (id, organization_id, room_id, filename, media_type, size_bytes,"
        " sha256, uploaded_by, link_key, uploader, state, created_at, expires_at) VALUES (?1, ?2,"
        " ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, ?11, ?12)",
        added.id,
        added.organization,
        added.room,
        added.filename,
        added.media_type,
        added.size_bytes,
        added.sha256,
        added.uploaded_by,
        added.link_key,
        request.uploader,
        now,
        now + attachment_upload_time
    );
    count_bytes(db_, added, added.size_bytes);
    return ops::begin_attachment::outcome{begun, std::move(added)};
}

result<std::monostate> sql_tables::perform(const ops::append_attachment& request) {
    const std::optional<attachment_row> upload = find_upload(db_, request.id, request.uploader);
    if (!upload) {
        return errc::claim_lost;
    }
    if (!is_next_chunk(request, upload->info.size_bytes, chunks_present(db_, request.id))) {
        return errc::invalid_argument;
    }
    db_.run(
        "INSERT INTO attachment_chunks (attachment_id, number, bytes) VALUES (?1, ?2, ?3)",
        request.id,
        request.number,
        blob{request.bytes}
    );
    return std::monostate{};
}

result<attachment> sql_tables::perform(const ops::finish_attachment& request) {
    std::optional<attachment_row> upload = find_upload(db_, request.id, request.uploader);
    if (!upload) {
        return errc::claim_lost;
    }
    attachment& info = upload->info;
    if (chunks_present(db_, request.id) != attachment_chunks(info.size_bytes)) {
        return errc::invalid_argument;
    }
    info.state = attachment_state::stored;
    info.created_at = clock_.now();
    db_.run(
        "UPDATE attachments SET state = 2, created_at = ?2, expires_at = ?3 WHERE id = ?1",
        info.id,
        info.created_at,
        info.created_at + attachment_unnamed_time
    );
    return std::move(info);
}

result<std::monostate> sql_tables::perform(const ops::abandon_attachment& request) {
    db_.run(
        "UPDATE attachments SET uploader = '' WHERE id = ?1 AND uploader = ?2 AND state = 1",
        request.id,
        request.uploader
    );
    return std::monostate{};
}

// -- reads -------------------------------------------------------------------------------------------

result<ops::get_attachment::found> sql_tables::perform(const ops::get_attachment& request) {
    std::optional<attachment_row> known = find_row(db_, request.id);
    if (!known || known->info.state != attachment_state::stored ||
        (request.organization && known->info.organization != *request.organization)) {
        return errc::not_found;
    }
    ops::get_attachment::found answer{std::move(known->info), {}};
    answer.named_by = collect(
        db_.select(
            "SELECT event_id FROM attachment_uses WHERE attachment_id = ?1 ORDER BY event_id"
            " LIMIT 100",
            request.id
        ),
        [](query& row) {
            event_id id;
            row.read(id);
            return id;
        }
    );
    return answer;
}

result<std::string> sql_tables::perform(const ops::read_attachment& request) {
    std::optional<blob> chunk = db_.value_of<blob>(
        "SELECT c.bytes FROM attachments a JOIN attachment_chunks c ON c.attachment_id = a.id"
        " WHERE a.id = ?1 AND a.state = 2 AND c.number = ?2",
        request.id,
        request.number
    );
    if (!chunk) {
        return errc::not_found;
    }
    return std::move(chunk->bytes);
}

result<std::vector<attachment>> sql_tables::perform(const ops::list_attachments& request) {
    static const std::string text = select_attachments(
        "WHERE room_id = ?1 AND id > ?2 AND organization_id = ?3 AND state = 2 ORDER BY id LIMIT ?4"
    );
    return collect(
        db_.select(text, request.room, request.after, request.organization, request.limit),
        read_attachment
    );
}

// -- names -------------------------------------------------------------------------------------------

void sql_tables::name_attachments(const room_event& naming) {
    for (const std::string& id : attachments_in(naming.content)) {
        const bool is_there = db_.run(
                                  "UPDATE attachments SET expires_at = NULL WHERE id = ?1 AND"
                                  " room_id = ?2 AND state = 2",
                                  id,
                                  naming.room
                              ) > 0;
        if (is_there) {
            db_.run(
                "INSERT INTO attachment_uses (attachment_id, event_id, room_id) VALUES (?1, ?2, ?3)"
                " ON CONFLICT DO NOTHING",
                id,
                naming.id,
                naming.room
            );
        }
    }
}

void sql_tables::forget_names(const event_id& gone, wall_time now) {
    const auto named = collect(
        db_.select("DELETE FROM attachment_uses WHERE event_id = ?1 RETURNING attachment_id", gone),
        [](query& row) {
            attachment_id id;
            row.read(id);
            return id;
        }
    );
    for (const attachment_id& id : named) {
        const bool is_named_elsewhere = db_.exists(
            "SELECT 1 FROM attachment_uses WHERE attachment_id = ?1", id
        );
        const std::optional<attachment_row> known = find_row(db_, id);
        if (!is_named_elsewhere && known && known->info.state == attachment_state::stored) {
            remove(db_, known->info, now);
        }
    }
}

// -- removal -----------------------------------------------------------------------------------------

void sql_tables::remove_attachments_of(
    const organization_id& organization, const room_id& room, wall_time now
) {
    const std::int64_t bytes = usage_of(db_, organization, room);
    if (bytes != 0) {
        attachment all;
        all.organization = organization;
        all.room = room;
        count_bytes(db_, all, -bytes);
    }
    db_.run(
        "UPDATE attachments SET state = 3, expires_at = ?2 WHERE room_id = ?1 AND state < 3",
        room,
        now
    );
    db_.run("DELETE FROM attachment_uses WHERE room_id = ?1", room);
}

std::int64_t sql_tables::remove_old_attachments(
    const room_id& room, wall_time oldest, std::size_t limit, wall_time now
) {
    static const std::string text = select_attachments(
        "WHERE room_id = ?1 AND state = 2 AND created_at <= ?2 ORDER BY created_at, id LIMIT ?3"
    );
    const std::vector<attachment> old = collect(
        db_.select(text, room, oldest, limit), read_attachment
    );
    for (const attachment& one : old) {
        remove(db_, one, now);
    }
    return static_cast<std::int64_t>(old.size());
}

result<bool> sql_tables::perform(const ops::remove_attachment& request) {
    const std::optional<attachment_row> known = find_row(db_, request.id);
    if (!known || known->info.state != attachment_state::stored ||
        known->info.organization != request.organization) {
        return false;
    }
    const wall_time now = clock_.now();
    remove(db_, known->info, now);
    insert_audit(db_, request.audit, now);
    return true;
}

result<ops::erase_attachments::outcome> sql_tables::perform(const ops::erase_attachments& request) {
    static const std::string due = select_attachments(
        "WHERE expires_at IS NOT NULL AND (expires_at <= ?1 OR (state = 1 AND (uploader = ''"
        " OR EXISTS (SELECT 1 FROM workers w WHERE w.incarnation = uploader AND w.state = 3))))"
        " ORDER BY expires_at, id LIMIT ?2"
    );
    const wall_time now = clock_.now();
    // Each of them costs one at least.
    const std::vector<attachment_row> leaving = collect(
        db_.select(due, now, request.limit), read_attachment_row
    );
    ops::erase_attachments::outcome done;
    auto left = static_cast<std::int64_t>(request.limit);
    for (const attachment_row& one : leaving) {
        remove(db_, one.info, now);
        left -= db_.run(
            "DELETE FROM attachment_chunks WHERE (attachment_id, number) IN (SELECT attachment_id,"
            " number FROM attachment_chunks WHERE attachment_id = ?1 ORDER BY number LIMIT ?2)",
            one.info.id,
            left
        );
        if (left == 0) {
            break;
        }
        --left;
        db_.run("DELETE FROM attachment_uses WHERE attachment_id = ?1", one.info.id);
        db_.run("DELETE FROM attachments WHERE id = ?1", one.info.id);
        ++done.erased;
        if (left == 0) {
            break;
        }
    }
    done.has_more = left == 0;
    return done;
}

}  // namespace convene::sql
