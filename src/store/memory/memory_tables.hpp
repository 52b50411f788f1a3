// SPDX-License-Identifier: Apache-2.0
// The tables of the memory store: every operation in plain C++, the oracle for the other stores.
#pragma once

#include "convene/ids.hpp"
#include "convene/room.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "store/memory/access_tables.hpp"
#include "store/memory/attachment_tables.hpp"
#include "store/memory/channel_tables.hpp"
#include "store/memory/delivery_table.hpp"
#include "store/memory/key_table.hpp"
#include "store/memory/outbound_queue.hpp"
#include "store/memory/room_record.hpp"
#include "store/memory/session_tables.hpp"
#include "store/memory/skill_tables.hpp"
#include "store/memory/workflow_tables.hpp"
#include "store/skip_rules.hpp"
#include "store/tables.hpp"

namespace convene {

/// Every operation looks first and changes afterwards, so that one that fails has changed nothing.
///
/// Where an operation's comment leaves a choice, `store/semantics.md` says what is answered.
/// *Thread safety*: as `tables`. *Lifetime*: the clock outlives it.
/// *Complexity*: a commit costs O(batch · log), `list_events` without a filter O(log n + limit),
/// `find_orphaned_rooms` O(owners with open rows · limit · log).
class memory_tables final : public tables {
   public:
    explicit memory_tables(const wall_clock& clock) : clock_(clock) {}

#define CONVENE_DECLARE(op) \
    [[nodiscard]] result<ops::op::answer> apply(const ops::op& request) override;
    CONVENE_STORE_OPERATIONS(CONVENE_DECLARE)
#undef CONVENE_DECLARE

   private:
    using external_key = std::pair<organization_id, std::string>;
    using channel_key = std::pair<organization_id, channel_id>;
    using room_key = std::pair<room_id, std::string>;
    using inbound_key = std::tuple<organization_id, channel_id, std::string>;
    using address_key = std::tuple<organization_id, std::string, std::string>;
    using hook_key = std::pair<hook_id, std::string>;
    using hook_place = std::pair<organization_id, room_id>;  ///< an empty room: the organisation

    // -- rooms --------------------------------------------------------------------------------

    /// Null for a room that is absent or belongs to another organisation.
    [[nodiscard]] room_record* find_room(const organization_id& organization, const room_id& id);
    [[nodiscard]] room_record* find_room(const room_id& id);

    [[nodiscard]] bool can_create(const room& wanted) const;
    /// *Requires*: `can_create`.
    room_record& add_room(
        const room& wanted,
        const std::vector<binding>& bindings,
        const std::vector<participant>& participants
    );
    [[nodiscard]] room_record* follow_route(const route_key& route);
    void set_status(room_record& record, room_status status, wall_time now);

    /// The same, and what it means for its session.
    void change_status(room_record& record, room_status status, wall_time now);
    void raise_config(room_record& record, wall_time now);
    void arm_timer(room_record& record);
    bool apply_timer(room_record& record, wall_time now);
    void list_for_routing(const room_record& record);
    void unlist_for_routing(const room_record& record);
    void forget_routes_to(const room_record& record);

    /// The room and all that belongs to it.
    void forget_room(room_record& record);

    // -- timeline -----------------------------------------------------------------------------

    [[nodiscard]] result<> check_guards(const ops::commit& batch) const;
    [[nodiscard]] result<> check_events(const room_record& record, const ops::commit& batch) const;
    [[nodiscard]] result<> check_inbound_keys(
        const ops::commit& batch, const std::unordered_map<event_id, event_index>& ids
    ) const;
    [[nodiscard]] result<> check_deliveries(
        const ops::commit& batch, const std::unordered_map<event_id, event_index>& ids
    ) const;
    void append_events(room_record& record, const ops::commit& batch, wall_time now);
    void end_rows(const ops::commit& batch);
    void erase_event(room_record& record, const event_id& id, wall_time now);
    void close_rows_of(const room_id& room, const event_id& event);
    [[nodiscard]] const room_event* find_event(const keyed_event& place);
    [[nodiscard]] ops::key_hit hit_of(std::string key, const keyed_event& entry);

    // -- attachments and retention ------------------------------------------------------------

    [[nodiscard]] bool is_given_up(const attachment_tables::row& upload, wall_time now) const;
    [[nodiscard]] retention_policy policy_of(
        const organization_id& organization, const room_id& room
    ) const;
    [[nodiscard]] retention_policy effective_policy(const room& of) const;
    [[nodiscard]] bool is_retention_due(const room_record& record, wall_time now) const;

    // -- sessions -----------------------------------------------------------------------------

    /// Null for a session that is absent or belongs to another organisation.
    [[nodiscard]] const session_tables::session_row* find_session(
        const organization_id& organization, const room_id& room
    ) const;

