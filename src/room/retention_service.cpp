// SPDX-License-Identifier: Apache-2.0
// Retention: election, and rounds of small steps.
#include "room/retention_service.hpp"

#include "base/log.hpp"
#include "room/room_hold.hpp"
#include "store/operations/attachments.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

namespace {

constexpr std::chrono::seconds between_rounds{30};
constexpr std::chrono::seconds between_elections{30};

/// A policy counts in days: it is looked at every so many rounds.
constexpr int rounds_between_policies = 20;

/// A pause after each step, so that a long erasure leaves the store to others most of the time.
constexpr std::chrono::milliseconds between_steps{20};

/// A stream may have many frames, and goes as a whole.
constexpr std::size_t streams_in_step = 20;
constexpr std::size_t runs_in_step = 100;

/// A busy room is left for the next pass: its senders wait while its lock is held for the claim.
constexpr std::chrono::seconds room_patience{2};

void note_failure(const char* what, const result<>& done) {
    if (!done && done.error() != errc::cancelled) {
        log(log_level::warn, what, {{"error", done.error().message()}});
    }
}

}  // namespace

awaitable<void> retention_service::run() {
    for (;;) {
        lease_name duty = lease_name::leader("retention");
        auto elected = co_await core_.locks.try_acquire(std::move(duty));
        if (elected) {
            const std::unique_ptr<lease> leadership = std::move(*elected);
            co_await cancelled_by(&leadership->lost(), lead(leadership.get()));
            const result<> resigned = co_await shielded(leadership->release());
            static_cast<void>(resigned);  // lost or given back: the next election decides
        }
        const result<> slept = co_await sleep_for(between_elections);
        if (!slept) {
            co_return;
        }
    }
}

awaitable<void> retention_service::lead(lease* leadership) {
    for (int round = 0; leadership->state() == lease_state::held; ++round) {
        const result<> files = co_await erase_attachments();
        note_failure("retention.attachments_failed", files);
        const result<> organizations = co_await erase_organizations();
        note_failure("retention.erasure_failed", organizations);
        const result<> streams = co_await prune_streams();
        note_failure("retention.streams_failed", streams);
        const result<> runs = co_await prune_runs();
        note_failure("retention.runs_failed", runs);
        if (round % rounds_between_policies == 0) {
            const result<> policies = co_await apply_policies();
            note_failure("retention.policies_failed", policies);
        }
        const result<> slept = co_await sleep_for(between_rounds);
        if (!slept) {
            co_return;
        }
    }
}

awaitable<result<>> retention_service::erase_attachments() {
    for (;;) {
        ops::erase_attachments step;
        const auto done = co_await core_.store.run(std::move(step));
        if (!done || !done->has_more) {
            co_return done ? result<>{} : result<>{done.error()};
        }
        const result<> slept = co_await sleep_for(between_steps);
        if (!slept) {
            co_return slept;
        }
    }
}

awaitable<result<>> retention_service::erase_organizations() {
    for (;;) {
        ops::continue_erasure step;
        const auto done = co_await core_.store.run(std::move(step));
        if (!done) {
            co_return done.error();
        }
        if (!done->organization.empty() && !done->has_more) {
            log(log_level::info, "organization_erased", {{"organization", done->organization}});
        }
        if (!done->has_more) {
            co_return result<>{};
        }
        const result<> slept = co_await sleep_for(between_steps);
        if (!slept) {
            co_return slept;
        }
    }
}

awaitable<result<>> retention_service::prune_streams() {
    for (;;) {
        ops::prune_frames step{core_.settings.frames_kept, streams_in_step};
        const auto done = co_await core_.store.run(std::move(step));
        if (!done) {
            co_return done.error();
        }
        figures_.streams += *done;
        if (*done < streams_in_step) {
            co_return result<>{};
        }
        const result<> slept = co_await sleep_for(between_steps);
        if (!slept) {
            co_return slept;
        }
    }
}

awaitable<result<>> retention_service::prune_runs() {
    for (;;) {
        ops::prune_runs step{core_.settings.runs_kept, runs_in_step};
        const auto done = co_await core_.store.run(std::move(step));
        if (!done) {
            co_return done.error();
        }
        figures_.runs += *done;
        if (*done < runs_in_step) {
            co_return result<>{};
        }
        const result<> slept = co_await sleep_for(between_steps);
        if (!slept) {
            co_return slept;
        }
    }
}

awaitable<result<>> retention_service::apply_policies() {
    ops::find_retention_due page;
    for (;;) {
        const auto found = co_await core_.store.run(page);
        if (!found) {
            co_return found.error();
        }
        for (const ops::find_retention_due::item& due : found->due) {
            const result<> applied = co_await apply_to(due.organization, due.room);
            if (applied == errc::cancelled) {
                co_return applied;
            }
            // One room that can't be had now keeps no other from its turn; the next pass tries again.
            note_failure("retention.room_failed", applied);
        }
        if (!found->has_more) {
            co_return result<>{};
        }
        page.after = found->last;
        const result<> slept = co_await sleep_for(between_steps);
        if (!slept) {
            co_return slept;
        }
    }
}

awaitable<result<>> retention_service::apply_to(organization_id organization, room_id room) {
    for (;;) {
        const deadline until{core_.where.now() + room_patience};
        auto held = co_await hold_room(&core_, organization, room, until);
        if (!held) {
            co_return held.error() == errc::not_found ? result<>{} : result<>{held.error()};
        }
        ops::apply_retention step{organization, room};
        const auto done = co_await shielded(core_.store.run(std::move(step)));
        if (done && core_.commits != nullptr && !done->events.empty()) {
            core_.commits->erased(room, done->events);
        }
        co_await shielded(let_go(std::move(*held)));
        if (!done) {
            co_return done.error();
        }
        if (done->is_room_deleted || !done->events.empty() || done->attachments > 0) {
            core_.notices_stored.set();
        }
        if (!done->has_more) {
            co_return result<>{};
        }
        const result<> slept = co_await sleep_for(between_steps);
        if (!slept) {
            co_return slept;
        }
    }
}

}  // namespace convene
