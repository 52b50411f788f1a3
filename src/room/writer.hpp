// SPDX-License-Identifier: Apache-2.0
// The writer of one room in one worker: takes what is queued as a batch, decides under the lock, commits once.
#pragma once

#include "convene/task_scope.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "room/batch.hpp"
#include "room/engine_core.hpp"
#include "room/plan.hpp"
#include "room/submission.hpp"

namespace convene {

class lane;

/// Group commit of a room (engine.md 1). It exists on demand and holds no lock while idle.
///
/// *Thread safety*: loop only. *Lifetime*: part of a `room_slot`; its loop runs in the slot's scope.
class room_writer {
   public:
    room_writer(
        engine_core* core,
        lane* deliveries,
        task_scope* scope,
        organization_id organization,
        room_id room
    );

    /// Queues a proposal and waits for its commit.
    ///
    /// *Cancellation*: until its commit is sent nothing is stored; afterwards the commit's outcome is awaited.
    /// *Errors*: those of `room_kit::send_event`.
    [[nodiscard]] awaitable<result<committed_event>> submit(
        proposal proposed, std::shared_ptr<cascade> caused, deadline until
    );

    /// Commits a proposal at once on the lock that is held: for a hook that sends into its own room. What was
    /// decided so far is committed before it.
    /// *Requires*: called from inside a hook of this writer (`call_chain::lock_holder`).
    [[nodiscard]] awaitable<result<committed_event>> commit_inside(
        proposal proposed, std::shared_ptr<cascade> caused
    );

    /// The room as it was at the last commit or decision here; null if there was none.
    [[nodiscard]] std::shared_ptr<const room_context> known() const noexcept {
        return shared_context_;
    }

    /// Others are asked about the room's events before they are stored.
    [[nodiscard]] bool has_remote_hooks() const noexcept { return !hooks_.empty(); }

    [[nodiscard]] bool is_full() const noexcept { return queue_.size() >= max_queued; }

    [[nodiscard]] bool is_idle() const noexcept { return queue_.empty() && !is_running_; }

    /// Ends every waiting submission with `unavailable`.
    void refuse_all();

   private:
    static constexpr std::size_t max_queued = 4096;

    [[nodiscard]] awaitable<void> run();
    [[nodiscard]] awaitable<void> run_batch();
    [[nodiscard]] std::vector<std::shared_ptr<submission>> take_batch();

    [[nodiscard]] incarnation_id deliverer_for(
        const batch& building, const std::vector<delivery_row>& rows
    ) const;
    void leave_to_other(const batch& building, const std::vector<decided_event>& stored);

    [[nodiscard]] ops::load_room_head head_for(const std::vector<std::shared_ptr<submission>>& batch
    ) const;
    [[nodiscard]] awaitable<result<>> refresh_context(
        room current, config_version organization_config
    );
    [[nodiscard]] awaitable<result<std::vector<room_event>>> load_references(
        const std::vector<std::shared_ptr<submission>>* batch
    );

    // Remote hooks, in writer_hooks.cpp.
    [[nodiscard]] awaitable<void> ask_before_lock(
        const std::vector<std::shared_ptr<submission>>* taken, deadline until
    );
    [[nodiscard]] awaitable<void> ask_about(
        std::shared_ptr<submission> one,
        remote_question question,
        std::vector<shared_remote_hook> hooks
    );
    [[nodiscard]] remote_question question_about(const submission& one, const room_event& event)
        const;
    [[nodiscard]] std::size_t count_asked(const room_event& event) const;
    [[nodiscard]] bool has_current_verdict(const submission& one) const noexcept;
    [[nodiscard]] bool must_ask(const submission& one, const room_event& event) const;
    [[nodiscard]] awaitable<result<hook_chain_outcome>> run_hooks(
        std::shared_ptr<submission> next, room_event event
    );
    [[nodiscard]] awaitable<result<>> run_serial_hooks(
        std::shared_ptr<submission> next, hook_input* input, hook_chain_outcome* chain
    );
    [[nodiscard]] awaitable<result<>> run_local_hooks(
        const proposal* proposed, hook_input input, hook_chain_outcome* chain
    );
    void count_as_failed(
        const room_event& event, hook_mode mode, const hook_input& input, hook_chain_outcome* chain
    ) const;

    [[nodiscard]] awaitable<void> decide(batch* building, std::shared_ptr<submission> next);
    [[nodiscard]] awaitable<result<>> flush(batch* building, unlock_mode after);
    [[nodiscard]] awaitable<void> finish_failed(batch* building, error_code failure);
    [[nodiscard]] awaitable<void> settle_unknown(batch* building);
    [[nodiscard]] awaitable<result<>> leave(batch* building);
    [[nodiscard]] awaitable<void> store_refusals(batch* building);

    void add_decided(
        batch* building,
        std::shared_ptr<submission> asked_by,
        conclusion concluded,
        const proposal& proposed
    );
    void add_event(
        batch* building,
        std::shared_ptr<submission> asked_by,
        std::shared_ptr<cascade> caused,
        conclusion concluded,
        const proposal& proposed
    );
    void place(batch* building, room_event* event) const;
    [[nodiscard]] plan_inputs plan_inputs_for(const proposal& proposed, const room_event& event)
        const;

    void distribute(batch* building, wall_time committed_at);
    void tell_listener(const std::vector<decided_event>& stored) const;
    static void answer_repeats(batch* building, const std::vector<decided_event>& stored);
    void try_again(batch* building, errc when_exhausted);

    // fixed after construction
    engine_core& core_;
    lane& lane_;
    task_scope& scope_;
    const organization_id organization_;
    const room_id room_;

    // touched on the loop only
    std::deque<std::shared_ptr<submission>> queue_;
    bool is_running_ = false;
    room_context context_;  ///< the room row as of the last lock, or as read before it
    config_version organization_config_ = 0;
    std::vector<shared_remote_hook> hooks_;  ///< as of that row, in their order
    std::shared_ptr<const room_context>
        shared_context_;        ///< for lanes; replaced when `config` changes
    batch* current_ = nullptr;  ///< while hooks run under the lock
};

}  // namespace convene
