// SPDX-License-Identifier: Apache-2.0
// The SQL tables: reading a timeline, and read markers.
#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "store/metadata.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/sql_tables.hpp"

namespace convene::sql {

namespace {

bool is_contradictory(const ops::list_events& request) {
    const ops::event_filter& filter = request.filter;
    const bool has_both_cursors = request.after && request.before;
    const bool has_parent_of_top_level = filter.top_level_only && !filter.parent.empty();
    const bool is_empty_span = filter.after_time && filter.before_time &&
                               *filter.after_time >= *filter.before_time;
    return has_both_cursors || has_parent_of_top_level || is_empty_span;
}

/// Types as bits, for one condition that serves any list of them.
std::int64_t bits_of(const std::vector<event_type>& types) {
    std::int64_t bits = 0;
    for (const event_type type : types) {
        bits |= std::int64_t{1} << static_cast<unsigned>(type);
    }
    return bits;
}

/// The text of a query for the wishes that are there: what is not asked for costs no comparison, and a room's
/// threads and correlations are found by their own index.
std::string conditions_of(const ops::event_filter& filter) {
    std::string sql = "WHERE e.room_id = ?1 AND e.\"index\" > ?2 AND e.\"index\" < ?3";
    const auto add = [&sql](bool is_asked, std::string_view condition) {
        if (is_asked) {
            sql += " AND ";
            sql += condition;
        }
    };
    add(!filter.types.empty(), "(?5 >> CAST(e.type AS integer)) & 1 = 1");
    add(!filter.excluded_types.empty(), "(?6 >> CAST(e.type AS integer)) & 1 = 0");
    add(filter.status.has_value(), "e.status = ?7");
    add(filter.visibility.has_value(), "e.visibility = ?8");
    add(!filter.channel.empty(), "e.channel_id = ?9");
    add(!filter.channel_type.empty(), "e.channel_type = ?10");
    add(!filter.participant.empty(), "e.participant_id = ?11");
    add(!filter.correlation_id.empty(), "e.correlation_id = ?12 AND e.correlation_id <> ''");
    add(!filter.parent.empty(), "e.parent_id = ?13 AND e.parent_id <> ''");
    add(filter.top_level_only, "e.parent_id = ''");
    add(filter.after_time.has_value(), "e.created_at > ?14");
    add(filter.before_time.has_value(), "e.created_at < ?15");
    return sql;
}

constexpr event_index beyond_all{std::numeric_limits<std::int64_t>::max()};

/// Whether one of a reader's channels sees events of this visibility, by its text.
bool is_seen_by(std::string_view text, const std::vector<channel_id>& channels) {
    if (text == "all" || text == "transport") {
        return true;
    }
    const result<visibility> who = visibility::parse(text);
    return who && std::ranges::find_first_of(who->channels(), channels) != who->channels().end();
}

}  // namespace

std::optional<stored_event> sql_tables::find_event(const room_id& room, const event_id& id) {
    static const std::string sql = select_events("WHERE e.id = ?1");
    query rows = db_.select(sql, id);
    if (!rows.next()) {
        return std::nullopt;
    }
    stored_event found = read_stored_event(rows, db_);
    return found.event.room == room ? std::optional{std::move(found)} : std::nullopt;
}

// -- reads -------------------------------------------------------------------------------------------

result<room_event> sql_tables::perform(const ops::get_event& request) {
    std::optional<stored_event> found = find_event(request.room, request.id);
    if (!found || !has_room(request.organization, request.room)) {
        return errc::not_found;
    }
    return std::move(found->event);
}

result<std::vector<room_event>> sql_tables::perform(const ops::find_events& request) {
    std::vector<room_event> found;
    std::unordered_set<event_id> asked;
    for (const event_id& id : request.ids) {
        std::optional<stored_event> stored = find_event(request.room, id);
        if (stored && asked.insert(id).second) {
            found.push_back(std::move(stored->event));
        }
    }
    std::ranges::sort(found, {}, &room_event::index);
    return found;
}

result<std::vector<room_event>> sql_tables::perform(const ops::list_events& request) {
    if (is_contradictory(request)) {
        return errc::invalid_argument;
    }
    if (!has_room(request.organization, request.room)) {
        return errc::not_found;
    }
    const bool is_from_the_end = request.before || (request.newest_first && !request.after);
    const ops::event_filter& filter = request.filter;
    std::string sql = select_events(conditions_of(filter));
    sql += is_from_the_end ? " ORDER BY e.\"index\" DESC LIMIT ?4"
                           : " ORDER BY e.\"index\" LIMIT ?4";

    std::vector<room_event> found = collect(
        db_.select(
            sql,
            request.room,
            request.after.value_or(event_index::none()),
            request.before.value_or(beyond_all),
            request.limit,
            bits_of(filter.types),
            bits_of(filter.excluded_types),
            filter.status,
            filter.visibility,
            filter.channel,
            filter.channel_type,
            filter.participant,
            filter.correlation_id,
            filter.parent,
            filter.after_time,
            filter.before_time
        ),
        [this](query& row) { return read_event(row, db_); }
    );
    if (is_from_the_end) {
        std::ranges::reverse(found);
    }
    return found;
}

result<std::vector<ops::thread_summary>> sql_tables::perform(const ops::summarize_threads& request
) {
    std::vector<ops::thread_summary> found;
    if (!has_room(request.organization, request.room)) {
        return found;
    }
    std::unordered_set<event_id> asked;
    for (const event_id& root : request.roots) {
        if (root.empty() || !asked.insert(root).second) {
            continue;
        }
        ops::thread_summary summary;
        summary.root = root;
        {
            query replies = db_.select(
                "SELECT count(*), coalesce(max(\"index\"), -1) FROM events WHERE room_id = ?1 AND"
                " parent_id = ?2 AND parent_id <> '' AND status = 1 AND is_deleted = 0",
                request.room,
                root
            );
            if (replies.next()) {
                replies.read(summary.replies, summary.latest_reply);
            }
        }
        if (summary.replies > 0) {
            summary.latest_reply_at = db_.value_of<wall_time>(
                                             "SELECT created_at FROM events WHERE room_id = ?1"
                                             " AND \"index\" = ?2 AND parent_id = ?3",
                                             request.room,
                                             summary.latest_reply,
                                             root
            )
                                          .value_or(wall_time{});
            found.push_back(std::move(summary));
        }
    }
    return found;
}

// -- read markers ------------------------------------------------------------------------------------

result<ops::read_marker> sql_tables::perform(const ops::put_read_marker& request) {
    const std::optional<room> found = find_room(request.organization, request.room);
    if (!found) {
        return errc::not_found;
    }
    const ops::read_marker& marker = request.marker;
    const event_index wanted = std::clamp(marker.index, event_index::none(), found->latest_index);
    const std::optional<event_index> stored = db_.value_of<event_index>(
        "INSERT INTO read_markers (room_id, thread, reader, event_index) VALUES (?1, ?2, ?3, ?4)"
        " ON CONFLICT (room_id, thread, reader) DO UPDATE SET event_index = CASE WHEN ?5 = 1 OR"
        " read_markers.event_index < ?4 THEN ?4 ELSE read_markers.event_index END RETURNING"
        " event_index",
        request.room,
        marker.thread,
        marker.reader,
        wanted,
        request.may_rewind
    );
    return ops::read_marker{marker.thread, marker.reader, stored.value_or(wanted)};
}

result<std::vector<ops::read_marker>> sql_tables::perform(const ops::list_read_markers& request) {
    if (!has_room(request.organization, request.room)) {
        return std::vector<ops::read_marker>{};
    }
    return collect(
        db_.select(
            "SELECT thread, reader, event_index FROM read_markers"
            " WHERE room_id = ?1 AND (?2 = '' OR reader = ?2) ORDER BY thread, reader",
            request.room,
            request.reader
        ),
        [](query& row) {
            ops::read_marker marker;
            row.read(marker.thread, marker.reader, marker.index);
            return marker;
        }
    );
}

result<ops::count_unread::answer> sql_tables::perform(const ops::count_unread& request) {
    ops::count_unread::answer counted;
    if (!has_room(request.organization, request.room)) {
        return counted;
    }
    const std::optional<event_index> read = db_.value_of<event_index>(
        "SELECT event_index FROM read_markers WHERE room_id = ?1 AND thread = ?2 AND reader = ?3",
        request.room,
        request.thread,
        request.reader
    );
    std::string condition =
        "WHERE room_id = ?1 AND \"index\" > ?2 AND type = 1 AND status = 1 AND is_deleted = 0"
        " AND participant_id <> ?3";
    if (!request.thread.empty()) {
        condition += " AND parent_id = ?4 AND parent_id <> ''";
    }
    query unread = db_.select(
        "SELECT visibility, CASE WHEN metadata LIKE '%\"mentions\"%' THEN metadata ELSE '{}' "
        "END"
        " FROM events " +
            condition,
        request.room,
        read.value_or(event_index::none()),
        request.reader,
        request.thread
    );
    while (unread.next()) {
        std::string who;
        std::string metadata;
        unread.read(who, metadata);
        if (is_seen_by(who, request.channels)) {
            ++counted.unread;
            counted.mentions += mentions(metadata, request.reader) ? 1 : 0;
        }
    }
    return counted;
}

}  // namespace convene::sql
