// SPDX-License-Identifier: Apache-2.0
// Turn return: tries again for as long as the answer may become another one.
#include "agent/session/turn_return.hpp"

#include <utility>

#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::chrono::milliseconds between_tries{250};

/// So long after it was sent it could still be stored.
constexpr int looks_in_doubt = 40;

/// Until a turn is tried again for which the store did not take what had to be written.
constexpr std::chrono::seconds before_another_try{1};

/// Whether nothing has become of a turn that was to be run: it is still due, and the next look would find it at once.
awaitable<bool> is_as_it_was(room_kit* kit, session_turn due) {
    ops::get_turn look{due.organization, due.id};
    const auto now = co_await kit->store().run(std::move(look));
    co_return !now ||
        (now->status == due.status && now->epoch == due.epoch && now->not_before == due.not_before);
}

}  // namespace

ops::requeue_turn lost_turn(turn_id turn, std::int64_t epoch) {
    ops::requeue_turn back;
    back.turn = std::move(turn);
    back.epoch = epoch;
    back.is_handed_over = true;  // nobody crashed: it is no attempt that counts
    back.error = "lease_lost";
    return back;
}

ops::requeue_turn refused_turn(turn_id turn, std::int64_t epoch) {
    ops::requeue_turn back;
    back.turn = std::move(turn);
    back.epoch = epoch;
    back.delay = before_another_try;
    back.error = "not_stored";
    return back;
}

awaitable<void> pause_where_still_due(room_kit* kit, session_turn due) {
    const bool is_still_due = co_await is_as_it_was(kit, std::move(due));
    if (is_still_due) {
        const result<> paused = co_await sleep_for(before_another_try);
        static_cast<void>(paused);  // cut off, its caller looks no more
    }
}

awaitable<bool> give_turn_back(room_kit* kit, const task_scope* until, ops::requeue_turn back) {
    while (!until->is_stopping()) {
        ops::requeue_turn request = back;
        const auto queued = co_await kit->store().run(std::move(request));
        if (queued) {
            co_return true;
        }
        const bool may_pass = queued.error() == condition::retryable ||
                              queued.error() == condition::outcome_unknown;
        if (!may_pass || queued.error() == errc::incarnation_dead) {
            co_return false;
        }
        const result<> slept = co_await sleep_for(between_tries);
        if (!slept) {
            co_return false;
        }
    }
    co_return false;
}

awaitable<bool> undo_beginning(room_kit* kit, const task_scope* until, agent_run_record begun) {
    for (int looks = 0; looks < looks_in_doubt && !until->is_stopping();) {
        ops::get_run look{begun.organization, begun.id};
        const auto stored = co_await kit->store().run(std::move(look));
        if (stored && stored->worker == begun.worker) {
            ops::requeue_turn back;
            back.turn = begun.turn;
            back.epoch = stored->epoch;
            back.is_handed_over = true;
            const auto queued = co_await kit->store().run(std::move(back));
            if (queued) {
                co_return true;
            }
        }
        looks += stored || stored.error() == errc::not_found ? 1 : 0;
        const result<> slept = co_await sleep_for(between_tries);
        static_cast<void>(slept);  // whoever cancels it stops the scope
    }
    co_return false;
}

}  // namespace convene
