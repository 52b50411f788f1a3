// SPDX-License-Identifier: Apache-2.0
// The delivery lane of one room in one worker: takes the claim, runs the sets in index order, moves the cursor.
#pragma once

#include "convene/task_scope.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "room/cascade.hpp"
#include "room/engine_core.hpp"
#include "room/lane_entry.hpp"
#include "room/lane_fsm.hpp"
#include "room/set_runner.hpp"

namespace convene {

class room_writer;

/// Drives `lane_fsm` (engine.md 5). Its loop runs while there is something to deliver, and a little longer, so
/// that a busy room keeps its claim; an idle lane holds nothing.
///
/// *Thread safety*: loop only. *Lifetime*: part of a `room_slot`; its tasks run in the slot's scope.
class lane {
   public:
    lane(engine_core* core, task_scope* scope, organization_id organization, room_id room);

    /// Every committed event of this worker comes here, in index order, with or without recipients.
    void enqueue(lane_entry added);

    /// The store may have something for this room that is not queued: a dead worker's events, an unknown
    /// outcome.
    void look_at_store();

    /// Another worker left events of this room to this one.
    void look_further();

    /// Somebody else moved the cursor, or stopped the lane or lets it go on: it is read again before the next step.
    void look_at_cursor();

    /// An operator passed over the events up to `through`: what runs of them is cut off, and has no after-effects.
    void cut_off(event_index through);

    /// From now on what runs is finished, and nothing new is started.
    void start_draining() noexcept;

    [[nodiscard]] bool is_idle() const noexcept { return !is_running_ && entries_.empty(); }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    [[nodiscard]] room_kit::lane_figures figures() const;

    void connect(room_writer* writer) noexcept {
        writer_ = writer;
        sets_.connect(writer);
    }

    /// The kit gives up on what is queued: callers are told that delivery goes on elsewhere.
    void hand_over();

   private:
    // the loop and its turns
    [[nodiscard]] awaitable<void> run();
    [[nodiscard]] awaitable<void> work_under_claim();
    [[nodiscard]] awaitable<void> perform(lane_action action);
    [[nodiscard]] awaitable<void> run_local();
    [[nodiscard]] awaitable<void> run_stored(event_index index);
    [[nodiscard]] awaitable<void> take_over(lane_action action);
    [[nodiscard]] awaitable<void> pass_over(lane_action action);
    [[nodiscard]] awaitable<void> step_over(event_index index);
    [[nodiscard]] awaitable<void> look();
    [[nodiscard]] awaitable<void> wait_for_owner();
    [[nodiscard]] awaitable<void> leave_to_newer();
    [[nodiscard]] awaitable<void> wait_for(monotonic_time at);
    [[nodiscard]] awaitable<void> linger();
    [[nodiscard]] awaitable<void> stand_still();
    [[nodiscard]] awaitable<void> pause(std::chrono::milliseconds span);

    // one set
    [[nodiscard]] awaitable<void> execute(lane_entry entry, set_mode mode);
    [[nodiscard]] awaitable<result<std::shared_ptr<const room_context>>> context_for(
        config_version decided_in
    );
    [[nodiscard]] awaitable<result<>> finish(ops::finish_set step);
    void complete(lane_entry& entry, const set_outcome& outcome);
    void start_after_effects(const lane_entry& entry);

    // the claim
    [[nodiscard]] awaitable<result<>> take_claim();
    [[nodiscard]] awaitable<result<>> write_claimer();
    [[nodiscard]] awaitable<void> read_cursor_again();
    [[nodiscard]] awaitable<void> release_claim();
    void note_whether_wanted() noexcept;
    [[nodiscard]] awaitable<result<std::vector<delivery_row>>> adopt(event_index through);
    [[nodiscard]] awaitable<void> adopt_behind_cursor();
    [[nodiscard]] awaitable<void> start_behind_cursor(std::vector<delivery_row> rows);
    [[nodiscard]] bool claim_is_gone() const noexcept;

    void start();

    [[nodiscard]] bool has_work() const noexcept { return !entries_.empty() || must_look_; }

    void drop_stale_entries();
    [[nodiscard]] event_index rowless_run_from(event_index after);
    [[nodiscard]] lane_view view() const;

    // fixed after construction
    engine_core& core_;
    task_scope& scope_;
    const organization_id organization_;
    const room_id room_;
    room_writer* writer_ = nullptr;  ///< set once, before anything runs

    // touched on the loop only
    std::map<event_index, lane_entry> entries_;
    std::vector<lane_entry> stepped_;  ///< rowless entries that the step being made completes
    bool is_running_ = false;
    bool is_acting_ = false;  ///< between two looks at what to do next
    bool is_draining_ = false;
    bool must_look_ = false;
    bool must_adopt_ = false;
    bool must_read_cursor_ = false;
    event_index passed_through_;  ///< by an operator
    wait_flag wake_;
    std::unique_ptr<cancel_source> running_;  ///< of the set that runs
    std::unique_ptr<lease> claim_;
    std::optional<monotonic_time> asked_at_;  ///< since when the claim is waited for
    monotonic_time claimed_at_{};
    monotonic_time unwanted_at_{};  ///< when nobody else wanted the claim, last
    delivery_cursor cursor_;
    std::optional<ops::load_lane::answer> stored_;
    lane_fsm fsm_;
    set_runner sets_;
};

}  // namespace convene