    /// Queued and due, or left by a dead worker; and its session is not quarantined.
    [[nodiscard]] bool may_be_run(const session_turn& turn, wall_time now) const;

    /// Null if the session has no turn that could be run.
    [[nodiscard]] const std::pair<const std::int64_t, session_turn>* first_due(
        const session_tables::session_row& session, wall_time now
    ) const;
    enum class stream_state : std::uint8_t { stored, pruned };

    /// Those that ended so long ago, the first to end first, and are of no turn that is still of use.
    [[nodiscard]] std::vector<session_tables::run_row*> old_runs(
        std::chrono::milliseconds older_than, stream_state stream, std::size_t limit
    );

    /// The turn that goes on once all is decided.
    [[nodiscard]] session_turn queue_resume(
        session_tables::session_row& of, session_turn turn, wall_time now
    );
    [[nodiscard]] bool is_active_member(const room_id& room, const participant_id& who) const;
    [[nodiscard]] result<> check_session(const ops::commit& batch);
    void append_to_session(const ops::commit& batch, wall_time now);

    // -- workflows ----------------------------------------------------------------------------

    [[nodiscard]] bool can_add(const ops::new_session& wanted);
    /// *Requires*: `can_add`.
    void add_session(const ops::new_session& added);
    void end_execution(workflow_tables::execution_row& ending, execution_status how, wall_time now);

    // -- deliveries ---------------------------------------------------------------------------

    [[nodiscard]] bool is_dead(const incarnation_id& worker) const;
    [[nodiscard]] std::int32_t format_of(const incarnation_id& worker) const;
    [[nodiscard]] bool is_live(const incarnation_id& worker) const;
    [[nodiscard]] bool is_ownerless(const incarnation_id& owner) const;
    [[nodiscard]] bool have_no_live_owner(const std::vector<delivery_row>& rows) const;
    /// To be called after events or the cursor changed: knows whose event comes next, and steps over
    /// deleted ones at the end.
    void settle_cursor(room_record& record);
    void forget_who_the_cursor_waits_for(room_record& record);
    void store_result(const delivery_row& row, const ops::row_result& outcome);
    void reopen_row(delivery_row row, replay_course course, ops::reopened_rows* counted);
    std::int64_t add_notices(std::vector<framework_event> notices, wall_time now);

    // -- remote hooks -------------------------------------------------------------------------

    /// Null for a hook that is absent or belongs to another organisation.
    [[nodiscard]] const remote_hook* find_hook(
        const organization_id& organization, const hook_id& id
    ) const;
    [[nodiscard]] std::vector<remote_hook> hooks_at(const hook_place& place) const;
    void raise_config_at(const hook_place& place, wall_time now);
    void forget_hooks_of(const room_record& record);
    void forget_hooks_of(const organization_id& organization);
    [[nodiscard]] config_version organization_config(const organization_id& organization) const;

    const wall_clock& clock_;

    std::map<room_id, room_record> rooms_;
    std::map<external_key, room_id> external_ids_;
    std::map<channel_key, std::set<room_id>> open_rooms_by_channel_;
    std::map<route_key, room_id> routes_;
    std::set<std::pair<wall_time, room_id>> timers_;  ///< every room with a `timer_due`

    std::int64_t last_commit_order_ = 0;
    std::unordered_set<event_id> event_ids_;  ///< of stored events, in whichever room
    key_table<room_key> room_keys_;
    key_table<inbound_key> inbound_keys_;

    delivery_table rows_;
    /// Every room with `cursor_waits_for`.
    std::map<incarnation_id, std::set<room_id>> waiting_cursors_;
    outbound_queue outbound_;
    std::vector<delivery_skip> skips_;
    std::int64_t last_skip_ = 0;
    std::map<hook_key, std::int32_t> hook_marks_;

    std::map<identity_id, identity> identities_;
    std::map<address_key, identity_id> addresses_;

    std::map<incarnation_id, ops::worker_row> workers_;
    std::map<std::int64_t, framework_event> notices_;
    std::int64_t last_notice_ = 0;
    std::map<std::string, std::int64_t> subscriptions_;

    std::map<hook_place, std::map<hook_id, remote_hook>> hooks_;
    std::map<hook_id, hook_place> hook_places_;
    std::map<organization_id, config_version> organization_configs_;
    attachment_tables attachments_;
    std::map<std::pair<organization_id, room_id>, retention_policy> policies_;  ///< no empty ones
    std::vector<organization_id> erasures_;  ///< in the order in which they were begun

    access_tables access_;
    channel_tables channels_;
    session_tables sessions_;
    skill_tables skills_;
    workflow_tables workflows_;
};

}  // namespace convene
