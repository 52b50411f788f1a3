// SPDX-License-Identifier: Apache-2.0
// The auditor's last look at sessions: nothing runs or waits, every stream is whole, and what was shown is stored.
#include <algorithm>

#include "base/canonical_json.hpp"
#include "sim/support/session_auditor.hpp"

namespace convene {

namespace {

constexpr std::size_t all = 100'000;

bool is_at_work(session_status status) {
    return status == session_status::running || status == session_status::queued ||
           status == session_status::scheduled;
}

bool is_open(turn_status status) {
    return status == turn_status::queued || status == turn_status::running;
}

}  // namespace

/// Those that somebody is still to run; what waits behind a quarantined one waits for an operator.
std::vector<session_turn> sim_session_auditor::all_turns() {
    std::vector<session_turn> turns;
    for (const auto& [room, session] : sessions_) {
        ops::list_turns request{session.organization, room, std::nullopt, all};
        for (session_turn& turn : *data_.apply(request)) {
            turns.push_back(std::move(turn));
        }
    }
    return turns;
}

bool sim_session_auditor::is_quiet() { return describe_unrest().empty(); }

std::string sim_session_auditor::describe_unrest() {
    std::string unrest;
    std::set<room_id> set_aside;
    for (const auto& [room, session] : sessions_) {
        const auto now = data_.apply(ops::get_session{session.organization, room});
        const session_status status = now->session.status;
        if (status == session_status::quarantined) {
            set_aside.insert(room);
        }
        if (is_at_work(status)) {
            unrest += fmt::format("; {} is {}", room.str(), word_of(status));
        }
    }
    for (const session_turn& turn : all_turns()) {
        if (is_open(turn.status) && !set_aside.contains(turn.room)) {
            unrest += fmt::format(
                "; turn {} is {} at {}{}",
                turn.id.str(),
                word_of(turn.status),
                turn.worker.str(),
                is_dead(turn.worker) ? " (dead)" : ""
            );
        }
    }
    return unrest;
}

void sim_session_auditor::check_end() {
    for (const auto& [room, session] : sessions_) {
        check_session_at_end(room, session);
    }
    for (const auto& [id, run] : runs_) {
        check_run_at_end(id, run);
        check_calls_at_end(id, run);
        if (run.is_driven_to_its_end) {
            check_texts_at_end(id, run);
        }
    }
    check_messages_at_end();
}

/// A4: no append and no key of the state is lost.
void sim_session_auditor::check_session_at_end(const room_id& room, const session_facts& session) {
    const auto stored = data_.apply(ops::get_session{session.organization, room});
    if (stored->session.driver_epoch != session.epoch ||
        stored->session.sequence != session.sequence) {
        fail(
            "A4: {} has epoch {} and sequence {}, not {} and {}",
            room.str(),
            stored->session.driver_epoch,
            stored->session.sequence,
            session.epoch,
            session.sequence
        );
    }
    for (const std::string& key : session.keys) {
        if (!find_member(stored->session.state.str(), key)) {
            fail("A4: {} has lost '{}'", room.str(), key);
        }
    }
}

/// A5, A7: one terminal event, the last, and what is stored is what readers got.
void sim_session_auditor::check_run_at_end(const run_id& id, const run_facts& run) {
    const auto stored = data_.apply(
        ops::list_frames{sessions_.at(run.room).organization, id, -1, all}
    );
    if (stored->run.status == run_status::running || !run.is_over || run.ends != 1) {
        fail(
            "A5: run {} is {}, its stream is {}, with {} ends",
            id.str(),
            word_of(stored->run.status),
            run.is_over ? "over" : "open",
            run.ends
        );
    }
    const bool is_same = std::ranges::equal(stored->frames, run.frames, {}, &run_frame::data);
    if (!is_same) {
        fail("A7: the stream of run {} is stored otherwise", id.str());
    }
    const bool has_beginning = !run.frames.empty() &&
                               find_text(run.frames.front(), "type") == "RUN_STARTED";
    if (!has_beginning) {
        fail("A7: the stream of run {} has no beginning", id.str());
    }
}

/// A7: what a reader put together is what is stored, under the same id.
void sim_session_auditor::check_texts_at_end(const run_id& id, const run_facts& run) {
    for (const std::string& message : run.messages) {
        const auto stored = texts_.find(message);
        if (stored == texts_.end()) {
            fail("A7: message {} of run {} was told and is not stored", message, id.str());
        } else if (stored->second.text != told_.at(message)) {
            fail("A7: message {} of run {} goes on after it was stored", message, id.str());
        }
    }
}

/// A5, A9: each call that was shown has one result, which a client's has with the next run.
void sim_session_auditor::check_calls_at_end(const run_id& id, const run_facts& run) {
    for (const auto& [call, shown] : run.calls) {
        const std::size_t events = results_[call].size();
        const bool is_clients = run.pending.contains(call);
        if (shown.results != (is_clients ? 0 : 1)) {
            fail("A9: call {} of run {} was shown {} results", call, id.str(), shown.results);
        }
        if (events > 1) {
            fail("A9: call {} of run {} has {} results", call, id.str(), events);
        }
        if (events == 0 && !is_clients && run.is_driven_to_its_end) {
            fail("A9: call {} of run {} is not in the history", call, id.str());
        }
    }
    // A5: those that a client has left open are with its session, until the next run.
    const auto stored = data_.apply(ops::get_session{sessions_.at(run.room).organization, run.room}
    );
    for (const std::string& call : run.pending) {
        const bool waits = std::ranges::find(stored->session.open_calls, call, &open_call::id) !=
                           stored->session.open_calls.end();
        if (results_[call].empty() && !waits) {
            fail("A5: call {} of run {} was left to the client and forgotten", call, id.str());
        }
    }
}

/// N3: what was taken on is stored, whoever ran it.
void sim_session_auditor::check_messages_at_end() {
    for (const auto& [message, run] : in_runs_) {
        check_message(message, run);
    }
    for (const session_turn& turn : all_turns()) {
        for (const auto& [message, taken] : in_turns_) {
            if (taken == turn.id && turn.status == turn_status::done) {
                check_message(message, turn.run);
            }
        }
    }
}

/// A run that was cancelled may end before it has begun.
void sim_session_auditor::check_message(const std::string& message, const run_id& run) {
    const organization_id& organization = sessions_.at(runs_.at(run).room).organization;
    const auto record = data_.apply(ops::get_run{organization, run});
    if (record->status == run_status::finished && keys_["agui:" + message] != 1) {
        fail("N3: message {} was taken by run {} and is not stored", message, run.str());
    }
}

}  // namespace convene
