// SPDX-License-Identifier: Apache-2.0
// Lane decisions: strictly by index, never past a local entry, never past a live owner.
#include "room/lane_fsm.hpp"

#include "base/mutant.hpp"

namespace convene {

namespace {

using what = lane_action::what;

/// Takeovers of one head before its event counts as poison, and how long each waits (engine.md 5).
constexpr std::int32_t takeovers_before_poison = 3;
constexpr std::chrono::milliseconds wait_before_second{5'000};
constexpr std::chrono::milliseconds wait_before_third{30'000};

lane_action act(what action, event_index index = {}) {
    lane_action decided;
    decided.action = action;
    decided.index = index;
    return decided;
}

lane_action skip_to(event_index index, const char* reason) {
    lane_action decided = act(what::skip, index);
    decided.reason = reason;
    return decided;
}

}  // namespace

lane_action lane_fsm::next(const lane_view& view) {
    const event_index head = view.delivered.next();
    const bool has_work = view.first_local.has_value() || view.must_look;
    if (view.is_paused && has_work) {
        return act(what::stand_still, head);
    }
    if (view.first_local == head) {
        return act(what::run_local, head);
    }
    if (!view.first_local && !view.must_look) {
        return act(what::rest);
    }
    if (!view.stored) {
        return act(what::look);
    }
    return decide_by_store(view);
}

lane_action lane_fsm::decide_by_store(const lane_view& view) {
    if (view.stored->empty()) {
        return act(what::rest);
    }
    const lane_head& head = view.stored->front();

    // Indexes that are missing between the cursor and the next event were hard-deleted.
    if (head.index > view.delivered.next()) {
        return act(what::step_over, head.index.previous());
    }

    switch (head.owner) {
        case head_owner::nobody_needed:
            return act(what::step_over, end_of_nobodys(view));
        case head_owner::me:
            return act(what::run_stored, head.index);
        case head_owner::live_other:
            return act(what::wait_for_owner, head.index);
        case head_owner::newer:
            return act(what::leave_to_newer, head.index);
        case head_owner::handed_over:
        case head_owner::dead:
            return recover(view, head.owner);
    }
    return act(what::rest);
}

lane_action lane_fsm::recover(const lane_view& view, head_owner owner) {
    const event_index head = view.delivered.next();
    if (policy_.recovery == delivery_recovery::skip && owner == head_owner::dead) {
        return wait_then(view, policy_.gap_timeout, skip_to(end_of_hole(view), "gap_timeout"));
    }

    lane_action take = act(what::take_over, head);
    if (owner == head_owner::handed_over) {
        return take;
    }

    take.is_crash_takeover = true;
    if (view.takeovers == 0) {
        return take;
    }
    if (view.takeovers == 1) {
        return wait_then(view, wait_before_second, take);
    }
    take.is_one_by_one = true;
    if (view.takeovers < takeovers_before_poison) {
        return wait_then(view, wait_before_third, take);
    }
    return skip_to(head, "poison");
}

lane_action lane_fsm::wait_then(
    const lane_view& view, std::chrono::milliseconds span, lane_action then
) {
    const event_index head = view.delivered.next();
    if (hole_ != head) {
        hole_ = head;
        hole_since_ = view.now;
    }
    if (view.now >= hole_since_ + span) {
        return then;
    }
    lane_action waiting = act(what::wait, head);
    waiting.until = hole_since_ + span;
    return waiting;
}

/// The last of the events that follow one another and need nobody, short of the first local entry.
event_index lane_fsm::end_of_nobodys(const lane_view& view) {
    event_index end = view.delivered;
    for (const lane_head& stored : *view.stored) {
        const bool is_local = view.first_local && stored.index >= *view.first_local;
        if (is_local || stored.owner != head_owner::nobody_needed || stored.index != end.next()) {
            break;
        }
        end = stored.index;
    }
    return end;
}

/// The last of the consecutive events whose owners are dead, short of the first local entry.
event_index lane_fsm::end_of_hole(const lane_view& view) const {
    event_index end = view.delivered;
    for (const lane_head& stored : *view.stored) {
        const bool is_local = view.first_local && stored.index >= *view.first_local;
        if (is_local && !CONVENE_MUTANT("skip_past_local_plan")) {
            break;
        }
        // What needs nobody in between is passed, but doesn't make the hole longer.
        if (stored.owner == head_owner::nobody_needed) {
            continue;
        }
        if (stored.owner != head_owner::dead && !CONVENE_MUTANT("skip_past_local_plan")) {
            break;
        }
        end = stored.index;
    }
    return end;
}

lane_verdict judge_skip(const lane_standing& lane) {
    if (!lane.head) {
        return lane_verdict::nothing_waits;
    }
    if (lane.expected && lane.expected != lane.head) {
        return lane_verdict::head_moved;
    }
    return lane_verdict::done;
}

std::optional<event_index> redelivery_target(const lane_standing& lane) {
    if (lane.head) {
        return lane.head;
    }
    if (lane.delivered == event_index::none()) {
        return std::nullopt;
    }
    return lane.delivered;
}

}  // namespace convene
