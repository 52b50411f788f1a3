// SPDX-License-Identifier: Apache-2.0
// Turn quarantine: what was shown, the closing frames, and the end in one operation.
#include "agent/session/turn_quarantine.hpp"

#include <utility>
#include <vector>

#include "agent/session/shown_messages.hpp"
#include "agent/session/told_run.hpp"
#include "base/log.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

/// Somebody else has the session, or the store can't be reached.
bool is_left_for_later(error_code failure) {
    return failure == errc::driver_fenced || failure == condition::retryable ||
           failure == condition::outcome_unknown;
}

/// Once: who fails leaves it for later.
awaitable<result<>> append_once(room_kit* kit, outgoing_event sent, driver_append with) {
    const auto stored = co_await kit->append_for_session(std::move(sent), std::move(with));
    co_return stored ? result<>{} : result<>{stored.error()};
}

/// Under the epoch of the driver that is gone: we hold the lease, and the quarantine raises it.
awaitable<result<>> keep_what_was_shown(
    room_kit* kit, agent_session of, agent_run_record run, std::vector<told_message> messages
) {
    shown_messages shown;
    shown.agent = std::move(of.agent);
    shown.epoch = of.driver_epoch;
    shown.run = std::move(run);
    shown.messages = std::move(messages);
    const event_append append = [kit](outgoing_event sent, driver_append with) {
        return append_once(kit, std::move(sent), std::move(with));
    };
    const result<> kept = co_await keep_shown_messages(&kit->store(), std::move(shown), append);
    if (!kept) {
        log(log_level::warn, "turn.text_not_kept", {{"error", kept.error().message()}});
    }
    co_return kept;
}

/// The frames with which the session's run ends, once what they tell of is kept; none if it has its end.
awaitable<result<std::vector<run_frame>>> close_open_run(room_kit* kit, agent_session of) {
    if (of.run.empty()) {
        co_return std::vector<run_frame>{};
    }
    ops::get_run look{of.organization, of.run};
    const auto run = co_await kit->store().run(std::move(look));
    if (!run) {
        co_return run.error();
    }
    if (run->status != run_status::running) {
        co_return std::vector<run_frame>{};
    }
    auto told = co_await load_told_run(&kit->store(), *run);
    if (!told && told.error() != errc::corrupt_data) {
        co_return told.error();
    }
    told_run known = told ? *std::move(told) : told_run{};
    std::vector<told_message> messages = known.transcript.messages();
    const result<> kept = co_await keep_what_was_shown(
        kit, std::move(of), *run, std::move(messages)
    );
    if (!kept && is_left_for_later(kept.error())) {
        co_return kept.error();
    }
    co_return closing_frames(std::move(known), *run);
}

}  // namespace

awaitable<result<session_turn>> set_aside(room_kit* kit, session_turn turn, std::string reason) {
    ops::get_session look{turn.organization, turn.room};
    const auto driven = co_await kit->store().run(std::move(look));
    if (!driven) {
        co_return driven.error();
    }
    // The turn's own run, or that of another turn that was given back: whichever is open ends here.
    auto last_frames = co_await close_open_run(kit, driven->session);
    if (!last_frames) {
        co_return last_frames.error();  // its stream must get an end: later, then
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
