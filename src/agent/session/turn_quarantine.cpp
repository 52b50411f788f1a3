// SPDX-License-Identifier: Apache-2.0
// Turn quarantine: what was shown, the closing frames, and the end in one operation.
#include "agent/session/turn_quarantine.hpp"

#include <utility>
#include <vector>

#include "agent/session/interrupted_runs.hpp"
#include "base/log.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// Once: who fails leaves it for later.
awaitable<result<>> append_once(room_kit* kit, outgoing_event sent, driver_append with) {
    const auto stored = co_await kit->append_for_session(std::move(sent), std::move(with));
    co_return stored ? result<>{} : result<>{stored.error()};
}

/// Under the epoch of the driver that is gone: we hold the lease, and the quarantine raises it.
closed_session closed_by_us(const agent_session& left) {
    closed_session of;
    of.organization = left.organization;
    of.room = left.room;
    of.agent = left.agent;
    of.epoch = left.driver_epoch;
    return of;
}

/// The frames with which the session's run ends; none if it has its end.
awaitable<result<std::vector<run_frame>>> close_open_run(
    conversation_store* store, agent_session left, event_append append
) {
    if (left.run.empty()) {
        co_return std::vector<run_frame>{};
    }
    ops::get_run look{left.organization, left.run};
    const auto run = co_await store->run(std::move(look));
    if (!run) {
        co_return run.error();
    }
    if (run->status != run_status::running) {
        co_return std::vector<run_frame>{};
    }
    auto last_frames = co_await make_last_frames(
        store, closed_by_us(left), *run, std::move(append)
    );
    co_return last_frames;
}

}  // namespace

awaitable<result<session_turn>> set_aside(
    room_kit* kit, run_log* streams, session_turn turn, std::string reason
) {
    ops::get_session look{turn.organization, turn.room};
    const auto driven = co_await kit->store().run(std::move(look));
    if (!driven) {
        co_return driven.error();
    }
    const event_append append = [kit](outgoing_event sent, driver_append with) {
        return append_once(kit, std::move(sent), std::move(with));
    };
    // Every stream must get an end: where one can't have it now, the turn is set aside later.
    const result<> closed = co_await close_interrupted_runs(
        &kit->store(), streams, closed_by_us(driven->session), append
    );
    if (!closed) {
        co_return closed.error();
    }
    // The turn's own run, or that of another turn that was given back: whichever is open ends here.
    auto last_frames = co_await close_open_run(&kit->store(), driven->session, append);
    if (!last_frames) {
        co_return last_frames.error();
    }
    ops::quarantine_turn request;
    request.turn = turn.id;
    request.reason = reason;
    request.last_frames = *std::move(last_frames);
    auto stored = co_await kit->store().run(std::move(request));
    if (stored) {
        log(log_level::error, "turn.quarantined", {{"turn", turn.id.str()}, {"reason", reason}});
    } else {
        log(log_level::warn, "turn.not_quarantined", {{"error", stored.error().message()}});
    }
    co_return stored;
}

}  // namespace convene
