// SPDX-License-Identifier: Apache-2.0
// A lane's claim: taking it, writing who has it, letting go, and adopting what dead workers left behind the cursor.
#include <unordered_set>

#include "base/log.hpp"
#include "room/lane.hpp"
#include "room/persist.hpp"

namespace convene {

namespace {

/// One slice of waiting for the claim: slow is never dead, so the slices repeat without end.
constexpr std::chrono::seconds claim_wait{2};

/// Between two tries of a store that does not answer.
constexpr std::chrono::milliseconds between_retries{50};

}  // namespace

bool lane::claim_is_gone() const noexcept {
    return claim_ == nullptr || claim_->state() == lease_state::lost;
}

awaitable<result<>> lane::take_claim() {
    if (!claim_is_gone()) {
        co_return result<>{};
    }
    claim_.reset();
    lease_name name = lease_name::delivery(organization_, room_);
    if (!asked_at_) {
        asked_at_ = core_.where.now();
    }
    const deadline until{core_.where.now() + claim_wait};
    auto acquired = co_await core_.claims.acquire(std::move(name), until);
    if (!acquired) {
        co_return acquired.error();
    }
    claim_ = std::move(*acquired);
    claimed_at_ = core_.where.now();
    unwanted_at_ = claimed_at_;
    core_.lane_times.claim_wait.add(claimed_at_ - *asked_at_);
    asked_at_.reset();
    stored_.reset();

    const result<> written = co_await write_claimer();
    if (!written) {
        co_await release_claim();
    }
    co_return written;
}

/// Writes who moves the cursor now. A worker that read the cursor, lost the claim and woke up later misses the
/// compare: the epoch has moved. Where the last claim that was written is this lane's own there is nothing to write:
/// nobody else has stepped since, and whoever takes the claim after us moves the epoch.
awaitable<result<>> lane::write_claimer() {
    must_read_cursor_ = false;
    ops::get_cursor look_first{room_};
    const auto cursor = co_await core_.store.run(std::move(look_first));
    if (!cursor) {
        co_return cursor.error();
    }
    const bool is_still_ours = cursor->claimer == core_.me &&
                               cursor->claim_epoch == cursor_.claim_epoch;
    if (is_still_ours) {
        cursor_ = *cursor;
    } else {
        ops::claim_cursor take{room_, core_.me, cursor->claim_epoch, std::nullopt};
        const auto claimed = co_await core_.store.run(std::move(take));
        if (!claimed) {
            co_return claimed.error();
        }
        cursor_ = *claimed;
        if (cursor->claimer != core_.me) {
            core_.order.doubt(room_);  // what another worker deferred is not known here
        }
    }
    if (!core_.order.is_in_doubt(room_)) {
        co_return result<>{};
    }

    // What was deferred in this room has to be known before its next set.
    const result<> learned = co_await core_.order.learn(room_);
    co_return learned;
}

/// What is stored counts, and from here on nobody else steps: our claim is the last one that was written.
awaitable<void> lane::read_cursor_again() {
    const result<> written = co_await write_claimer();
    if (!written) {
        co_await release_claim();
    }
}

void lane::note_whether_wanted() noexcept {
    if (!claim_->is_wanted()) {
        unwanted_at_ = core_.where.now();
    }
}

awaitable<void> lane::release_claim() {
    if (claim_ == nullptr) {
        co_return;
    }
    if (claim_->is_wanted()) {
        core_.lane_times.handover.add(core_.where.now() - unwanted_at_);
    }
    const std::unique_ptr<lease> released = std::move(claim_);
    const result<> gone = co_await shielded(released->release());
    static_cast<void>(gone);  // a lost claim is gone as well
}

/// Makes rows ours that dead workers left, and answers those that have to be started. An adoption whose answer was lost
/// is asked for again, and then answers what is ours already, and with it what we work on. That is looked at before: until
/// the answer is here some of it may have ended. What is deferred is the outbound queue's.
awaitable<result<std::vector<delivery_row>>> lane::adopt(event_index through) {
    const std::unordered_set<delivery_id> at_work = sets_.at_work();
    ops::adopt_rows request{room_, core_.me, through, core_.plan_format};
    auto ours = co_await core_.store.run(std::move(request));
    if (ours) {
        std::erase_if(*ours, [&at_work](const delivery_row& row) {
            return row.state == delivery_state::deferred || at_work.contains(row.id);
        });
    }
    co_return ours;
}

/// Rows behind the cursor that dead workers left: they hold nobody up, but somebody has to end them.
awaitable<void> lane::adopt_behind_cursor() {
    must_adopt_ = false;
    auto ours = co_await adopt(cursor_.delivered);
    if (!ours) {
        must_adopt_ = true;
        co_await pause(between_retries);
        co_return;
    }
    co_await start_behind_cursor(std::move(*ours));
}

/// The rows are ours from here on, and nobody else's: they are started, however often the store fails.
awaitable<void> lane::start_behind_cursor(std::vector<delivery_row> rows) {
    for (const delivery_row& row : rows) {
        ops::load_lane one{room_, row.index, 1};
        auto loaded = co_await persist(&core_.store, std::move(one));
        ops::load_room_context around{organization_, room_};
        auto context = co_await persist(&core_.store, std::move(around));
        if (!loaded || loaded->empty() || !context) {
            continue;
        }
        lane_entry entry;
        entry.event = std::move(loaded->front().event);
        entry.rows = std::move(loaded->front().rows);
        entry.context = std::make_shared<const room_context>(std::move(*context));
        entry.is_from_store = true;
        entry.follows_crash = true;
        sets_.start_adopted(std::move(entry), row);
    }
}

}  // namespace convene
