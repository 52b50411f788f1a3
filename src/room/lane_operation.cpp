// SPDX-License-Identifier: Apache-2.0
// Operating lanes by hand.
#include "room/lane_operation.hpp"

#include <algorithm>
#include <utility>

#include "room/lane_fsm.hpp"
#include "room/pass_over.hpp"
#include "room/room_directory.hpp"
#include "room/room_hold.hpp"
#include "store/operations/operating.hpp"

namespace convene {

namespace {

/// The cursor may move while the head is being passed over; then what is the head is decided again.
constexpr int tries = 3;

}  // namespace

// ---- stopping and going on -------------------------------------------------------------------------------

awaitable<result<lane_change>> lane_operation::pause(
    organization_id organization, room_id room, deadline patience
) {
    ops::set_lane_state request{organization, room, ops::lane_state::paused};
    const auto stopped = co_await core_.store.run(std::move(request));
    if (!stopped) {
        co_return stopped.error();
    }
    lane_change change;
    change.cursor = stopped->cursor;
    change.verdict = stopped->is_changed ? lane_verdict::done : lane_verdict::already_so;
    if (const auto slot = core_.rooms->find(room)) {
        slot->deliveries.look_at_cursor();
    }
    change.is_settled = co_await wait_for_claim(std::move(organization), std::move(room), patience);
    co_return change;
}

/// Whoever holds the claim runs a set, or is about to see that the lane is stopped.
awaitable<bool> lane_operation::wait_for_claim(
    organization_id organization, room_id room, deadline until
) {
    lease_name name = lease_name::delivery(organization, room);
    const auto claim = co_await core_.claims.acquire(std::move(name), until);
    if (!claim) {
        co_return false;
    }
    const result<> back = co_await shielded((*claim)->release());
    static_cast<void>(back);  // it was ours for a moment, which is all that is asked
    co_return true;
}

awaitable<result<lane_change>> lane_operation::resume(organization_id organization, room_id room) {
    ops::set_lane_state request{organization, room, ops::lane_state::running};
    const auto running = co_await core_.store.run(std::move(request));
    if (!running) {
        co_return running.error();
    }
    lane_change change;
    change.cursor = running->cursor;
    change.verdict = running->is_changed ? lane_verdict::done : lane_verdict::already_so;
    if (running->is_changed) {
        // Also where no worker has the room: what waits may be nobody's.
        const auto slot = core_.rooms->open(organization, room);
        slot->deliveries.look_at_cursor();
        slot->deliveries.look_at_store();
    }
    co_return change;
}

// ---- passing over the head -------------------------------------------------------------------------------

awaitable<result<skipped_head>> lane_operation::skip(
    organization_id organization, room_id room, std::optional<event_index> expected
) {
    ops::get_room request{organization, room};
    const auto found = co_await core_.store.run(std::move(request));
    if (!found) {
        co_return found.error();
    }
    for (int i = 0; i < tries; ++i) {
        auto skipped = co_await try_skip(organization, room, expected);
        if (skipped || skipped.error() != errc::claim_lost) {
            co_return skipped;
        }
    }
    co_return errc::room_contended;
}

awaitable<result<skipped_head>> lane_operation::try_skip(
    organization_id organization, room_id room, std::optional<event_index> expected
) {
    ops::get_cursor where_it_stands{room};
    const auto cursor = co_await core_.store.run(std::move(where_it_stands));
    if (!cursor) {
        co_return cursor.error();
    }
    ops::load_lane head_of{room, cursor->delivered.next(), 1};
    auto stored = co_await core_.store.run(std::move(head_of));
    if (!stored) {
        co_return stored.error();
    }
    lane_standing standing{cursor->delivered, std::nullopt, expected};
    skipped_head answer;
    if (!stored->empty()) {
        answer.head = stored->front().event.index;
        answer.event = stored->front().event.id;
        standing.head = answer.head;
    }
    answer.verdict = judge_skip(standing);
    if (answer.verdict != lane_verdict::done) {
        co_return answer;
    }

    // A stream holds nobody up: it goes on.
    std::erase_if(stored->front().rows, [](const delivery_row& row) {
        return is_settled(row.state);
    });
    answer.skipped = stored->front().rows.size();

    // Raising the epoch fences whoever executes the head now. The claimer stays: nobody has the claim anew.
    ops::claim_cursor fence{room, cursor->claimer, cursor->claim_epoch, std::nullopt};
    const auto fenced = co_await core_.store.run(std::move(fence));
    if (!fenced) {
        co_return fenced.error();
    }
    ops::finish_set step = make_pass_over(organization, cursor->delivered, *stored, "operator");
    step.claim_epoch = fenced->claim_epoch;
    const auto passed = co_await shielded(core_.store.run(std::move(step)));
    if (!passed) {
        co_return passed.error();
    }
    core_.notices_stored.set();
    if (const auto slot = core_.rooms->find(room)) {
        slot->deliveries.cut_off(answer.head);
    }
    co_return answer;
}

// ---- delivering again ------------------------------------------------------------------------------------

/// The event that is meant where none is named.
awaitable<result<std::optional<event_id>>> lane_operation::find_target(
    organization_id organization, room_id room
) {
    ops::get_room request{organization, room};
    const auto found = co_await core_.store.run(std::move(request));
    if (!found) {
        co_return found.error();
    }
    ops::load_lane in_front{room, found->delivered_index.next(), 1};
    const auto waiting = co_await core_.store.run(std::move(in_front));
    if (!waiting) {
        co_return waiting.error();
    }
    lane_standing standing{found->delivered_index, std::nullopt, std::nullopt};
    if (!waiting->empty()) {
        standing.head = waiting->front().event.index;
    }
    const std::optional<event_index> target = redelivery_target(standing);
    if (!target) {
        co_return std::optional<event_id>{};
    }
    ops::load_lane at{room, *target, 1};
    const auto meant = co_await core_.store.run(std::move(at));
    if (!meant) {
        co_return meant.error();
    }
    const bool is_there = !meant->empty() && meant->front().event.index == *target;
    co_return is_there ? std::optional{meant->front().event.id} : std::nullopt;
}

/// No answer came: items may be in the queue, and rows open, that nobody here was told of. Call it before the room is let go.
void lane_operation::expect_lost(
    error_code failure, const organization_id& organization, const room_id& room
) {
    if (failure == condition::outcome_unknown) {
        core_.order.doubt(room);
        core_.outbound.notify_deferred({});
        core_.rooms->open(organization, room)->deliveries.look_at_store();
    }
}

awaitable<result<redelivered_event>> lane_operation::redeliver(
    organization_id organization, room_id room, std::optional<event_id> event, deadline until
) {
    redelivered_event answer;
    answer.verdict = lane_verdict::nothing_missed;
    if (!event) {
        auto target = co_await find_target(organization, room);
        if (!target) {
            co_return target.error();
        }
        event = std::move(*target);
    }
    if (!event) {
        co_return answer;
    }
    answer.event = *event;

    // Nothing is delivered to a destination between its items' coming into the queue and its being known that they did.
    auto held = co_await hold_room(&core_, organization, room, until);
    if (!held) {
        co_return held.error();
    }
    ops::redeliver_event request{organization, room, *event};
    const auto opened = co_await shielded(core_.store.run(std::move(request)));
    if (opened && !opened->queued.empty()) {
        core_.outbound.notify_deferred(opened->queued);
    }
    expect_lost(opened ? error_code{} : opened.error(), organization, room);
    co_await shielded(let_go(std::move(*held)));
    if (!opened) {
        co_return opened.error();
    }
    if (opened->reopened > 0) {
        core_.rooms->open(organization, room)->deliveries.look_at_store();
    }
    answer.queued = opened->queued.size();
    answer.reopened = static_cast<std::size_t>(opened->reopened);
    answer.left = static_cast<std::size_t>(opened->left);
    if (answer.queued + answer.reopened > 0) {
        answer.verdict = lane_verdict::done;
    }
    co_return answer;
}

awaitable<result<replayed_skip>> lane_operation::replay(
    organization_id organization, std::int64_t skip, deadline until
) {
    ops::list_skips wanted{std::nullopt, skip - 1, 1};
    const auto found = co_await core_.store.run(std::move(wanted));
    if (!found) {
        co_return found.error();
    }
    if (found->empty() || found->front().id != skip) {
        co_return errc::not_found;
    }
    const room_id room = found->front().room;
    // As in `redeliver`.
    auto held = co_await hold_room(&core_, organization, room, until);
    if (!held) {
        co_return held.error();
    }
    ops::replay_skip request{organization, skip};
    const auto replayed = co_await shielded(core_.store.run(std::move(request)));
    if (replayed && !replayed->queued.empty()) {
        core_.outbound.notify_deferred(replayed->queued);
    }
    expect_lost(replayed ? error_code{} : replayed.error(), organization, room);
    co_await shielded(let_go(std::move(*held)));
    if (!replayed) {
        co_return replayed.error();
    }
    if (replayed->reopened > 0) {
        core_.rooms->open(organization, room)->deliveries.look_at_store();
    }
    co_return replayed_skip{
        replayed->is_replayed_before,
        replayed->queued.size(),
        static_cast<std::size_t>(replayed->reopened),
        static_cast<std::size_t>(replayed->left),
    };
}

}  // namespace convene
