// SPDX-License-Identifier: Apache-2.0
// Steps that wait, the turn to write for all of them, and the trial of each by itself.
#include "store/step_batches.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/mutant.hpp"

namespace convene {

namespace {

/// What one transaction holds: others wait for all of it.
constexpr std::size_t max_steps = 64;

}  // namespace

struct step_batches::waiting {
    explicit waiting(ops::finish_set wanted)
        : step(std::make_shared<const ops::finish_set>(std::move(wanted))) {}

    const std::shared_ptr<const ops::finish_set> step;
    std::optional<result<ops::finish_set::answer>> outcome;
    bool is_alone = false;  ///< it, or another of its batch, can't be stored
    wait_flag woken;        ///< it has its outcome, or it is its turn to write
};

bool step_batches::can_write(const ops::finish_set& step) noexcept {
    return step.deferred.empty() && step.notices.empty() && !step.skip &&
           step.index <= step.advance_to;
}

awaitable<result<ops::finish_set::answer>> step_batches::write(ops::finish_set step) {
    if (is_closing_) {
        co_return errc::unavailable;
    }
    const calls_under_way::one counted{calls_};
    co_return co_await shielded(wait_or_write(std::move(step)));
}

/// Whoever finds nobody writing writes for all who wait, then passes the turn on: to one that came meanwhile.
awaitable<result<ops::finish_set::answer>> step_batches::wait_or_write(ops::finish_set step) {
    const auto mine = std::make_shared<waiting>(std::move(step));
    queue_.push_back(mine);
    while (!mine->outcome) {
        if (std::exchange(is_writing_, true)) {
            mine->woken.reset();
            const result<> waited = co_await mine->woken.wait();
            static_cast<void>(waited);  // shielded: only the flag ends it
            continue;
        }
        co_await write_next();
        is_writing_ = false;
        if (!queue_.empty()) {
            queue_.front()->woken.set();
        }
    }
    co_return *std::move(mine->outcome);
}

/// One step a room: the next one of the same room compares with what this one has stored.
step_batches::batch step_batches::take_batch() {
    batch taken;
    std::deque<std::shared_ptr<waiting>> left;
    for (std::shared_ptr<waiting>& next : queue_) {
        const bool has_its_room = std::ranges::any_of(taken, [&next](const auto& other) {
            return other->step->room == next->step->room;
        });
        const bool is_apart = !taken.empty() && (next->is_alone || taken.front()->is_alone);
        const bool fits = taken.size() < max_steps && !has_its_room && !is_apart;
        if (fits) {
            taken.push_back(std::move(next));
        } else {
            left.push_back(std::move(next));
        }
    }
    queue_ = std::move(left);
    return taken;
}

awaitable<void> step_batches::write_next() {
    const batch sent = take_batch();
    step_batch steps;
    for (const std::shared_ptr<waiting>& one : sent) {
        steps.push_back(one->step);
    }
    sent_steps outcome = co_await sender_.send(std::move(steps));
    take_answers(sent, std::move(outcome));
}

void step_batches::take_answers(const batch& sent, sent_steps outcome) {
    if (outcome.failure && outcome.has_offender && sent.size() > 1) {
        // One that can't be stored must not keep the others from it.
        for (const std::shared_ptr<waiting>& one : sent) {
            one->is_alone = !CONVENE_MUTANT("bad_step_keeps_company");
            queue_.push_back(one);
        }
        return;
    }
    for (std::size_t i = 0; i < sent.size(); ++i) {
        waiting& one = *sent[i];
        if (outcome.failure) {
            one.outcome = outcome.failure;
        } else {
            one.outcome = std::move(outcome.answers[i]);
        }
        one.woken.set();
    }
}

awaitable<void> step_batches::close() {
    is_closing_ = true;
    co_await shielded(calls_.until_none());
}

}  // namespace convene
