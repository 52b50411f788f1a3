// SPDX-License-Identifier: Apache-2.0
// The synchronous form of a store: one function per operation. What the memory and SQLite stores implement.
#pragma once

#include "convene/error.hpp"

#include <variant>

#include "store/operations/access.hpp"
#include "store/operations/approvals.hpp"
#include "store/operations/attachments.hpp"
#include "store/operations/channels.hpp"
#include "store/operations/deliveries.hpp"
#include "store/operations/engine.hpp"
#include "store/operations/hooks.hpp"
#include "store/operations/operating.hpp"
#include "store/operations/people.hpp"
#include "store/operations/retention.hpp"
#include "store/operations/rooms.hpp"
#include "store/operations/secrets.hpp"
#include "store/operations/sessions.hpp"
#include "store/operations/skills.hpp"
#include "store/operations/subscriptions.hpp"
#include "store/operations/timeline.hpp"
#include "store/operations/workflows.hpp"

namespace convene {

/// Every operation a store knows, in one list, so that adding one is adding it here and implementing it.
// clang-format off
#define CONVENE_STORE_OPERATIONS(X)                                                                \
    X(create_room) X(get_room) X(find_organization) X(find_room_by_external_id) X(list_rooms)      \
    X(update_room) X(delete_room) X(load_room_context) X(put_binding) X(remove_binding)            \
    X(put_participant) X(find_route) X(create_routed_room) X(find_rooms_by_channel)                \
    X(apply_due_timers)                                                                            \
    X(load_room_head) X(find_inbound_key) X(commit) X(raise_lock_epoch) X(get_event)               \
    X(find_events) X(list_events) X(summarize_threads) X(search_events) X(delete_event)            \
    X(put_read_marker) X(list_read_markers) X(count_unread) X(dedupe_event_indices)                \
    X(get_cursor) X(claim_cursor) X(load_lane) X(finish_set) X(put_results) X(adopt_rows)          \
    X(release_rows) X(find_orphaned_rooms) X(list_deliveries) X(list_skips) X(put_outbound)        \
    X(take_due_outbound) X(finish_outbound) X(list_outbound_addresses) X(mark_hook)                \
    X(clear_hook_mark)                                                                             \
    X(create_identity) X(get_identity) X(link_address) X(resolve_identity) X(add_task)             \
    X(update_task) X(list_tasks) X(list_observations)                                              \
    X(register_worker) X(set_worker_state) X(list_workers) X(append_notices) X(list_notices)       \
    X(get_subscription) X(put_subscription) X(read_figures)                                        \
    X(create_organization) X(get_organization) X(list_organizations)                               \
    X(create_user) X(get_user) X(find_user_by_email) X(list_users) X(update_user)                  \
    X(create_api_token) X(find_api_token) X(list_api_tokens) X(revoke_api_token)                   \
    X(touch_api_token)                                                                             \
    X(create_auth_session) X(find_auth_session) X(renew_auth_session) X(delete_auth_session)       \
    X(delete_auth_sessions)                                                                        \
    X(create_link) X(find_link) X(consume_link) X(append_audit) X(list_audit)                      \
    X(begin_request) X(finish_request) X(abandon_request) X(find_request)                          \
    X(put_hook) X(get_hook) X(list_hooks) X(delete_hook) X(load_hooks)                             \
    X(put_channel) X(get_channel) X(list_channels) X(delete_channel)                               \
    X(put_receipt) X(list_receipts)                                                                \
    X(get_last_notice) X(list_notices_of) X(put_webhook_subscription)                              \
    X(get_webhook_subscription) X(list_webhook_subscriptions)                                      \
    X(delete_webhook_subscription) X(note_subscription_progress)                                   \
    X(begin_attachment) X(append_attachment) X(finish_attachment) X(abandon_attachment)            \
    X(get_attachment) X(read_attachment) X(list_attachments) X(remove_attachment)                  \
    X(erase_attachments)                                                                           \
    X(put_retention) X(get_retention) X(find_retention_due) X(apply_retention)                     \
    X(begin_erasure) X(continue_erasure)                                                           \
    X(probe_store) X(replay_skip) X(update_identity) X(redeliver_event) X(set_lane_state)          \
    X(list_paused_lanes) X(note_restore)                                                           \
    X(open_session) X(get_session) X(begin_run) X(append_state) X(end_run) X(close_stream)         \
    X(get_run) X(list_runs) X(request_cancel) X(append_frames) X(list_frames) X(prune_frames)      \
    X(start_tool_call) X(end_tool_call) X(list_tool_calls)                                         \
    X(queue_turn) X(list_due_turns) X(next_turn_at) X(requeue_turn) X(quarantine_turn)             \
    X(retry_turn) X(list_turns) X(get_turn) X(count_turns) X(prune_runs) X(cancel_wake)            \
    X(put_skill) X(get_skill) X(list_skills) X(delete_skill) X(want_skill_pull)                    \
    X(begin_skill_pull) X(end_skill_pull) X(pin_skill) X(unpin_skill) X(list_skill_pins)           \
    X(agree_on_marker)                                                                             \
    X(put_secret) X(get_secret) X(list_secrets) X(delete_secret)                                   \
    X(get_approval) X(list_approvals) X(decide_approvals) X(find_expired_approvals)                \
    X(expire_approvals)                                                                            \
    X(put_workflow) X(get_workflow) X(list_workflows) X(delete_workflow) X(publish_workflow)       \
    X(get_workflow_version) X(list_workflow_versions) X(put_draft)                                 \
    X(create_execution) X(get_execution) X(list_executions) X(find_session_work) X(change_task)    \
    X(cancel_execution) X(note_invocation) X(list_invocations)                                     \
    X(list_notifications) X(mark_notification)
// clang-format on

/// Applies operations one at a time; each is all or nothing.
///
/// *Thread safety*: none; whoever owns the tables calls from one thread at a time.
class tables {
   public:
    virtual ~tables() = default;

#define CONVENE_DECLARE(op) \
    [[nodiscard]] virtual result<ops::op::answer> apply(const ops::op& request) = 0;
    CONVENE_STORE_OPERATIONS(CONVENE_DECLARE)
#undef CONVENE_DECLARE
};

}  // namespace convene
