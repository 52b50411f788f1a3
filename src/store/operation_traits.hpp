// SPDX-License-Identifier: Apache-2.0
// What is known of every operation: its word, whether it changes anything, and on what it decides.
#pragma once

#include "store/tables.hpp"

namespace convene::detail {

template <class Op>
constexpr const char* operation_name = "";
template <class Op>
constexpr bool operation_is_read_only = false;
template <class Op>
constexpr bool operation_guards_itself = false;
template <class Op>
constexpr bool operation_locks_first = false;

#define CONVENE_NAME(op) \
    template <>          \
    inline constexpr const char* operation_name<ops::op> = #op;
CONVENE_STORE_OPERATIONS(CONVENE_NAME)
#undef CONVENE_NAME

#define CONVENE_READ_ONLY(op) \
    template <>               \
    inline constexpr bool operation_is_read_only<ops::op> = true;
CONVENE_READ_ONLY(get_room)
CONVENE_READ_ONLY(find_organization)
CONVENE_READ_ONLY(find_room_by_external_id)
CONVENE_READ_ONLY(list_rooms)
CONVENE_READ_ONLY(load_room_context)
CONVENE_READ_ONLY(find_route)
CONVENE_READ_ONLY(find_rooms_by_channel)
CONVENE_READ_ONLY(load_room_head)
CONVENE_READ_ONLY(find_inbound_key)
CONVENE_READ_ONLY(get_event)
CONVENE_READ_ONLY(find_events)
CONVENE_READ_ONLY(list_events)
CONVENE_READ_ONLY(summarize_threads)
CONVENE_READ_ONLY(search_events)
CONVENE_READ_ONLY(list_read_markers)
CONVENE_READ_ONLY(count_unread)
CONVENE_READ_ONLY(get_cursor)
CONVENE_READ_ONLY(load_lane)
CONVENE_READ_ONLY(find_orphaned_rooms)
CONVENE_READ_ONLY(list_deliveries)
CONVENE_READ_ONLY(list_skips)
CONVENE_READ_ONLY(take_due_outbound)
CONVENE_READ_ONLY(list_outbound_addresses)
CONVENE_READ_ONLY(get_identity)
CONVENE_READ_ONLY(resolve_identity)
CONVENE_READ_ONLY(list_tasks)
CONVENE_READ_ONLY(list_observations)
CONVENE_READ_ONLY(list_workers)
CONVENE_READ_ONLY(list_notices)
CONVENE_READ_ONLY(get_subscription)
CONVENE_READ_ONLY(read_figures)
CONVENE_READ_ONLY(get_organization)
CONVENE_READ_ONLY(list_organizations)
CONVENE_READ_ONLY(get_user)
CONVENE_READ_ONLY(find_user_by_email)
CONVENE_READ_ONLY(list_users)
CONVENE_READ_ONLY(find_api_token)
CONVENE_READ_ONLY(list_api_tokens)
CONVENE_READ_ONLY(find_auth_session)
CONVENE_READ_ONLY(find_link)
CONVENE_READ_ONLY(list_audit)
CONVENE_READ_ONLY(find_request)
CONVENE_READ_ONLY(get_hook)
CONVENE_READ_ONLY(list_hooks)
CONVENE_READ_ONLY(load_hooks)
CONVENE_READ_ONLY(get_channel)
CONVENE_READ_ONLY(list_channels)
CONVENE_READ_ONLY(list_receipts)
CONVENE_READ_ONLY(get_last_notice)
CONVENE_READ_ONLY(list_notices_of)
CONVENE_READ_ONLY(get_webhook_subscription)
CONVENE_READ_ONLY(list_webhook_subscriptions)
CONVENE_READ_ONLY(get_attachment)
CONVENE_READ_ONLY(read_attachment)
CONVENE_READ_ONLY(list_attachments)
CONVENE_READ_ONLY(get_retention)
CONVENE_READ_ONLY(find_retention_due)
CONVENE_READ_ONLY(probe_store)
CONVENE_READ_ONLY(list_paused_lanes)
CONVENE_READ_ONLY(get_session)
CONVENE_READ_ONLY(get_run)
CONVENE_READ_ONLY(list_runs)
CONVENE_READ_ONLY(list_frames)
CONVENE_READ_ONLY(list_tool_calls)
CONVENE_READ_ONLY(list_due_turns)
CONVENE_READ_ONLY(next_turn_at)
CONVENE_READ_ONLY(list_turns)
CONVENE_READ_ONLY(get_turn)
CONVENE_READ_ONLY(count_turns)
CONVENE_READ_ONLY(get_skill)
CONVENE_READ_ONLY(list_skills)
CONVENE_READ_ONLY(list_skill_pins)
CONVENE_READ_ONLY(get_secret)
CONVENE_READ_ONLY(list_secrets)
CONVENE_READ_ONLY(get_approval)
CONVENE_READ_ONLY(list_approvals)
CONVENE_READ_ONLY(find_expired_approvals)
CONVENE_READ_ONLY(get_workflow)
CONVENE_READ_ONLY(list_workflows)
CONVENE_READ_ONLY(get_workflow_version)
CONVENE_READ_ONLY(list_workflow_versions)
CONVENE_READ_ONLY(get_execution)
CONVENE_READ_ONLY(list_executions)
CONVENE_READ_ONLY(find_session_work)
CONVENE_READ_ONLY(list_invocations)
CONVENE_READ_ONLY(list_notifications)
#undef CONVENE_READ_ONLY

#define CONVENE_GUARDS_ITSELF(op) \
    template <>                   \
    inline constexpr bool operation_guards_itself<ops::op> = true;
CONVENE_GUARDS_ITSELF(claim_cursor)
CONVENE_GUARDS_ITSELF(put_results)
CONVENE_GUARDS_ITSELF(adopt_rows)
CONVENE_GUARDS_ITSELF(release_rows)
CONVENE_GUARDS_ITSELF(append_notices)
CONVENE_GUARDS_ITSELF(append_audit)
CONVENE_GUARDS_ITSELF(begin_request)
CONVENE_GUARDS_ITSELF(finish_request)
CONVENE_GUARDS_ITSELF(put_read_marker)
CONVENE_GUARDS_ITSELF(put_subscription)
CONVENE_GUARDS_ITSELF(note_subscription_progress)
CONVENE_GUARDS_ITSELF(touch_api_token)
CONVENE_GUARDS_ITSELF(prune_frames)
#undef CONVENE_GUARDS_ITSELF

// Those on a session or on one of its runs.
#define CONVENE_LOCKS_FIRST(op) \
    template <>                 \
    inline constexpr bool operation_locks_first<ops::op> = true;
CONVENE_LOCKS_FIRST(begin_run)
CONVENE_LOCKS_FIRST(append_state)
CONVENE_LOCKS_FIRST(end_run)
CONVENE_LOCKS_FIRST(request_cancel)
CONVENE_LOCKS_FIRST(append_frames)
CONVENE_LOCKS_FIRST(start_tool_call)
CONVENE_LOCKS_FIRST(end_tool_call)
CONVENE_LOCKS_FIRST(queue_turn)
CONVENE_LOCKS_FIRST(cancel_wake)
CONVENE_LOCKS_FIRST(requeue_turn)
CONVENE_LOCKS_FIRST(quarantine_turn)
CONVENE_LOCKS_FIRST(retry_turn)
CONVENE_LOCKS_FIRST(prune_runs)
CONVENE_LOCKS_FIRST(decide_approvals)
CONVENE_LOCKS_FIRST(expire_approvals)
CONVENE_LOCKS_FIRST(put_draft)
CONVENE_LOCKS_FIRST(change_task)
CONVENE_LOCKS_FIRST(cancel_execution)
CONVENE_LOCKS_FIRST(note_invocation)
#undef CONVENE_LOCKS_FIRST

}  // namespace convene::detail
