// SPDX-License-Identifier: Apache-2.0
// Decides what a room's lane does next while it holds the delivery claim. No I/O: see `lane.hpp` for the driver.
#pragma once

#include "convene/ids.hpp"
#include "convene/room_kit.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace convene {

/// Who executes an event, as the store tells.
enum class head_owner : std::uint8_t {
    nobody_needed,  ///< it has no open rows: only the cursor has to step
    me,
    live_other,   ///< its worker lives: the event is never taken from it
    handed_over,  ///< its worker stopped in order and left it to anybody
    dead,         ///< its worker is proven dead
    newer,  ///< nobody alive has it, and its plan is of a format that this worker does not read
};

/// An event beyond the cursor, as stored.
struct lane_head {
    event_index index;
    head_owner owner = head_owner::nobody_needed;
};

/// All that the decision depends on.
struct lane_view {
    event_index delivered;                   ///< the cursor
    std::optional<event_index> first_local;  ///< the first queued entry beyond the cursor
    bool must_look = false;  ///< somebody said that the store has more than the queue
    std::optional<std::vector<lane_head>>
        stored;                  ///< the next stored events; unset: not looked yet
    std::int32_t takeovers = 0;  ///< of the head, so far
    bool is_paused = false;      ///< by an operator
    monotonic_time now{};
};

struct lane_policy {
    delivery_recovery recovery = delivery_recovery::redeliver;
    std::chrono::milliseconds gap_timeout{30'000};
};

/// What to do. Exactly one of these at a time.
struct lane_action {
    enum class what : std::uint8_t {
        rest,            ///< nothing to do
        stand_still,     ///< an operator stopped the lane: let go of the claim until it may go on
        run_local,       ///< execute the queued entry at `index`
        look,            ///< read the next stored events
        step_over,       ///< move the cursor to `index`: nothing on the way needs executing
        run_stored,      ///< execute the stored event at `index`: it is ours, but not queued
        take_over,       ///< adopt the rows of the event at `index` and execute it
        skip,            ///< pass over [delivered + 1, index] on record, for `reason`
        wait_for_owner,  ///< a live worker has the head: let go of the claim and wait
        leave_to_newer,  ///< the head is for a newer worker: let go of the claim, and never pass it
        wait,            ///< look again at `until`
    };

    what action = what::rest;
    event_index index;
    monotonic_time until{};
    const char* reason = "";
    bool is_crash_takeover = false;  ///< counts against poison
    bool is_one_by_one = false;      ///< the last try: one target at a time
};

/// The machine of one lane. It remembers since when a hole is waited for.
class lane_fsm {
   public:
    explicit lane_fsm(lane_policy policy) : policy_(policy) {}

    [[nodiscard]] lane_action next(const lane_view& view);

   private:
    [[nodiscard]] lane_action decide_by_store(const lane_view& view);
    [[nodiscard]] lane_action recover(const lane_view& view, head_owner owner);
    [[nodiscard]] lane_action wait_then(
        const lane_view& view, std::chrono::milliseconds span, lane_action then
    );
    [[nodiscard]] event_index end_of_hole(const lane_view& view) const;
    [[nodiscard]] static event_index end_of_nobodys(const lane_view& view);

    // fixed after construction
    lane_policy policy_;

    // the hole being waited for, and since when
    event_index hole_;
    monotonic_time hole_since_{};
};

// ---- what operators do by hand -------------------------------------------------------------------------------

/// A lane as an operator's request meets it.
struct lane_standing {
    event_index delivered;                ///< the cursor
    std::optional<event_index> head;      ///< the first stored event in front of it
    std::optional<event_index> expected;  ///< the head that the operator saw, where they said so
};

/// Whether the head may be passed over by hand. Nobody's life is asked for: it is the operator's word against the
/// worker's.
[[nodiscard]] lane_verdict judge_skip(const lane_standing& lane);

/// The event that is meant where none is named: the head, or, where nothing waits, the last one that was delivered.
[[nodiscard]] std::optional<event_index> redelivery_target(const lane_standing& lane);

}  // namespace convene
