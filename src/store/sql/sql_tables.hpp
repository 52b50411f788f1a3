// SPDX-License-Identifier: Apache-2.0
// The tables of the SQL stores: every operation as statements on one session.
#pragma once

#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/sql/session.hpp"
#include "store/session_rules.hpp"
#include "store/skip_rules.hpp"
#include "store/sql/indexed_words.hpp"
#include "store/sql/rows.hpp"
#include "store/tables.hpp"
#include "store/workflow_rules.hpp"

namespace convene::sql {

/// Events that share an index with another one of their room.
struct duplicate_indexes {
    std::int64_t rows = 0;   ///< beyond the first of each index
    std::int64_t rooms = 0;  ///< that have such rows
};

/// What an operator is told of them.
inline constexpr std::string_view index_not_unique_warning =
    "idx_events_room_index is not UNIQUE — duplicate (room_id, index) rows exist, so multi-process"
    " event-index safety is NOT enforced. Deduplicate the events table, then recreate the index"
    " UNIQUE.";

/// Applies operations inside the transaction that the caller has opened on the session.
///
/// An operation that answers an error may have written: the caller rolls it back. The rules are those of
/// `store/semantics.md`; statements fail by latching (see `session`), so the steps here test only for what a
/// correct caller can meet. What each database does in its own way is for the classes derived from this one.
/// *Thread safety*: as `tables`. *Lifetime*: session and clock outlive it.
class sql_tables : public tables {
   public:
    using indexes_by_id = std::unordered_map<std::string_view, event_index>;

    sql_tables(session& database, const wall_clock& clock) : db_(database), clock_(clock) {}

    sql_tables(const sql_tables&) = delete;
    sql_tables& operator=(const sql_tables&) = delete;

#define CONVENE_DECLARE(op) \
    [[nodiscard]] result<ops::op::answer> apply(const ops::op& request) override;
    CONVENE_STORE_OPERATIONS(CONVENE_DECLARE)
#undef CONVENE_DECLARE

   protected:
    ~sql_tables() override = default;

    // -- what each database does in its own way ------------------------------------------------------

    // The index of words.
    virtual void add_words(const indexed_words& words) = 0;
    virtual void remove_words(const indexed_words& words) = 0;

    /// The places below `below` of events that have all these words and the scope (a room's or an organisation's), newest
    /// first.
    [[nodiscard]] virtual query find_words(
        const std::string& scope,
        std::span<const std::string> words,
        std::int64_t below,
        std::size_t limit
    ) = 0;

    /// From here to the end of the transaction nobody else writes events, and nothing has been read yet.
    virtual void keep_writers_out() = 0;

    [[nodiscard]] virtual bool is_event_index_unique() = 0;
    virtual void make_event_index_unique() = 0;

    /// Surplus rows, and the rooms that have them.
    [[nodiscard]] virtual duplicate_indexes find_duplicate_indexes() = 0;
    [[nodiscard]] virtual std::int32_t stored_schema_version() = 0;

    /// Called before framework events are added: a reader that has seen one has seen all with a smaller sequence,
    /// whatever transactions run beside this one.
    virtual void commit_notices_in_order() = 0;

    /// The highest sequence that a framework event ever got; 0 before the first. Not the highest that is stored: an
    /// erasure takes some.
    [[nodiscard]] virtual std::int64_t last_notice() = 0;

    /// Behind a SELECT: its rows stay as they are until the transaction ends, and are read as they were committed last.
    [[nodiscard]] virtual std::string_view row_lock() const noexcept = 0;

    /// Stores frames and moves the runs' streams by compare; answers the runs that were left out, in their order.
    [[nodiscard]] virtual std::vector<run_id> add_frames(const ops::append_frames& request);

    /// Runs the statements of `store/sql/writes.hpp`.
    struct statement_runner {
        template <class... T>
        void operator()(std::string_view sql, const T&... values) const {
            database.run(sql, values...);
        }

        session& database;
    };

    session& db_;
    const statement_runner write_{db_};
    const wall_clock& clock_;

   private:
#define CONVENE_DECLARE(op) [[nodiscard]] result<ops::op::answer> perform(const ops::op& request);
    CONVENE_STORE_OPERATIONS(CONVENE_DECLARE)
#undef CONVENE_DECLARE

    // -- rooms -------------------------------------------------------------------------------------

    [[nodiscard]] std::optional<room> find_room(const room_id& id);

    /// Unset for a room that is absent or belongs to another organisation.
    [[nodiscard]] std::optional<room> find_room(
        const organization_id& organization, const room_id& id
    );
    [[nodiscard]] bool has_room(const organization_id& organization, const room_id& id);
    [[nodiscard]] bool can_create(const room& wanted);
    [[nodiscard]] room add_room(
        const room& wanted,
        const std::vector<binding>& bindings,
        const std::vector<participant>& participants
    );
    [[nodiscard]] std::optional<room_id> follow_route(
        const organization_id& organization, const channel_id& channel, const std::string& sender
    );

    /// Stores what is not counted: status, config, timers, policy and times.
    void save_settings(const room& changed);
    void save_metadata(const room& changed);
    void set_status(room& changed, room_status status, wall_time now);

