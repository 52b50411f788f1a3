// SPDX-License-Identifier: Apache-2.0
// Sending: commit, then wait for the cascade or for stored rows.
#include "room/sending.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.hpp"
#include "room/call_chain.hpp"
#include "room/delivery_notices.hpp"
#include "room/room_directory.hpp"

namespace convene {

namespace {

/// How long a send from inside another room's lock may wait for its own.
constexpr std::chrono::milliseconds nested_wait{250};

/// Looking at rows that stay open when their lane has gone on.
constexpr std::chrono::milliseconds first_look{20};
constexpr std::chrono::milliseconds slowest_look{200};

bool contains(const std::vector<room_id>& rooms, const room_id& room) {
    return std::ranges::find(rooms, room) != rooms.end();
}

handed_over_event place_of(const room_event& event) { return {event.room, event.id, event.index}; }

awaitable<result<>> wait_until_done(std::shared_ptr<cascade> caused) {
    const result<> done = co_await caused->done().wait();
    co_return done;
}

}  // namespace

awaitable<result<send_receipt>> sending::send(
    organization_id organization, proposal proposed, deadline until, wait_for what
) {
    const coroutine_context context = co_await this_context();
    const bool is_staged = contains(proposed.chain, proposed.event.room);
    std::ranges::move(call_chain::rooms(context.chain), std::back_inserter(proposed.chain));
    const bool is_inside = contains(proposed.chain, proposed.event.room);

    // A message that was taken in before the kit closed, and was routed or looked up since then.
    if (core_.rooms->is_draining()) {
        co_return errc::unavailable;
    }
    const std::shared_ptr<room_slot> slot = core_.rooms->open(organization, proposed.event.room);
    if (slot->deliveries.size() >= core_.settings.lane_capacity) {
        co_return errc::overloaded;
    }

    if (is_staged && slot->writer.is_full()) {
        co_return errc::overloaded;
    }
    if (is_staged) {
        send_receipt later;
        later.event = proposed.event;
        later.progress = delivery_progress::staged;
        auto staged = commit_staged(
            slot.get(), std::move(organization), std::move(proposed), until
        );
        slot->scope.spawn("staged " + later.event.id.str(), std::move(staged));
        co_return later;
    }

    auto caused = std::make_shared<cascade>();
    const room_event tried = proposed.event;
    auto committed = co_await commit(slot, std::move(proposed), caused, until);
    if (!committed) {
        if (committed.error() == errc::process_timeout) {
            co_await note_timeout(std::move(organization), tried);
        }
        co_return committed.error();
    }
    if (committed->is_replay) {
        const wait_for how = is_inside ? wait_for::committed : what;
        co_return co_await replay(std::move(committed->event), how);
    }

    send_receipt receipt;
    receipt.event = std::move(committed->event);
    const bool waits = what == wait_for::delivered && !is_inside;
    if (waits && committed->is_left_to_other) {
        co_await await_other_worker(&receipt);
    } else if (waits) {
        co_await await_cascade(std::move(caused), &receipt);
    }
    co_return receipt;
}

/// Its sender has gone: what becomes of it shows in the room, or in the log.
awaitable<void> sending::commit_staged(
    room_slot* slot, organization_id organization, proposal proposed, deadline until
) {
    const room_event tried = proposed.event;
    auto caused = std::make_shared<cascade>();
    auto committed = co_await slot->writer.submit(std::move(proposed), std::move(caused), until);
    if (committed) {
        co_return;
    }
    log(log_level::warn,
        "staged_event_lost",
        {{"room", tried.room}, {"event", tried.id}, {"error", committed.error()}});
    if (committed.error() == errc::process_timeout) {
        co_await note_timeout(std::move(organization), tried);
    }
}

awaitable<void> sending::note_timeout(organization_id organization, room_event tried) {
    ops::append_notices notice;
    notice.notices.push_back(make_process_timeout(organization, tried));
    const auto noted = co_await shielded(core_.store.run(std::move(notice)));
    if (noted) {
        core_.notices_stored.set();
    }
}

awaitable<result<committed_event>> sending::commit(
    std::shared_ptr<room_slot> slot,
    proposal proposed,
    std::shared_ptr<cascade> caused,
    deadline until
) {
    const coroutine_context context = co_await this_context();
    room_writer* const holder = call_chain::lock_holder(context.chain, proposed.event.room);
    if (holder != nullptr) {
        auto nested = co_await holder->commit_inside(std::move(proposed), std::move(caused));
        co_return nested;
    }
    if (!call_chain::is_inside_lock(context.chain)) {
        auto committed = co_await slot->writer.submit(
            std::move(proposed), std::move(caused), until
        );
        co_return committed;
    }
    const deadline briefly = until.sooner(deadline{core_.where.now() + nested_wait});
    auto committed = co_await slot->writer.submit(std::move(proposed), std::move(caused), briefly);
    if (!committed && committed.error() == errc::process_timeout) {
        co_return errc::would_deadlock;
    }
    co_return committed;
}

deadline sending::wait_end() const {
    return deadline{core_.where.now() + core_.settings.delivery_wait_timeout};
}

awaitable<void> sending::await_cascade(std::shared_ptr<cascade> caused, send_receipt* receipt) {
    const deadline until = wait_end();
    const result<> done = co_await with_deadline(until, wait_until_done(caused));
    receipt->targets = caused->targets;
    receipt->progress = done ? delivery_progress::delivered : delivery_progress::delivering;
    if (!done) {
        co_return;
    }
    // Another worker does the rest of these, or has done it: their rows say what came of it.
    const std::vector<handed_over_event> elsewhere = caused->handed_over();
    for (const handed_over_event& event : elsewhere) {
        std::vector<target_result> targets;
        const bool is_complete = co_await await_rows(event, until, &targets);
        if (event.id == receipt->event.id) {
            receipt->targets = std::move(targets);
        }
        if (!is_complete) {
            receipt->progress = delivery_progress::delivering;
            co_return;
        }
    }
}

awaitable<result<send_receipt>> sending::replay(room_event stored, wait_for what) {
    send_receipt receipt;
    receipt.event = std::move(stored);
    receipt.is_replay = true;
    if (what == wait_for::delivered) {
        co_await await_stored_rows(&receipt, wait_end());
    }
    co_return receipt;
}

/// An event that was just left to another worker: it is not its turn yet, and there is nothing to see in its rows.
awaitable<void> sending::await_other_worker(send_receipt* receipt) {
    const deadline until = wait_end();
    co_await await_turn(place_of(receipt->event), until);
    co_await await_stored_rows(receipt, until);
}

awaitable<void> sending::await_stored_rows(send_receipt* receipt, deadline until) {
    const handed_over_event own = place_of(receipt->event);
    const bool is_complete = co_await await_rows(own, until, &receipt->targets);
    receipt->progress = is_complete ? delivery_progress::delivered : delivery_progress::delivering;
}

awaitable<void> sending::await_turn(handed_over_event of, deadline until) {
    auto passed = watch_.wait_until_passed(of.room, of.index);
    const result<> waited = co_await with_deadline(until, std::move(passed));
    static_cast<void>(waited);  // passed, late, or cancelled: the caller looks
}

/// Rows that may be executed anywhere. Whether they ended in time; a worker that goes away lets its callers ask another.
awaitable<bool> sending::await_rows(
    handed_over_event of, deadline until, std::vector<target_result>* targets
) {
    bool was_its_turn = false;
    std::chrono::milliseconds next_look = first_look;
    for (;;) {
        const auto is_complete = co_await look_at_rows(of, targets);
        if (!is_complete || *is_complete) {
            co_return is_complete.has_value();
        }
        if (until.has_passed(core_.where.now()) || core_.rooms->is_draining()) {
            co_return false;
        }
        if (!std::exchange(was_its_turn, true)) {
            co_await await_turn(of, until);
            continue;
        }
        // The lane has gone on while an agent streams: its end is stored by itself.
        const result<> slept = co_await sleep_for(next_look);
        if (!slept) {
            co_return false;
        }
        next_look = std::min(next_look * 2, slowest_look);
    }
}

/// Whether all is final, and what became of each target so far.
awaitable<result<bool>> sending::look_at_rows(
    handed_over_event of, std::vector<target_result>* targets
) {
    ops::list_deliveries request{of.room, of.id};
    const auto rows = co_await core_.store.run(std::move(request));
    if (!rows) {
        co_return rows.error();
    }
    targets->clear();
    bool is_complete = true;
    for (const delivery_row& row : *rows) {
        if (row.kind == target_kind::hook_after) {
            continue;
        }
        is_complete = is_complete && is_final(row.state);
        targets->push_back(
            target_result{row.kind, row.channel, row.state, row.outcome, row.attempts}
        );
    }
    co_return is_complete;
}

}  // namespace convene
