// SPDX-License-Identifier: Apache-2.0
// Room writer: the commit of a batch, who is told of it, and what becomes of one that failed or was not answered.
#include <algorithm>

#include "base/log.hpp"
#include "base/mutant.hpp"
#include "room/delivery_notices.hpp"
#include "room/lane.hpp"
#include "room/writer.hpp"

namespace convene {

namespace {

/// A changed room is decided again so often before the sender is told.
constexpr std::int32_t max_attempts = 3;

/// How long the fate of a commit without an answer is looked for.
constexpr std::chrono::seconds settle_deadline{30};
constexpr std::chrono::milliseconds between_tries{50};

/// The failure of one member must not fail the others: they are committed one by one.
bool may_be_one_offender(error_code failure) {
    return failure == errc::invalid_argument || failure == errc::claim_lost ||
           failure == errc::driver_fenced || failure == errc::target_event_not_found ||
           failure == errc::duplicate_key;
}

bool calls_for_another_decision(error_code failure) {
    return failure == errc::room_changed || failure == errc::duplicate_key ||
           failure == errc::lease_lost || failure == errc::connection_lost ||
           failure == errc::duplicate_index;
}

}  // namespace

awaitable<result<>> room_writer::flush(batch* building, unlock_mode after) {
    if (!building->has_pending()) {
        if (after == unlock_mode::keep) {
            co_return result<>{};
        }
        const result<> left = co_await leave(building);
        static_cast<void>(left);  // nothing was written under the lock
        co_return result<>{};
    }
    for (const decided_event& one : building->pending()) {
        if (one.asked_by) {
            one.asked_by->mark_committing();
        }
    }
    ops::commit commit = building->make_commit(context_);
    const bool has_notices = !commit.notices.empty();
    const auto committed = co_await core_.store.commit(&building->tenure, std::move(commit), after);
    if (!committed) {
        co_return committed.error();
    }
    if (has_notices) {
        core_.notices_stored.set();
    }
    core_.clock.set(committed->committed_at);
    distribute(building, committed->committed_at);
    co_return result<>{};
}

/// The batch is stored: the lane gets every event in index order, then the senders their answers.
void room_writer::distribute(batch* building, wall_time committed_at) {
    std::vector<decided_event> stored = building->take_committed(committed_at);
    tell_listener(stored);
    leave_to_other(*building, stored);
    for (decided_event& one : stored) {
        if (one.is_left_to_other) {
            continue;
        }
        lane_entry entry;
        entry.event = one.event;
        entry.rows = std::move(one.rows);
        entry.context = shared_context_;
        entry.is_callers_own = one.asked_by != nullptr && one.from != origin::reply;
        entry.unit = cascade::unit{one.caused};
        entry.chain = std::move(one.chain);
        lane_.enqueue(std::move(entry));
    }
    answer_repeats(building, stored);
    for (decided_event& one : stored) {
        if (!one.asked_by) {
            continue;
        }
        committed_event answer;
        answer.event = std::move(one.event);
        answer.is_left_to_other = one.is_left_to_other;
        one.asked_by->answer(std::move(answer));
    }
}

/// The other worker may find them by itself; told, it does so at once.
void room_writer::leave_to_other(const batch& building, const std::vector<decided_event>& stored) {
    bool has_any = false;
    for (const decided_event& one : stored) {
        has_any = has_any || one.is_left_to_other;
        if (one.is_left_to_other && one.caused != nullptr) {
            one.caused->hand_over(one.event);
        }
    }
    if (has_any) {
        core_.bell->ring(organization_, room_, building.tenure.head.deliverer);
    }
}

void room_writer::tell_listener(const std::vector<decided_event>& stored) const {
    if (core_.commits == nullptr) {
        return;
    }
    std::vector<room_event> events;
    events.reserve(stored.size());
    for (const decided_event& one : stored) {
        events.push_back(one.event);
    }
    core_.commits->committed(shared_context_, events);
}

void room_writer::answer_repeats(batch* building, const std::vector<decided_event>& stored) {
    for (const repeated_event& repeat : std::exchange(building->repeats, {})) {
        const auto is_first = [&repeat](const decided_event& one) {
            return one.event.id == repeat.first;
        };
        const auto first = std::ranges::find_if(stored, is_first);
        if (first != stored.end()) {
            committed_event answer;
            answer.event = first->event;
            answer.is_replay = true;
            repeat.asked_by->answer(std::move(answer));
        }
    }
}

awaitable<void> room_writer::finish_failed(batch* building, error_code failure) {
    if (failure == errc::outcome_unknown) {
        co_await settle_unknown(building);
        co_return;
    }
    if (failure == errc::duplicate_index) {
        log(log_level::error, "room.duplicate_index", {{"room", room_.str()}});
    }
    std::size_t open = 0;
    for (const std::shared_ptr<submission>& one : building->submissions) {
        if (!one->is_answered() && !one->is_withdrawn()) {
            ++open;
        }
    }
    if (may_be_one_offender(failure) && open > 1) {
        for (const std::shared_ptr<submission>& one : building->submissions) {
            one->is_alone = true;
        }
        try_again(building, errc::room_contended);
    } else if (calls_for_another_decision(failure)) {
        shared_context_.reset();
        try_again(building, errc::room_contended);
    } else {
        for (const std::shared_ptr<submission>& one : building->submissions) {
            one->answer(failure);
        }
    }
    const result<> left = co_await leave(building);
    static_cast<void>(left);  // nothing was stored under it
}

/// Puts what is not answered back to the front of the queue, in its order.
void room_writer::try_again(batch* building, errc when_exhausted) {
    std::vector<std::shared_ptr<submission>>& all = building->submissions;
    for (auto one = all.rbegin(); one != all.rend(); ++one) {
        if ((*one)->is_answered() || (*one)->is_withdrawn()) {
            continue;
        }
        if (++(*one)->attempts > max_attempts) {
            (*one)->answer(when_exhausted);
            continue;
        }
        (*one)->mark_waiting();
        queue_.push_front(*one);
    }
}

/// The commit was sent and no answer came. Taking the same lock again proves that the old session is gone, so
/// what the look-up shows is final.
awaitable<void> room_writer::settle_unknown(batch* building) {
    building->tenure.lock.reset();
    if (CONVENE_MUTANT("lost_answer_is_failure")) {
        try_again(building, errc::room_contended);
        co_return;
    }
    const deadline until{core_.where.now() + settle_deadline};
    while (!deadline{until}.has_passed(core_.where.now()) && !scope_.is_stopping()) {
        ops::load_room_head head;
        head.organization = organization_;
        head.room = room_;
        auto entered = co_await core_.store.enter_room(&core_.locks, std::move(head), until);
        if (entered) {
            ops::find_events request;
            request.room = room_;
            for (const decided_event& one : building->pending()) {
                request.ids.push_back(one.event.id);
            }
            auto found = co_await core_.store.run(std::move(request));
            const result<> left = co_await entered->lock->release();
            static_cast<void>(left);  // only read under it
            if (found && !found->empty()) {
                // With the room as it was decided in; whether it still is so is seen under the next lock.
                distribute(building, found->front().created_at);
                co_return;
            }
            if (found) {
                try_again(building, errc::room_contended);
                co_return;
            }
        }
        if (!entered && entered.error() == errc::incarnation_dead) {
            break;  // a buried worker gets no lock any more
        }
        const result<> slept = co_await sleep_for(between_tries);
        if (!slept) {
            break;
        }
    }
    // Whether it is stored is for the sender's key, or for the lane, to find out.
    for (const std::shared_ptr<submission>& one : building->submissions) {
        one->answer(errc::outcome_unknown);
    }
    lane_.look_at_store();
}

awaitable<result<>> room_writer::leave(batch* building) {
    if (building->tenure.lock == nullptr) {
        co_return result<>{};
    }
    const std::unique_ptr<lease> held = std::move(building->tenure.lock);
    const result<> released = co_await shielded(held->release());
    co_return released;
}

awaitable<void> room_writer::store_refusals(batch* building) {
    if (building->refusals.empty()) {
        co_return;
    }
    ops::append_notices request{std::move(building->refusals)};
    const auto stored = co_await core_.store.run(std::move(request));
    if (!stored) {
        log(log_level::warn, "notices.not_stored", {{"error", stored.error().message()}});
    }
    if (stored) {
        core_.notices_stored.set();
    }
}

}  // namespace convene
