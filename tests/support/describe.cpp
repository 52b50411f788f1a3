// SPDX-License-Identifier: Apache-2.0
// The text of every answer, field by field.
#include "support/describe.hpp"

#include <cstdio>

#include "support/described_fields.hpp"

namespace convene {

// -- values -----------------------------------------------------------------------------------

std::string describe(std::string_view value) { return "'" + std::string{value} + "'"; }

std::string describe(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

std::string describe(std::monostate) { return "done"; }

std::string describe(wall_time value) { return format_rfc3339(value); }

std::string describe(event_index value) { return std::to_string(value.value()); }

std::string describe(error_code value) {
    return std::string{name_of(static_cast<errc>(value.value()))};
}

std::string describe(const json_text& value) { return value.str(); }

std::string describe(const visibility& value) { return describe(std::string_view{value.text()}); }

// -- rooms and people -------------------------------------------------------------------------

std::string describe(const room& value) {
    return described_fields{"room"}
        .add("id", value.id)
        .add("organization", value.organization)
        .add("external_id", value.external_id)
        .add("status", value.status)
        .add("config", value.config)
        .add("timeline_epoch", value.timeline_epoch)
        .add("next", value.next_index)
        .add("count", value.event_count)
        .add("latest", value.latest_index)
        .add("delivered", value.delivered_index)
        .add("lock_epoch", value.lock_epoch)
        .add("inactive_after", value.timers.inactive_after)
        .add("closed_after", value.timers.closed_after)
        .add("responses", value.responses)
        .add("metadata", value.metadata)
        .add("created_at", value.created_at)
        .add("updated_at", value.updated_at)
        .add("last_activity_at", value.last_activity_at)
        .add("paused_at", value.paused_at)
        .add("closed_at", value.closed_at)
        .text();
}

std::string describe(const room_context& value) {
    return described_fields{"context"}
        .add("room", value.room)
        .add("bindings", value.bindings)
        .add("participants", value.participants)
        .text();
}

std::string describe(const retry_policy& value) {
    return described_fields{"retry"}
        .add("max", value.max_retries)
        .add("base", value.base_delay)
        .add("limit", value.max_delay)
        .add("factor", value.factor)
        .text();
}

std::string describe(const rate_limit& value) {
    return described_fields{"limit"}
        .add("second", value.per_second)
        .add("minute", value.per_minute)
        .add("hour", value.per_hour)
        .text();
}

std::string describe(const binding& value) {
    return described_fields{"binding"}
        .add("room", value.room)
        .add("channel", value.channel)
        .add("type", value.channel_type)
        .add("kind", value.kind)
        .add("access", value.access)
        .add("muted", value.is_muted)
        .add("visibility", value.visibility)
        .add("participant", value.participant)
        .add("address", value.address)
        .add("retry", value.retry)
        .add("limit", value.limit)
        .add("metadata", value.metadata)
        .add("attached_at", value.attached_at)
        .text();
}

std::string describe(const participant& value) {
    return described_fields{"participant"}
        .add("room", value.room)
        .add("id", value.id)
        .add("name", value.display_name)
        .add("role", value.role)
        .add("status", value.status)
        .add("identity", value.identity)
        .add("external_id", value.external_id)
        .add("metadata", value.metadata)
        .add("joined_at", value.joined_at)
        .text();
}

std::string describe(const identity& value) {
    return described_fields{"identity"}
        .add("id", value.id)
        .add("organization", value.organization)
        .add("name", value.display_name)
        .add("metadata", value.metadata)
        .add("created_at", value.created_at)
        .text();
}

std::string describe(const room_task& value) {
    return described_fields{"task"}
        .add("id", value.id)
        .add("room", value.room)
        .add("title", value.title)
        .add("description", value.description)
        .add("assigned_to", value.assigned_to)
        .add("status", value.status)
        .add("metadata", value.metadata)
        .add("created_at", value.created_at)
        .text();
}

std::string describe(const observation& value) {
    return described_fields{"observation"}
        .add("id", value.id)
        .add("room", value.room)
        .add("channel", value.channel)
        .add("content", value.content)
        .add("category", value.category)
        .add("confidence", value.confidence)
        .add("metadata", value.metadata)
        .add("created_at", value.created_at)
        .text();
}

// -- events -----------------------------------------------------------------------------------

std::string describe(const room_event& value) {
    return described_fields{"event"}
        .add("index", value.index)
        .add("id", value.id)
        .add("room", value.room)
        .add("type", value.type)
        .add("content", value.content.json())
        .add("channel", value.source.channel)
        .add("channel_type", value.source.channel_type)
        .add("participant", value.source.participant)
        .add("sender", value.source.external_id)
        .add("provider_id", value.source.provider_message_id)
        .add("status", value.status)
        .add("blocked_by", value.blocked_by)
        .add("reason", value.block_reason)
        .add("visibility", value.visibility)
        .add("addressed_to", value.addressed_to)
        .add("response_visibility", value.response_visibility)
        .add("depth", value.chain_depth)
        .add("caused_by", value.caused_by)
        .add("parent", value.parent)
        .add("correlation", value.correlation_id)
        .add("key", value.idempotency_key)
        .add("hash", value.request_hash)
        .add("metadata", value.metadata)
        .add("edited", value.is_edited)
        .add("deleted", value.is_deleted)
        .add("plan_config", value.plan.config)
        .add("plan_cascade", value.plan.cascade)
        .add("plan_budget", value.plan.budget)
        .add("plan_trace", value.plan.trace_parent)
        .add("by", value.committed_by)
        .add("created_at", value.created_at)
        .text();
}

std::string describe(const ops::key_hit& value) {
    return described_fields{"hit"}
        .add("key", value.key)
        .add("hash", value.request_hash)
        .add("event", value.event)
        .text();
}

std::string describe(const ops::load_room_head::answer& value) {
    return described_fields{"head"}
        .add("room", value.room)
        .add("hits", value.hits)
        .add("organization_config", value.organization_config)
        .add("deliverer", value.deliverer)
        .text();
}

std::string describe(const ops::commit::answer& value) {
    return described_fields{"committed"}.add("at", value.committed_at).text();
}

std::string describe(const ops::thread_summary& value) {
    return described_fields{"thread"}
        .add("root", value.root)
        .add("replies", value.replies)
        .add("latest", value.latest_reply)
        .add("at", value.latest_reply_at)
        .text();
}

std::string describe(const ops::read_marker& value) {
    return described_fields{"marker"}
        .add("thread", value.thread)
        .add("reader", value.reader)
        .add("index", value.index)
        .text();
}

std::string describe(const ops::dedupe_event_indices::answer& value) {
    return described_fields{"dedupe"}
        .add("action", value.action)
        .add("rows", value.duplicate_rows)
        .add("rooms", value.affected_rooms)
        .add("now_unique", value.now_unique)
        .text();
}

std::string describe(const ops::apply_due_timers::answer& value) {
    return described_fields{"timers"}
        .add("changed", value.changed)
        .add("has_more", value.has_more)
        .text();
}

// -- deliveries -------------------------------------------------------------------------------

std::string describe(const delivery_outcome& value) {
    return described_fields{"outcome"}
        .add("provider_id", value.provider_message_id)
        .add("code", value.error_code)
        .add("message", value.error_message)
        .add("retryable", value.is_retryable)
        .text();
}

std::string describe(const delivery_row& value) {
    return described_fields{"row"}
        .add("id", value.id)
        .add("event", value.event)
        .add("room", value.room)
        .add("index", value.index)
        .add("kind", value.kind)
        .add("channel", value.channel)
        .add("address", value.address)
        .add("state", value.state)
        .add("attempts", value.attempts)
        .add("bound", value.is_bound)
        .add("by", value.committed_by)
        .add("outcome", value.outcome)
        .text();
}

std::string describe(const delivery_cursor& value) {
    return described_fields{"cursor"}
        .add("delivered", value.delivered)
        .add("claimer", value.claimer)
        .add("epoch", value.claim_epoch)
        .add("takeovers", value.takeovers)
        .add("paused_at", value.paused_at)
        .text();
}

std::string describe(const delivery_skip& value) {
    return described_fields{"skip"}
        .add("id", value.id)
        .add("room", value.room)
        .add("from", value.from)
        .add("to", value.to)
        .add("events", value.events)
        .add("owner", value.owner)
        .add("reason", value.reason)
        .add("replayed", value.is_replayed)
        .add("created_at", value.created_at)
        .text();
}

std::string describe(const outbound_item& value) {
    return described_fields{"outbound"}
        .add("id", value.id)
        .add("room", value.room)
        .add("channel", value.channel)
        .add("address", value.address)
        .add("event", value.event)
        .add("index", value.index)
        .add("delivery", value.delivery)
        .add("attempts", value.attempts)
        .add("not_before", value.not_before)
        .add("last_error", value.last_error)
        .text();
}

std::string describe(const framework_event& value) {
    return described_fields{"notice"}
        .add("sequence", value.sequence)
        .add("type", value.type)
        .add("organization", value.organization)
        .add("room", value.room)
        .add("event", value.event)
        .add("data", value.data)
        .add("created_at", value.created_at)
        .text();
}

std::string describe(const ops::load_lane::entry& value) {
    return described_fields{"entry"}
        .add("event", value.event)
        .add("rows", value.rows)
        .add("owner_is_gone", value.owner_is_gone)
        .add("format", value.format)
        .text();
}

std::string describe(const ops::count_unread::answer& value) {
    return described_fields{"unread"}
        .add("unread", value.unread)
        .add("mentions", value.mentions)
        .text();
}

std::string describe(const ops::finish_set::answer& value) {
    return described_fields{"finished"}.add("delivered", value.delivered).text();
}

std::string describe(const ops::find_orphaned_rooms::item& value) {
    return described_fields{"orphan"}
        .add("organization", value.organization)
        .add("room", value.room)
        .text();
}

std::string describe(const ops::list_outbound_addresses::item& value) {
    return described_fields{"address"}
        .add("channel", value.channel)
        .add("address", value.address)
        .add("waiting", value.waiting)
        .add("next_due", value.next_due)
        .text();
}

// -- engine -----------------------------------------------------------------------------------

std::string describe(const ops::worker_row& value) {
    return described_fields{"worker"}
        .add("incarnation", value.incarnation)
        .add("state", value.state)
        .add("host", value.host)
        .add("version", value.version)
        .add("format", value.format)
        .add("started_at", value.started_at)
        .text();
}

std::string describe(const ops::store_figures& value) {
    return described_fields{"figures"}
        .add("rooms", value.rooms)
        .add("events", value.events)
        .add("pending", value.pending_deliveries)
        .add("outbound", value.outbound_waiting)
        .add("skips", value.skips)
        .add("duplicates", value.duplicate_rows)
        .add("unique", value.index_is_unique)
        .text();
}

// -- attachments, retention, operators ------------------------------------------------------------

std::string describe(const attachment& value) {
    return described_fields{"attachment"}
        .add("id", value.id)
        .add("organization", value.organization)
        .add("room", value.room)
        .add("filename", value.filename)
        .add("media_type", value.media_type)
        .add("size_bytes", value.size_bytes)
        .add("sha256", value.sha256)
        .add("uploaded_by", value.uploaded_by)
        .add("link_key", value.link_key)
        .add("state", value.state)
        .add("created_at", value.created_at)
        .text();
}

std::string describe(const ops::begin_attachment::outcome& value) {
    return described_fields{"begun"}.add("what", value.what).add("stored", value.stored).text();
}

std::string describe(const ops::get_attachment::found& value) {
    return described_fields{"found"}
        .add("attachment", value.attachment)
        .add("named_by", value.named_by)
        .text();
}

std::string describe(const ops::erase_attachments::outcome& value) {
    return described_fields{"erased"}
        .add("erased", value.erased)
        .add("has_more", value.has_more)
        .text();
}

std::string describe(const retention_policy& value) {
    return described_fields{"policy"}
        .add("events", value.events_max_age_days)
        .add("attachments", value.attachments_max_age_days)
        .add("closed", value.room_delete_after_closed_days)
        .text();
}

std::string describe(const ops::get_retention::found& value) {
    return described_fields{"policies"}
        .add("own", value.own)
        .add("effective", value.effective)
        .text();
}

std::string describe(const ops::find_retention_due::item& value) {
    return described_fields{"item"}
        .add("organization", value.organization)
        .add("room", value.room)
        .text();
}

std::string describe(const ops::find_retention_due::outcome& value) {
    return described_fields{"due"}
        .add("due", value.due)
        .add("last", value.last)
        .add("has_more", value.has_more)
        .text();
}

std::string describe(const ops::apply_retention::outcome& value) {
    return described_fields{"applied"}
        .add("events", value.events)
        .add("attachments", value.attachments)
        .add("is_room_deleted", value.is_room_deleted)
        .add("has_more", value.has_more)
        .text();
}

std::string describe(const ops::continue_erasure::outcome& value) {
    return described_fields{"erasure"}
        .add("organization", value.organization)
        .add("rooms", value.rooms)
        .add("has_more", value.has_more)
        .text();
}

std::string describe(const ops::replay_skip::outcome& value) {
    return described_fields{"replay"}
        .add("is_replayed_before", value.is_replayed_before)
        .add("room", value.room)
        .add("queued", value.queued)
        .add("reopened", value.reopened)
        .add("left", value.left)
        .text();
}

std::string describe(const ops::reopened_rows& value) {
    return described_fields{"reopened_rows"}
        .add("queued", value.queued)
        .add("reopened", value.reopened)
        .add("left", value.left)
        .text();
}

std::string describe(const ops::set_lane_state::outcome& value) {
    return described_fields{"lane_state"}
        .add("cursor", value.cursor)
        .add("is_changed", value.is_changed)
        .text();
}

std::string describe(const ops::list_paused_lanes::item& value) {
    return described_fields{"paused_lane"}
        .add("room", value.room)
        .add("delivered", value.delivered)
        .add("latest", value.latest)
        .add("paused_at", value.paused_at)
        .text();
}

std::string describe(const organization& value) {
    return described_fields{"organization"}
        .add("id", value.id)
        .add("name", value.name)
        .add("created_at", value.created_at)
        .text();
}

}  // namespace convene
