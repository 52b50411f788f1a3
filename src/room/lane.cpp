// SPDX-License-Identifier: Apache-2.0
// Lane driver: one turn of the machine after the other, and the storing of what it decided.
#include "room/lane.hpp"

#include <algorithm>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "room/delivery_notices.hpp"
#include "room/lane_owner.hpp"
#include "room/pass_over.hpp"
#include "room/writer.hpp"

namespace convene {

namespace {

/// How long an idle lane keeps its claim for the next event.
constexpr std::chrono::milliseconds claim_linger{1000};

/// A wanted claim is let go after this long, or one set, and then left to others for a moment.
constexpr std::chrono::milliseconds claim_tenure{250};
constexpr std::chrono::milliseconds stay_away{40};

/// Between two looks at a head that a live worker has, and between retries of a store that does not answer.
constexpr std::chrono::milliseconds between_looks{100};
constexpr std::chrono::milliseconds between_retries{50};

/// Between two looks at a head that is for a newer worker, which wants the claim meanwhile.
constexpr std::chrono::milliseconds between_looks_at_newer{500};

/// Between two looks at a lane that an operator stopped, perhaps at another worker's API.
constexpr std::chrono::milliseconds between_looks_at_paused{1000};

constexpr std::size_t look_ahead = 16;

/// No later try can succeed: the room was deleted, or this worker was buried.
bool is_the_end(error_code failure) {
    return failure == errc::not_found || failure == errc::incarnation_dead;
}

bool needs_a_set(const lane_entry& entry) { return !entry.rows.empty(); }

bool has_targets(const lane_entry& entry) {
    return std::ranges::any_of(entry.rows, [](const delivery_row& row) {
        return row.kind != target_kind::hook_after;
    });
}

}  // namespace

lane::lane(engine_core* core, task_scope* scope, organization_id organization, room_id room)
    : core_(*core),
      scope_(*scope),
      organization_(std::move(organization)),
      room_(std::move(room)),
      fsm_(lane_policy{core->settings.recovery, core->settings.delivery_gap_timeout}),
      sets_(core, scope) {}

// ---- what comes in ---------------------------------------------------------------------------------------

void lane::enqueue(lane_entry added) {
    const event_index index = added.event.index;
    entries_.insert_or_assign(index, std::move(added));
    if (stored_ && stored_->empty()) {
        stored_.reset();
    }
    start();
}

void lane::look_at_store() {
    must_adopt_ = true;
    look_further();
}

void lane::look_further() {
    must_look_ = true;
    if (stored_ && stored_->empty()) {
        stored_.reset();
    }
    start();
}

void lane::start() {
    wake_.set();
    if (!std::exchange(is_running_, true)) {
        scope_.spawn("lane " + room_.str(), run());
    }
}

void lane::look_at_cursor() {
    must_read_cursor_ = true;
    stored_.reset();
    wake_.set();
}

void lane::cut_off(event_index through) {
    passed_through_ = std::max(passed_through_, through);
    look_at_cursor();
    if (running_ != nullptr) {
        running_->request(errc::cancelled);
    }
}

void lane::start_draining() noexcept {
    is_draining_ = true;
    wake_.set();
}

void lane::hand_over() {
    for (auto& [index, entry] : entries_) {
        if (entry.unit.owner()) {
            entry.unit.owner()->hand_over(entry.event);
        }
    }
    entries_.clear();
}

room_kit::lane_figures lane::figures() const {
    room_kit::lane_figures now;
    now.organization = organization_;
    now.room = room_;
    now.queued = entries_.size();
    now.is_delivering = is_acting_;
    now.delivered = cursor_.delivered;
    now.latest_known = entries_.empty() ? cursor_.delivered : entries_.rbegin()->first;
    now.holds_claim = claim_ != nullptr;
    return now;
}

// ---- the loop --------------------------------------------------------------------------------------------

awaitable<void> lane::run() {
    while (has_work() && !scope_.is_stopping()) {
        wake_.reset();
        const result<> claimed = co_await take_claim();
        if (!claimed && is_the_end(claimed.error())) {
            hand_over();
            must_look_ = false;
            break;
        }
        if (!claimed) {
            co_await pause(between_retries);
            continue;
        }
        co_await work_under_claim();
    }
    co_await release_claim();
    is_running_ = false;

    // Something may have come while the claim was being released.
    const bool has_more = has_work() && !scope_.is_stopping();
    if (has_more && !std::exchange(is_running_, true)) {
        scope_.spawn("lane " + room_.str(), run());
    }
}

awaitable<void> lane::work_under_claim() {
    while (!scope_.is_stopping()) {
        if (claim_is_gone()) {
            claim_.reset();
            co_return;
        }
        if (claim_->state() == lease_state::suspect) {
            co_await pause(between_retries);
            continue;
        }
        note_whether_wanted();
        if (must_read_cursor_) {
            co_await read_cursor_again();
            continue;
        }
        drop_stale_entries();
        if (must_adopt_) {
            co_await adopt_behind_cursor();
        }

        const lane_action action = fsm_.next(view());
        if (action.action == lane_action::what::rest && !entries_.empty()) {
            // A queued event that the store does not show yet: look again, but not in a spin.
            stored_.reset();
            co_await pause(between_retries);
            continue;
        }
        if (action.action == lane_action::what::rest) {
            must_look_ = false;
            stored_.reset();
            co_await linger();
            if (!has_work()) {
                co_return;
            }
            continue;
        }
        is_acting_ = true;
        co_await perform(action);
        is_acting_ = false;

        const bool tenure_is_over = core_.where.now() >= claimed_at_ + claim_tenure;
        if (claim_ != nullptr && claim_->is_wanted() && tenure_is_over) {
            co_await release_claim();
            co_await pause(stay_away);
            co_return;
        }
    }
}

awaitable<void> lane::perform(lane_action action) {
    switch (action.action) {
        case lane_action::what::rest:
            break;
        case lane_action::what::stand_still:
            co_await stand_still();
            break;
        case lane_action::what::run_local:
            co_await run_local();
            break;
        case lane_action::what::look:
            co_await look();
            break;
        case lane_action::what::step_over:
            co_await step_over(action.index);
            break;
        case lane_action::what::run_stored:
            co_await run_stored(action.index);
            break;
        case lane_action::what::take_over:
            co_await take_over(action);
            break;
        case lane_action::what::skip:
            co_await pass_over(action);
            break;
        case lane_action::what::wait_for_owner:
            co_await wait_for_owner();
            break;
        case lane_action::what::leave_to_newer:
            co_await leave_to_newer();
            break;
        case lane_action::what::wait:
            co_await wait_for(action.until);
            break;
    }
}

awaitable<void> lane::step_over(event_index index) {
    ops::finish_set step;
    step.index = cursor_.delivered.next();
    step.advance_to = index;
    const result<> stepped = co_await finish(std::move(step));
    static_cast<void>(stepped);  // the next turn sees where the cursor is
}

/// Waits until `at` or until something new comes, and then looks again.
awaitable<void> lane::wait_for(monotonic_time at) {
    const auto span = std::chrono::ceil<std::chrono::milliseconds>(at - core_.where.now());
    const auto at_least = std::max(span, std::chrono::milliseconds{1});
    co_await pause(at_least);
    stored_.reset();
}

awaitable<void> lane::run_local() {
    auto node = entries_.extract(entries_.begin());
    lane_entry entry = std::move(node.mapped());
    co_await execute(std::move(entry), set_mode::concurrent);
}

awaitable<void> lane::run_stored(event_index index) {
    const auto found = std::ranges::find_if(*stored_, [index](const ops::load_lane::entry& stored) {
        return stored.event.index == index;
    });
    lane_entry entry;
    entry.event = std::move(found->event);
    entry.rows = std::move(found->rows);
    entry.is_from_store = true;
    co_await execute(std::move(entry), set_mode::concurrent);
}

/// A live worker executes what it committed, or what was left to it, under the claim: it gets the chance to take it.
awaitable<void> lane::wait_for_owner() {
    const incarnation_id owner = owner_of_open_row(stored_->front());
    stored_.reset();
    co_await release_claim();
    if (core_.bell != nullptr) {
        core_.bell->ring(organization_, room_, owner);
    }
    co_await pause(between_looks);
}

/// A newer worker finds it by its own sweep. Ours looks again as long as it waits, for the case that it was passed over.
awaitable<void> lane::leave_to_newer() {
    stored_.reset();
    must_look_ = false;
    co_await release_claim();
    if (is_draining_) {
        hand_over();
    }
    if (!entries_.empty()) {
        co_await pause(between_looks_at_newer);
    }
}

awaitable<void> lane::take_over(lane_action action) {
    const incarnation_id former_owner = owner_of_open_row(stored_->front());
    if (action.is_crash_takeover) {
        ops::claim_cursor counted{room_, core_.me, cursor_.claim_epoch, cursor_.takeovers + 1};
        const auto claimed = co_await core_.store.run(std::move(counted));
        if (!claimed) {
            claim_.reset();
            co_return;
        }
        cursor_ = *claimed;
    }
    auto adopted = co_await adopt(action.index);
    ops::load_lane again{room_, action.index, 1};
    auto loaded = co_await core_.store.run(std::move(again));
    stored_.reset();
    if (adopted) {
        std::erase_if(*adopted, [&action](const delivery_row& row) {
            return row.index == action.index;
        });
        co_await start_behind_cursor(std::move(*adopted));
    }
    // Without an answer: what lies behind the cursor may be ours, and nobody else looks for it.
    must_adopt_ = must_adopt_ || !adopted;
    if (!adopted || !loaded || loaded->empty()) {
        co_await pause(between_retries);
        co_return;
    }

    lane_entry entry;
    entry.event = std::move(loaded->front().event);
    entry.rows = std::move(loaded->front().rows);
    entry.is_from_store = true;
    entry.follows_crash = action.is_crash_takeover;
    entry.former_owner = former_owner;
    const set_mode mode = action.is_one_by_one ? set_mode::one_by_one : set_mode::concurrent;
    co_await execute(std::move(entry), mode);
}

awaitable<void> lane::pass_over(lane_action action) {
    std::vector<ops::load_lane::entry> passed = std::move(*stored_);
    stored_.reset();
    std::erase_if(passed, [this, &action](const ops::load_lane::entry& stored) {
        return stored.event.index > action.index ||
               owner_of(stored, core_.me, core_.plan_format) == head_owner::nobody_needed;
    });
    ops::finish_set step = make_pass_over(organization_, cursor_.delivered, passed, action.reason);
    step.advance_to = action.index;
    const result<> stepped = co_await finish(std::move(step));
    static_cast<void>(stepped);  // the next turn sees where the cursor is
}

awaitable<void> lane::look() {
    ops::load_lane request{room_, cursor_.delivered.next(), look_ahead};
    auto loaded = co_await core_.store.run(std::move(request));
    if (!loaded) {
        co_await pause(between_retries);
        co_return;
    }
    stored_ = std::move(*loaded);
}

awaitable<void> lane::linger() {
    if (is_draining_ || claim_->is_wanted()) {
        co_return;
    }
    claim_->when_wanted([this] { wake_.set(); });
    co_await pause(claim_linger);
}

/// The claim is left to whoever operates on the lane. Callers wait as long as they would for a slow delivery.
awaitable<void> lane::stand_still() {
    co_await release_claim();
    stored_.reset();
    bool is_paused = true;
    while (is_paused && !must_adopt_ && !is_draining_ && !scope_.is_stopping()) {
        co_await pause(between_looks_at_paused);
        ops::get_cursor request{room_};
        const auto cursor = co_await core_.store.run(std::move(request));
        is_paused = !cursor || cursor->paused_at.has_value();
        if (!cursor && is_the_end(cursor.error())) {
            break;
        }
    }
    if (is_draining_) {
        hand_over();
        must_look_ = false;
    }
}

awaitable<void> lane::pause(std::chrono::milliseconds span) {
    wake_.reset();
    auto woken = [](wait_flag* flag) -> awaitable<result<>> {
        const result<> waited = co_await flag->wait();
        co_return waited;
    };
    const deadline until{core_.where.now() + span};
    const result<> waited = co_await with_deadline(until, woken(&wake_));
    static_cast<void>(waited);  // woken, timed out or stopping: the caller looks at the state
}

// ---- one set ---------------------------------------------------------------------------------------------

awaitable<void> lane::execute(lane_entry entry, set_mode mode) {
    const event_index index = entry.event.index;
    if (needs_a_set(entry) && entry.context == nullptr) {
        auto around = co_await context_for(entry.event.plan.config);
        if (!around) {
            must_look_ = true;
            stored_.reset();
            co_await pause(between_retries);
            co_return;
        }
        entry.context = *std::move(around);
    }

    set_outcome outcome;
    if (needs_a_set(entry)) {
        auto may_start = [this] {
            return claim_ != nullptr && claim_->state() == lease_state::held;
        };
        running_ = std::make_unique<cancel_source>();
        auto running = cancelled_by(running_.get(), sets_.run(&entry, mode, may_start));
        outcome = co_await cancelled_by(&claim_->lost(), std::move(running));
        running_.reset();
    }
    if (outcome.is_cut_off) {
        entries_.insert_or_assign(index, std::move(entry));
        co_return;
    }

    ops::finish_set step;
    step.index = index;
    step.advance_to = rowless_run_from(index);
    step.results = outcome.results;
    step.deferred = outcome.deferred;
    step.notices = outcome.notices;
    if (entry.follows_crash) {
        step.notices.push_back(
            make_delivery_recovered(organization_, entry.event, entry.former_owner)
        );
    }
    if (CONVENE_FAULT("lane.after_set")) {
        co_await pause(between_retries);
    }

    const result<> finished = co_await finish(std::move(step));
    if (!finished) {
        // Stopping, buried, or the room is gone: whoever has the claim next goes on from what is stored.
        sets_.forget(entry);
        if (entry.unit.owner()) {
            entry.unit.owner()->hand_over(entry.event);
        }
        co_return;
    }
    if (!outcome.deferred.empty()) {
        core_.outbound.notify_deferred(outcome.deferred);
    }
    complete(entry, outcome);
    start_after_effects(entry);
}

/// The room that an event was decided in, if this worker has it at hand; else the room as it is now.
awaitable<result<std::shared_ptr<const room_context>>> lane::context_for(config_version decided_in
) {
    std::shared_ptr<const room_context> known = writer_->known();
    if (known != nullptr && known->room.config == decided_in) {
        co_return known;
    }
    ops::load_room_context request{organization_, room_};
    auto loaded = co_await core_.store.run(std::move(request));
    if (!loaded) {
        co_return loaded.error();
    }
    co_return std::make_shared<const room_context>(*std::move(loaded));
}

/// What an operator passed over has none: its after-hooks are skipped, too.
void lane::start_after_effects(const lane_entry& entry) {
    if (entry.event.index <= passed_through_) {
        sets_.forget(entry);
    } else {
        sets_.start_after_effects(entry);
    }
}

/// Stores a step until it is known to be stored: an executed set is never reported as a hole.
awaitable<result<>> lane::finish(ops::finish_set step) {
    step.room = room_;
    for (;;) {
        step.claim_epoch = cursor_.claim_epoch;
        ops::finish_set sent = step;
        const auto stored = co_await shielded(core_.store.run(std::move(sent)));
        if (stored) {
            cursor_.delivered = stored->delivered;
            cursor_.takeovers = 0;
            stepped_.clear();
            if (!step.notices.empty()) {
                core_.notices_stored.set();
            }
            co_return result<>{};
        }
        if (scope_.is_stopping() || is_the_end(stored.error())) {
            break;
        }
        if (stored.error() == errc::claim_lost) {
            co_await release_claim();
            const result<> claimed = co_await take_claim();
            if (claimed && cursor_.delivered >= step.index) {
                // Our own step, whose answer was lost; or another worker's, which took us for dead.
                stepped_.clear();
                co_return result<>{};
            }
            if (claimed) {
                continue;
            }
        }
        log(log_level::warn,
            "lane.finish_failed",
            {{"room", room_.str()}, {"error", stored.error().message()}});
        co_await pause(between_retries);
    }
    stepped_.clear();
    co_return errc::claim_lost;
}

/// Takes the queued entries without rows that directly follow `after`: one step covers them.
event_index lane::rowless_run_from(event_index after) {
    event_index last = after;
    while (!entries_.empty() && entries_.begin()->first == last.next() &&
           !needs_a_set(entries_.begin()->second)) {
        last = entries_.begin()->first;
        stepped_.push_back(std::move(entries_.begin()->second));
        entries_.erase(entries_.begin());
    }
    return last;
}

void lane::complete(lane_entry& entry, const set_outcome& outcome) {
    cascade* caused = entry.unit.owner().get();
    if (caused != nullptr && entry.is_callers_own) {
        for (const delivery_row& row : entry.rows) {
            if (row.kind == target_kind::hook_after) {
                continue;
            }
            const auto found = std::ranges::find(outcome.results, row.id, &ops::row_result::id);
            if (found == outcome.results.end()) {
                continue;
            }
            caused->targets.push_back(
                target_result{row.kind, row.channel, found->state, found->outcome, found->attempts}
            );
        }
    }
    entry.unit = cascade::unit{};
}

/// Entries that the cursor has passed without us: another worker stepped over one whose targets were done, or
/// executed it because this worker was taken for dead. After-hooks that are still ours run here in any case.
void lane::drop_stale_entries() {
    // What was read behind the cursor stays good while the claim is ours: it can only move by us.
    if (stored_ && !stored_->empty()) {
        std::erase_if(*stored_, [this](const ops::load_lane::entry& stored) {
            return stored.event.index <= cursor_.delivered;
        });
        if (stored_->empty()) {
            stored_.reset();
        }
    }
    while (!entries_.empty() && entries_.begin()->first <= cursor_.delivered) {
        lane_entry entry = std::move(entries_.begin()->second);
        entries_.erase(entries_.begin());
        if (has_targets(entry) && entry.unit.owner()) {
            entry.unit.owner()->hand_over(entry.event);
        }
        start_after_effects(entry);
    }
}

lane_view lane::view() const {
    lane_view seen;
    seen.delivered = cursor_.delivered;
    if (!entries_.empty()) {
        seen.first_local = entries_.begin()->first;
    }
    seen.must_look = must_look_;
    seen.takeovers = cursor_.takeovers;
    seen.is_paused = cursor_.paused_at.has_value();
    seen.now = core_.where.now();
    if (stored_) {
        std::vector<lane_head> heads;
        heads.reserve(stored_->size());
        for (const ops::load_lane::entry& stored : *stored_) {
            heads.push_back(
                lane_head{stored.event.index, owner_of(stored, core_.me, core_.plan_format)}
            );
        }
        seen.stored = std::move(heads);
    }
    return seen;
}

}  // namespace convene