    /// The same, and what it means for its session. *Requires*: nothing of the room is locked yet.
    void change_status(room& changed, room_status status, wall_time now);
    void raise_config(const room_id& id, wall_time now);
    void arm_timer(const room& changed);

    /// The room and all that belongs to it.
    void erase_room(const organization_id& organization, const room_id& id, wall_time now);

    /// True if the status changed; else the room was active since, and its timer is armed again.
    [[nodiscard]] bool apply_timer(room& due, wall_time now);

    // -- remote hooks ------------------------------------------------------------------------------

    /// Unset for a hook that is absent or belongs to another organisation.
    [[nodiscard]] std::optional<remote_hook> find_hook(
        const organization_id& organization, const hook_id& id
    );
    void raise_config_at(const remote_hook& hook, wall_time now);
    [[nodiscard]] config_version organization_config(const organization_id& organization);

    // -- timeline ----------------------------------------------------------------------------------

    [[nodiscard]] bool are_guards_held(const ops::commit& batch);
    [[nodiscard]] bool move_counters(const ops::commit& batch, wall_time now);
    [[nodiscard]] result<> append_events(const ops::commit& batch, wall_time now);
    [[nodiscard]] errc why_refused(const room_event& event);
    [[nodiscard]] result<> add_inbound_keys(const ops::commit& batch, const indexes_by_id& indexes);
    [[nodiscard]] result<> apply_changes(const ops::commit& batch);
    [[nodiscard]] result<> add_deliveries(const ops::commit& batch, const indexes_by_id& indexes);
    [[nodiscard]] result<> add_items(const ops::commit& batch, wall_time now);
    void end_rows(const ops::commit& batch);

    [[nodiscard]] bool has_event_at(const room_id& room, event_index index);
    [[nodiscard]] bool has_event_from(const room_id& room, event_index index);
    [[nodiscard]] std::optional<stored_event> find_event(const room_id& room, const event_id& id);
    [[nodiscard]] std::optional<ops::key_hit> find_key(
        const room_id& room, const std::string& key, wall_time now
    );
    void apply_change(
        const organization_id& organization, stored_event target, const ops::target_change& change
    );
    void erase_event(
        const organization_id& organization, const stored_event& erased, wall_time now
    );
    void forget_expired_keys(wall_time now);

    /// Keeps the index of words in step with an event that was stored, or is about to change or go.
    void add_to_search(
        const organization_id& organization, std::int64_t seq, const room_event& added
    );
    void remove_from_search(const organization_id& organization, const stored_event& removed);

    // -- attachments and retention -----------------------------------------------------------------

    /// Writes down which attachments of the room an event names.
    void name_attachments(const room_event& naming);

    /// The event is gone: what only it named goes, too.
    void forget_names(const event_id& gone, wall_time now);
    void remove_attachments_of(
        const organization_id& organization, const room_id& room, wall_time now
    );

    /// Answers how many there were.
    [[nodiscard]] std::int64_t remove_old_attachments(
        const room_id& room, wall_time oldest, std::size_t limit, wall_time now
    );

    [[nodiscard]] retention_policy policy_of(
        const organization_id& organization, const room_id& room
    );
    [[nodiscard]] retention_policy effective_policy(const room& of);
    [[nodiscard]] bool is_retention_due(const room& info, wall_time now);

    // -- sessions ----------------------------------------------------------------------------------

    struct locked_turn {
        agent_session session;
        session_turn turn;
    };

    [[nodiscard]] std::optional<agent_session> lock_session(const room_id& room);

    /// Unset if the epoch is another's.
    [[nodiscard]] std::optional<agent_session> lock_driven(const room_id& room, std::int64_t epoch);

    /// The turn under the lock of its session.
    [[nodiscard]] std::optional<locked_turn> lock_turn(const turn_id& turn);
    [[nodiscard]] std::optional<agent_session> find_session(
        const organization_id& organization, const room_id& room
    );
    [[nodiscard]] session_state state_of(const agent_session& of);
    void append_to(
        const agent_session& locked, std::int64_t count, const state_delta& delta, wall_time now
    );
    [[nodiscard]] result<> append_to_session(const ops::commit& batch, wall_time now);
    void consume_turns(const ops::commit& batch);

    /// Nobody drives it any more; `quiet` is what it would be doing without turns.
    void settle_session(const agent_session& of, session_status quiet, wall_time now);

    /// Ends a run that is still open.
    std::optional<agent_run_record> end_run(
        const run_id& run,
        run_status status,
        std::string_view reason,
        std::string_view error,
        wall_time now
    );
    std::optional<agent_run_record> interrupt_run(const run_id& run, wall_time now);
    std::optional<agent_run_record> end_stream(
        const agent_run_record& of, const std::vector<run_frame>& last
    );
    [[nodiscard]] std::optional<agent_run_record> find_run(
        const organization_id& organization, const run_id& run
    );

    /// Of a session, those that are still open; nobody knows any more whether they were made.
    [[nodiscard]] std::vector<tool_intent> give_up_calls(const room_id& room, wall_time now);

