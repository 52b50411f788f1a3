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

}  // namespace

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
