// SPDX-License-Identifier: Apache-2.0
// `room_kit`: the library's front door. Rooms, messages in and out, hooks, channels, recovery.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/cause.hpp"
#include "convene/channel.hpp"
#include "convene/hook.hpp"
#include "convene/lease.hpp"
#include "convene/random.hpp"
#include "convene/room.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace convene {

class conversation_store;
class remote_hook_caller;

/// What happens to deliveries that a dead worker left behind.
enum class delivery_recovery : std::uint8_t {
    redeliver =
        1,     ///< executed at once by whoever holds the claim: at least once, same delivery ids
    skip = 2,  ///< passed over after `delivery_gap_timeout`, on record
};

/// What happens to an answer that a dead worker left unfinished.
enum class agent_recovery : std::uint8_t {
    regenerate = 1,  ///< the partial answer is closed as interrupted, then made again, once
    stop = 2,        ///< only closed
};

struct room_kit_settings {
    std::chrono::milliseconds process_timeout{30'000};  ///< bounds all that comes before a commit
    std::chrono::milliseconds delivery_wait_timeout{30'000
    };  ///< how long a caller waits for its deliveries
    std::chrono::milliseconds delivery_gap_timeout{30'000
    };  ///< before `skip` passes over a dead owner's events
    std::chrono::milliseconds set_deadline{10'000};    ///< a target that takes longer is deferred
    std::chrono::milliseconds drain_deadline{10'000};  ///< for `close`
    delivery_recovery recovery = delivery_recovery::redeliver;
    convene::agent_recovery agents = convene::agent_recovery::regenerate;
    std::int32_t max_chain_depth = 5;  ///< at least 1; can't be switched off
    std::int32_t cascade_budget = 50;  ///< events one event may cause in all
    std::size_t history_window = 50;   ///< events an agent is shown
    std::size_t
        lane_capacity = 10'000;    ///< sets waiting in one room; beyond it senders get `overloaded`
    std::size_t commit_slots = 8;  ///< a quarter of them may be held by serial hooks at once

    /// How long the streams of agents' runs can be read again after their end, and then how long it is known that there
    /// were such runs, from the same end on.
    std::chrono::milliseconds frames_kept{std::chrono::days{7}};
    std::chrono::milliseconds runs_kept{std::chrono::days{90}};
};

/// Told what this worker has committed: what live tails are fed from.
///
/// *Thread safety*: called on the loop, between two awaits of the engine; it may not send. *Lifetime*: outlives
/// the kit.
class commit_listener {
   public:
    virtual ~commit_listener() = default;

    /// Events of one room, in index order, once they are durable. `around` is the room as it was decided in.
    virtual void committed(
        const std::shared_ptr<const room_context>& around, const std::vector<room_event>& events
    ) noexcept = 0;

    /// Events that were deleted for good.
    virtual void erased(const room_id& room, const std::vector<event_id>& events) noexcept = 0;
};

/// Tells another worker that deliveries of a room wait for it.
class lane_bell {
   public:
    virtual ~lane_bell() = default;

    /// False while nobody can be told: what is committed meanwhile is this worker's own to deliver.
    [[nodiscard]] virtual bool is_connected() const noexcept = 0;

    /// Soon, without waiting for it, and best effort: `worker` calls `room_kit::answer_bell`. *Thread safety*: loop only.
    virtual void ring(
        const organization_id& organization, const room_id& room, const incarnation_id& worker
    ) noexcept = 0;
};

/// What the kit is built from. The kit owns none of the pointers; they outlive it.
struct room_kit_parts {
    executor* where = nullptr;
    conversation_store* store = nullptr;
    lock_manager* locks = nullptr;
    lock_manager* delivery_claim_locks = nullptr;  ///< unset: `locks`
    const wall_clock* clock = nullptr;             ///< unset: the system's
    random_source* random = nullptr;               ///< unset: the system's
    commit_listener* commits = nullptr;            ///< may be unset
    lane_bell* bell = nullptr;  ///< unset: what this worker commits is delivered by nobody else
    remote_hook_caller* remote_hooks = nullptr;  ///< unset: remote hooks count as failed
    incarnation_id
        incarnation;  ///< as the store and the locks know this worker; empty: one is made

    /// Of the delivery plans, turns and frames that this worker writes. Those of newer formats it leaves to newer workers.
    std::int32_t plan_format = 1;
};

/// How long a call waits.
enum class wait_for : std::uint8_t {
    delivered =
        1,  ///< the event's set and every reply it caused have run (bounded by `delivery_wait_timeout`)
    committed = 2,
};

/// An event to send into a known room.
struct outgoing_event {
    organization_id organization;
    room_id room;
    event_id id;         ///< empty: made; one that is stored already is refused
    channel_id channel;  ///< the binding it enters through; empty: the system itself
    participant_id participant;
    convene::content content;
    event_type type = event_type::message;
    event_id parent;
    std::string correlation_id;
    std::string idempotency_key;
    std::optional<visibility> visible_to;
    std::optional<std::vector<channel_id>> addressed_to;
    std::optional<visibility> response_visibility;
    json_text metadata;
    std::string trace_parent;
    std::optional<event_cause> cause;  ///< it is sent because of a call of ours

    /// The `config` of the room in which the caller saw that this may be sent. If the room is configured otherwise when it
    /// is committed, nothing is stored and the answer is `room_changed`: look again. Unset: whatever the room is.
    std::optional<config_version> permitted_at;
};

/// What a session's driver writes together with an event (A4): all of it is stored, or nothing.
struct driver_append {
    std::int64_t epoch = 0;   ///< the session's, as the driver got it
    json_text session_state;  ///< what changes of each scope; a value `null` removes its key
    json_text user_state;
    json_text app_state;
    std::string
        turn;  ///< whose input the event is: it need not be kept any longer; empty: no turn's
    std::vector<room_task> tasks;  ///< the agent's, of the event's room
    std::vector<observation> observations;
};

/// A message as a channel received it, perhaps without a room.
struct inbound_message {
    organization_id organization;
    channel_id channel;
    std::string sender;  ///< the sender's id on that channel
    convene::content content;
    event_type type = event_type::message;
    room_id room;  ///< empty: routed
    event_id parent;
    std::string idempotency_key;
    std::string provider_message_id;
    std::optional<visibility> visible_to;
    std::optional<std::vector<channel_id>> addressed_to;
    json_text metadata;
    std::optional<event_cause> cause;  ///< it is sent because of a call of ours
};

/// What became of a target of the caller's own event.
struct target_result {
    target_kind kind = target_kind::channel;
    channel_id channel;
    delivery_state state = delivery_state::pending;
    delivery_outcome outcome;
    std::int32_t attempts = 0;
};

enum class delivery_progress : std::uint8_t {
    committed = 1,   ///< the caller did not wait, or could not (it is inside the room)
    delivered = 2,   ///< the set and all replies have run
    delivering = 3,  ///< the wait ended first; delivery goes on
    staged = 4,  ///< not committed yet: its room waits for what it was caused by, and takes it next
};

/// What a send came to. A refusal that stored nothing is an error instead (`room_closed`, ...).
struct send_receipt {
    room_event event;        ///< as stored; `status` tells whether it was blocked
    bool is_replay = false;  ///< the key was known: this is the first result
    delivery_progress progress = delivery_progress::committed;
    std::vector<target_result> targets;
};

/// What replaying a skip came to.
struct replayed_skip {
    bool is_replayed_before = false;  ///< nothing was done
    std::size_t queued = 0;           ///< deliveries that wait in the outbound queue now
    std::size_t reopened = 0;         ///< answers and after-hooks that are made now
    std::size_t left = 0;             ///< out of reach: they stay skipped
};

/// How a lane took what an operator told it.
enum class lane_verdict : std::uint8_t {
    done = 1,
    already_so = 2,      ///< it was stopped, or ran, before
    nothing_waits = 3,   ///< all is delivered: there is no head
    head_moved = 4,      ///< another event is the head now
    nothing_missed = 5,  ///< nothing of the event failed or was skipped that can still be reached
};

/// What became of a lane that was to be stopped, or to go on.
struct lane_change {
    lane_verdict verdict = lane_verdict::done;
    bool is_settled =
        true;  ///< no set of the room runs any more; false: one still did at the deadline
    delivery_cursor cursor;
};

/// What became of a head that was to be passed over.
struct skipped_head {
    lane_verdict verdict = lane_verdict::done;
    event_index head;  ///< as it is now, where the verdict is `head_moved`
    event_id event;
    std::size_t skipped = 0;  ///< delivery rows
};

/// What redelivering an event came to.
struct redelivered_event {
    lane_verdict verdict = lane_verdict::done;
    event_id event;
    std::size_t queued = 0;  ///< deliveries that wait in the outbound queue now
    std::size_t
        reopened = 0;      ///< answers, after-hooks and rows of the head, which the lane executes
    std::size_t left = 0;  ///< out of reach: they stay as they are
};

/// Durations of one kind: how many there were, and how long in all.
struct duration_tally {
    std::uint64_t count = 0;
    std::chrono::nanoseconds sum{};

    void add(std::chrono::nanoseconds one) noexcept {
        ++count;
        sum += one;
    }
};

/// Called with framework events, in order, at least once. An error keeps the event for later.
using framework_callback = std::function<awaitable<result<>>(framework_event)>;

/// The engine of one worker.
///
/// *Thread safety*: loop only. *Lifetime*: `init` before anything else, `close` before destruction.
class room_kit {
   public:
    /// Logs the pairing warning if the store outlives processes that the locks can't see.
    room_kit(room_kit_parts parts, room_kit_settings settings);
    ~room_kit();

    room_kit(const room_kit&) = delete;
    room_kit& operator=(const room_kit&) = delete;

    /// Registers this start of the worker and picks up what dead ones left.
    [[nodiscard]] awaitable<result<>> init();

    /// Stops taking work, drains all lanes under one deadline, hands over the rest. Idempotent. The store and
    /// the lock managers are closed too.
    [[nodiscard]] awaitable<void> close();

    [[nodiscard]] const incarnation_id& incarnation() const noexcept;

    /// Set when this worker was proven dead by others while it was frozen or cut off: nothing it does counts
    /// any more. Close it and make a new kit.
    [[nodiscard]] wait_flag& buried() noexcept;

    // -- channels, hooks, notices ------------------------------------------------------------------

    /// *Errors*: `already_exists`.
    result<> register_channel(std::shared_ptr<channel> added);

    /// What is sent to it from now on fails with `channel_not_registered`; what is on its way ends.
    void remove_channel(const channel_id& id);

    /// The channel that is registered under an id; null if there is none.
    [[nodiscard]] std::shared_ptr<channel> find_channel(const channel_id& id) const;

    /// Asked when a channel is missing here: it registers what other workers have registered meanwhile. Before `init`.
    void find_missing_channels_by(std::function<awaitable<result<>>()> looks);

    /// As `find_channel`, after another look for one that is missing. *Errors*: those of the store.
    [[nodiscard]] awaitable<result<std::shared_ptr<channel>>> look_up_channel(channel_id id);

    /// *Errors*: `already_exists`, `invalid_argument` (deadline out of range, empty id or function).
    result<> add_hook(hook_definition added);
    void remove_hook(const hook_id& id);

    /// Subscribes under a name whose position is durable: after a restart it goes on where it was.
    /// *Errors*: `already_exists` (the name is subscribed in this process).
    [[nodiscard]] awaitable<result<>> subscribe(std::string name, framework_callback callback);

    // -- rooms -------------------------------------------------------------------------------------

    /// Ids left empty are made. *Errors*: `already_exists`, `invalid_argument`.
    [[nodiscard]] awaitable<result<room>> create_room(
        room created, std::vector<binding> bindings, std::vector<participant> participants
    );

    /// Another worker has left deliveries of a room to this one, or waits until this one has made its own.
    void answer_bell(const organization_id& organization, const room_id& room);

    /// A room as this worker knew it at its last commit there; null if it had none lately, or if remote hooks are asked
    /// about its events, which should not be asked for nothing. It may be out of date: good for what is compared at the
    /// commit (`outgoing_event::permitted_at`), and for nothing else.
    [[nodiscard]] std::shared_ptr<const room_context> find_known_room(
        const organization_id& organization, const room_id& id
    ) const;

    [[nodiscard]] awaitable<result<room_context>> get_room(
        organization_id organization, room_id id
    );
    [[nodiscard]] awaitable<result<room>> set_room_status(
        organization_id organization, room_id id, room_status to
    );
    [[nodiscard]] awaitable<result<room>> set_room_timers(
        organization_id organization, room_id id, room_timers timers
    );
    [[nodiscard]] awaitable<result<room>> patch_room_metadata(
        organization_id organization, room_id id, json_text patch, std::vector<std::string> unset
    );

    /// *Errors*: `channel_not_registered` (in this organisation), `not_found`.
    [[nodiscard]] awaitable<result<binding>> attach_channel(
        organization_id organization, binding attached
    );
    [[nodiscard]] awaitable<result<bool>> detach_channel(
        organization_id organization, room_id id, channel_id channel
    );
    [[nodiscard]] awaitable<result<binding>> mute_channel(
        organization_id organization, room_id id, channel_id channel
    );
    [[nodiscard]] awaitable<result<binding>> unmute_channel(
        organization_id organization, room_id id, channel_id channel
    );
    [[nodiscard]] awaitable<result<participant>> put_participant(
        organization_id organization, participant put
    );

    // -- messages ----------------------------------------------------------------------------------

    /// Sends into a known room. *Errors*: `room_closed`, `process_timeout`, `not_found`, `invalid_argument`,
    /// `idempotency_key_reused`, `event_deleted`, `target_event_not_found`, `not_authorized`,
    /// `room_contended`, `would_deadlock`, `overloaded`, `outcome_unknown`, store errors.
    /// *Cancellation*: before the commit nothing is stored; after it, as `wait_for::committed`.
    [[nodiscard]] awaitable<result<send_receipt>> send_event(outgoing_event sent, wait_for until);

    /// Sends as the driver of the room's session, and waits for the commit. *Errors*: as `send_event`;
    /// `driver_fenced` if another has the session: nothing more of this run may be written.
    [[nodiscard]] awaitable<result<send_receipt>> append_for_session(
        outgoing_event sent, driver_append append
    );

    /// Takes a message from a channel: routes, identifies, sends. *Errors*: as `send_event`, and
    /// `channel_not_registered`.
    [[nodiscard]] awaitable<result<send_receipt>> process_inbound(
        inbound_message message, wait_for until
    );

    /// Sends a greeting through the lane as the agent's own message. *Errors*: as `send_event`.
    [[nodiscard]] awaitable<result<send_receipt>> send_greeting(
        organization_id organization,
        room_id id,
        channel_id agent,
        content greeting,
        std::string idempotency_key = {}
    );

    /// Lets the agents answer the last message by a person again: an event of its own asks them, shown to
    /// nobody else. A repetition of its key is that event, whatever was said since.
    /// *Errors*: as `send_event`; `not_found` if there is none.
    [[nodiscard]] awaitable<result<send_receipt>> regenerate_response(
        organization_id organization, room_id id, std::string idempotency_key = {}
    );

    /// Removes an event for good and, with it, its replies. *Errors*: `not_found`, `process_timeout`.
    [[nodiscard]] awaitable<result<std::vector<event_id>>> delete_event(
        organization_id organization, room_id id, event_id removed
    );

    /// Removes a room and all that belongs to it. False if there was none. *Errors*: `process_timeout`.
    [[nodiscard]] awaitable<result<bool>> delete_room(organization_id organization, room_id id);

    /// Delivers after all what a skip passed over, under the delivery ids it would have had; once.
    /// *Errors*: `not_found`, `process_timeout`.
    [[nodiscard]] awaitable<result<replayed_skip>> replay_skip(
        organization_id organization, std::int64_t skip
    );

    /// Stops a room's lane for all workers and over restarts: no set of it is started any more. What runs is finished;
    /// that is waited for until `patience`. Messages are still taken. *Errors*: `not_found`.
    [[nodiscard]] awaitable<result<lane_change>> pause_lane(
        organization_id organization, room_id id, deadline patience
    );

    /// *Errors*: `not_found`.
    [[nodiscard]] awaitable<result<lane_change>> resume_lane(
        organization_id organization, room_id id
    );

    /// Passes over the event that a room's lane stands in front of: what of it is not settled is skipped on record,
    /// for the reason `operator`, and can be replayed. If this worker executes it, that is cut off. With `expected`
    /// only if that event is still the head. *Errors*: `not_found`, `room_contended` (the cursor kept moving).
    [[nodiscard]] awaitable<result<skipped_head>> skip_head(
        organization_id organization, room_id id, std::optional<event_index> expected
    );

    /// Delivers again, under the same delivery ids, what failed or was skipped of an event; without one, of the head,
    /// or, where nothing waits, of the event that was delivered last.
    /// *Errors*: `not_found`, `process_timeout`.
    [[nodiscard]] awaitable<result<redelivered_event>> redeliver(
        organization_id organization, room_id id, std::optional<event_id> event
    );

    /// For reads and administration: operations run directly.
    [[nodiscard]] conversation_store& store() noexcept;

    // -- figures -----------------------------------------------------------------------------------

    struct lane_figures {
        organization_id organization;
        room_id room;
        std::size_t queued = 0;
        bool is_delivering = false;
        event_index delivered;
        event_index latest_known;
        bool holds_claim = false;
    };

    [[nodiscard]] std::vector<lane_figures> lanes() const;

    struct lane_times {
        duration_tally claim_wait;  ///< from asking for a claim to having it
        duration_tally handover;    ///< of claims that others wanted: at most how long until let go
    };

    /// Of all lanes since the start.
    [[nodiscard]] lane_times lane_timing() const;

    /// As `room_kit_parts::plan_format`.
    [[nodiscard]] std::int32_t plan_format() const noexcept;

    struct retention_figures {
        std::uint64_t streams = 0;  ///< of runs, removed by this worker since its start
        std::uint64_t runs = 0;
    };

    [[nodiscard]] retention_figures retention() const noexcept;

    struct hook_figures {
        std::size_t asking = 0;          ///< remote hooks that have not answered yet
        std::size_t asking_in_lock = 0;  ///< serial ones among them
        std::size_t kept_out = 0;  ///< hooks that are not asked now, because they kept failing
        std::uint64_t asked = 0;   ///< since the start, like what follows
        std::uint64_t failed = 0;
    };

    [[nodiscard]] hook_figures remote_hooks() const;

    enum class breaker_state : std::uint8_t {
        closed = 1,
        open = 2,     ///< deliveries wait in the outbound queue
        probing = 3,  ///< one attempt finds out
    };

    struct destination_figures {
        channel_id channel;
        std::string address;
        breaker_state breaker = breaker_state::closed;
        std::int64_t waiting = 0;  ///< items in the outbound queue, as far as this worker knows
    };

    /// Destinations where something is wrong or waits, in the order of channel and address.
    [[nodiscard]] std::vector<destination_figures> destinations() const;

    /// The leases that this worker holds.
    [[nodiscard]] std::vector<lease_info> leases() const;

    /// The leases that all workers of the deployment hold, with the worker that holds each: see `lock_manager::list_all`.
    [[nodiscard]] awaitable<result<std::vector<worker_lease>>> all_leases(deadline until);

    /// Takes a lease from its holder, in whichever worker: see `lock_manager::take_away`.
    [[nodiscard]] awaitable<result<lease_release>> take_lease_away(
        lease_name name, stubborn_holder otherwise, deadline until
    );

    /// Takes a lease of its own and gives it back: whether locks can be had at all.
    /// *Errors*: those of `lock_manager::acquire`.
    [[nodiscard]] awaitable<result<>> test_leases(deadline until);

   private:
    class implementation;
    std::unique_ptr<implementation> impl_;
};

/// Builds the warning's words; empty when the pairing is safe. Exposed for `doctor`.
[[nodiscard]] std::string pairing_warning(
    const conversation_store& store, const lock_manager& locks
);

}  // namespace convene