    /// Of the session's run, while that has no end; else 0.
    [[nodiscard]] std::int32_t format_left_open(const agent_session& session);

    [[nodiscard]] std::optional<approval> find_approval(const approval_id& id);
    void insert_approval(const approval& added);
    void save_approval(const approval& changed);
    [[nodiscard]] bool has_open_approvals(const room_id& room);

    /// Those that the session's open calls are about.
    [[nodiscard]] std::vector<approval> approvals_of_calls(const agent_session& of);

    /// Ends what is open in a room.
    void cancel_approvals(const room_id& room, wall_time now);

    /// The turn that goes on once all is decided. *Errors*: `already_exists`.
    [[nodiscard]] result<session_turn> queue_resume(
        const agent_session& locked, session_turn turn, wall_time now
    );

    /// As a new one that waits.
    void insert_turn(const session_turn& queued);
    [[nodiscard]] std::optional<session_turn> find_turn(const turn_id& turn);
    void save_turn(const session_turn& changed);
    [[nodiscard]] waiting_turns waiting_in(const room_id& room, wall_time now);
    [[nodiscard]] bool is_dead(const incarnation_id& worker);

    /// Queued and due, or left by a dead worker; and its session is not quarantined.
    [[nodiscard]] bool may_be_run(const session_turn& turn, const agent_session& of, wall_time now);

    // -- workflows ---------------------------------------------------------------------------------

    [[nodiscard]] std::optional<workflow> find_workflow(
        const organization_id& organization, const workflow_id& id
    );

    /// That is designed in this session, to be changed.
    [[nodiscard]] std::optional<workflow> lock_design(const room_id& room);

    /// All but what never changes.
    void save_workflow(const workflow& changed);
    void add_version(const organization_id& of, const workflow_version& added);

    /// *Errors*: `already_exists` (the room).
    [[nodiscard]] result<> add_session(const ops::new_session& added);

    /// A run of the session has ended, and waits for nobody: if it was the first of a design, that is over.
    /// *Requires*: the session's row is locked.
    void settle_generation(const room_id& room, std::string_view error, wall_time now);

    [[nodiscard]] std::optional<workflow_execution> find_execution(const room_id& room);
    [[nodiscard]] std::vector<execution_task> tasks_in(const room_id& room);
    void save_tasks(
        const room_id& room,
        const std::vector<execution_task>& tasks,
        const std::vector<std::size_t>& changed
    );

    /// *Requires*: the session's row is locked.
    void end_execution(workflow_execution& ending, execution_status how, wall_time now);

    /// Whether the session is one of an execution that is over.
    [[nodiscard]] bool is_over(const room_id& room);
    void add_notification(const notification& told);

    // -- secrets -----------------------------------------------------------------------------------

    /// The row stays as it is until the transaction ends. Of a secret and its skills it is locked first.
    [[nodiscard]] std::optional<named_secret> lock_secret(
        const organization_id& organization, const secret_name& name
    );

    /// Whether a skill can name it: there is such a secret, which then stays, or it names none.
    [[nodiscard]] bool can_name_secret(
        const organization_id& organization, const secret_name& name
    );
    [[nodiscard]] std::vector<secret_user> users_of_secret(
        const organization_id& organization, const secret_name& name
    );

    // -- deliveries --------------------------------------------------------------------------------

    [[nodiscard]] bool is_gone(const incarnation_id& worker);
    [[nodiscard]] std::int32_t format_of(const incarnation_id& worker);
    [[nodiscard]] std::int32_t format_of_plan(const delivery_row& row);

    [[nodiscard]] std::vector<delivery_row> rows_of(
        const room_id& room, event_index index, const event_id& event
    );

    [[nodiscard]] bool have_no_live_owner(const std::vector<delivery_row>& rows);
    [[nodiscard]] event_index delivered_of(const room_id& room);

    /// The owners that are gone, of those that `next_owner` steps through.
    [[nodiscard]] std::vector<incarnation_id> gone_owners(std::string_view next_owner);

    /// A page of the rooms of an owner that `next_room` steps through.
    [[nodiscard]] std::vector<room_id> rooms_waiting_for(
        std::string_view next_room,
        const incarnation_id& owner,
        const ops::find_orphaned_rooms& page
    );

    /// Writes down who committed the event that the cursor stands in front of. If there is none, because all up to
    /// the end was deleted, the cursor goes to the end.
    /// What comes behind a place in a room.
    struct following {
        bool is_there = false;
        /// Who committed it, where no open row tells who is needed for it.
        std::optional<incarnation_id> needed;
    };

    [[nodiscard]] following event_after(const room_id& room, event_index index);
    void settle_cursor(const room_id& room);
    std::int64_t queue_outbound(const outbound_item& item);
    void reopen_row(const delivery_row& row, replay_course course, ops::reopened_rows* counted);
    void remove_outbound_of(const room_id& room);
    void remove_outbound_of(const room_id& room, const event_id& event);
    void add_notices(const std::vector<framework_event>& notices, wall_time now);
};

}  // namespace convene::sql
