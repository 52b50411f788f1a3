// SPDX-License-Identifier: Apache-2.0
// The sessions of one worker: who drives, since when, until when (A1 to A3, N1 to N5).
#pragma once

#include "convene/lease.hpp"
#include "convene/random.hpp"
#include "convene/room_kit.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/session/approval_desk.hpp"
#include "agent/session/run_log.hpp"
#include "agent/session/session_driver.hpp"
#include "agent/session/turn_order.hpp"
#include "agent/session/turn_runner.hpp"
#include "base/uuid.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

/// Whether whoever starts a run reads its stream.
enum class run_starter : std::uint8_t { reads, leaves };

struct session_settings {
    std::chrono::milliseconds lease_wait{5'000
    };  ///< for a run that is ending: abort and retry works
    std::chrono::milliseconds turn_timeout{std::chrono::hours{1}};
    std::chrono::milliseconds starter_patience{5'000
    };  ///< for a starter that does not take the end
    std::chrono::milliseconds grace{30'000};  ///< of `disconnect_policy::grace`
    std::size_t concurrency = 4;              ///< turns that nobody's request drives, at once
    std::int32_t most_attempts = 5;           ///< of a turn; beyond it an operator has to look
    std::chrono::milliseconds poll_interval{2'000};  ///< where the news of a turn was lost
};

/// Owns none of them; they outlive the service.
struct session_parts {
    executor* where = nullptr;
    room_kit* kit = nullptr;
    lock_manager* locks = nullptr;
    run_log* streams = nullptr;
    const wall_clock* clock = nullptr;
    random_source* random = nullptr;

    /// The agent that a channel is, as it is now. *Errors*: `channel_not_registered`.
    std::function<result<session_agent>(const channel_id&)> agents;

    /// Gives the agent what it needs besides for what the session is for, which is as its driver has it from here on.
    /// Unset: nothing. *Errors*: the turn is tried again later.
    std::function<awaitable<result<>>(agent_session, session_agent*)> equip;

    /// Tells other workers: there is a turn to be run.
    std::function<void()> announce_turn;

    /// Tells other workers: a run is to end.
    std::function<void(const agent_run_record&)> announce_cancel;

    /// Tells those who watch it, here and at other workers: a session runs, has ended its run, asks, or is answered.
    /// Unset: nobody watches.
    std::function<void(const organization_id&, const room_id&)> announce_session;
};

/// One driver of a session at a time, in the whole deployment: it holds the session's lease from before the first answer to
/// the request until its last frame is stored and its starter has it. A turn that a worker leaves behind is run to its end
/// by another one, in the same stream.
///
/// *Thread safety*: loop only. *Lifetime*: `stop` before it is destroyed.
class session_service {
   public:
    session_service(session_parts with, session_settings settings);
    ~session_service();

    session_service(const session_service&) = delete;
    session_service& operator=(const session_service&) = delete;

    /// Runs turns that nobody's request drives, from here on.
    void start_runner();

    /// Makes a room a session of an agent that is bound to it. *Errors*: `not_found`, `channel_not_registered` (no such agent, or
    /// it is not in the room), store errors.
    [[nodiscard]] awaitable<result<agent_session>> open(
        organization_id organization, room_id room, channel_id agent, std::string owner
    );

    using answers = approval_desk::answers;

    /// Starts a run, and answers once it is certain that it is the only one. One that only answers acts for the session's
    /// owner; whoever says something besides acts for itself.
    /// *Errors*: `not_found` (no session), `session_run_in_progress`, `tool_call_not_open`, `channel_not_registered`,
    /// `room_closed`, `unavailable` (this worker goes away), those of `ops::decide_approvals`, store and lease errors.
    [[nodiscard]] awaitable<result<agent_run_record>> start(
        organization_id organization,
        room_id room,
        turn_order order,
        std::string started_by,
        run_starter starter,
        answers given = {}
    );

    /// Decides approvals; with the last one that is open the session goes on, on whichever worker has a free hand, for its
    /// owner. *Errors*: as `ops::decide_approvals`.
    [[nodiscard]] awaitable<result<ops::decide_approvals::answer>> decide(
        organization_id organization, room_id room, answers given
    );

    /// Queues a turn for whichever worker has a free hand, `delay` from now at the soonest. *Errors*: as `ops::queue_turn`.
    [[nodiscard]] awaitable<result<session_turn>> queue(
        session_turn turn, std::chrono::milliseconds delay = {}
    );

    /// *Errors*: as `ops::cancel_wake`.
    [[nodiscard]] awaitable<result<session_turn>> cancel_wake(ops::cancel_wake which);

    /// Lets a turn that failed or is quarantined be run again. *Errors*: as `ops::retry_turn`.
    [[nodiscard]] awaitable<result<session_turn>> retry(ops::retry_turn which);

    /// A turn was queued together with something else.
    void turn_was_queued();

    /// Ends a run, wherever it is driven. Answers the run as it was. *Errors*: `not_found`, store errors.
    [[nodiscard]] awaitable<result<agent_run_record>> cancel(
        organization_id organization, run_id run
    );

    /// Another worker says that a run is to end.
    void hear_cancel(const run_id& run);

    /// It may have said so while nobody heard.
    [[nodiscard]] awaitable<void> look_for_cancels();

    /// There may be turns to run.
    void wake() noexcept { runner_.wake(); }

    // -- the starter's stream ----------------------------------------------------------------------

    // Whoever started it reads it here: the lease is kept until the end has been taken, or it leaves.

    void starter_took_end(const run_id& run);

    /// It reads again.
    void starter_came_back(const run_id& run);

    /// By the run's policy this may end it.
    void starter_left(const run_id& run);

    // -- figures -----------------------------------------------------------------------------------

    [[nodiscard]] std::size_t driving() const noexcept { return runs_.size(); }

    struct tally {
        std::uint64_t started = 0;
        std::uint64_t refused = 0;  ///< the session was being driven
        std::uint64_t takeovers = 0;
        std::uint64_t handed_over = 0;
        std::uint64_t fenced = 0;
        std::uint64_t quarantined = 0;
        std::map<run_status, std::uint64_t> ended;  ///< by what became of them
        duration_tally run_time;           ///< of those that ended, as far as they were driven here
        duration_tally until_first_frame;  ///< from the queueing of the turn on
    };

    [[nodiscard]] const tally& counted() const noexcept { return counted_; }

    /// Takes no more, hands over what is driven, and returns when all leases are released.
    [[nodiscard]] awaitable<void> stop();

   private:
    class starting_request;
    struct driven_run;

    [[nodiscard]] awaitable<result<agent_run_record>> start_under(
        std::unique_ptr<lease>* held,
        organization_id organization,
        room_id room,
        turn_order order,
        std::string started_by,
        run_starter starter,
        answers given
    );

    /// The turn that a run is begun with.
    [[nodiscard]] awaitable<result<session_turn>> queue_order(
        agent_session session, turn_order* order, std::string started_by, answers given
    );
    [[nodiscard]] awaitable<result<>> check_format(agent_session session);

    /// Takes the lease where it answers a run.
    [[nodiscard]] awaitable<result<agent_run_record>> begin(
        std::unique_ptr<lease>* held,
        session_turn turn,
        turn_order order,
        std::string started_by,
        run_starter starter
    );
    [[nodiscard]] awaitable<void> drive(
        std::unique_ptr<lease> held, std::shared_ptr<driven_run> one
    );
    [[nodiscard]] awaitable<void> settle_doubt(std::unique_ptr<lease> held, agent_run_record begun);
    [[nodiscard]] awaitable<void> give_back(ops::requeue_turn back);
    [[nodiscard]] awaitable<void> end_after_grace(run_id run);

    [[nodiscard]] awaitable<void> watch_approvals();
    [[nodiscard]] awaitable<void> run_turn(std::unique_ptr<lease> held, session_turn turn);
    void count_end(const driven_run& one, const agent_run_record& run);
    void tell_of_session(const organization_id& organization, const room_id& room) const;

    [[nodiscard]] turn_runner::parts runner_parts();
    void request_stop(driven_run* one, stop_reason why);

    // fixed after construction
    const session_parts with_;
    const session_settings settings_;

    // touched on the loop only
    id_generator ids_;
    approval_desk desk_;
    std::unordered_map<run_id, std::shared_ptr<driven_run>> runs_;
    bool is_stopping_ = false;
    cancel_source stopping_;    ///< whoever still waits to start a run
    std::size_t starting_ = 0;  ///< requests that may still begin one
    wait_flag start_ended_;
    tally counted_;
    turn_runner runner_;

    // the last member: its tasks use the others
    task_scope scope_;
};

}  // namespace convene
