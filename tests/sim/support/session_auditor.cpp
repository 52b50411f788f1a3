// SPDX-License-Identifier: Apache-2.0
// The auditor's view of what drivers write: epochs that rise, streams without gaps, one end, and what is stored of it.
#include "sim/support/session_auditor.hpp"

#include <algorithm>

#include "agent/agui/agui_decoder.hpp"
#include "base/canonical_json.hpp"

namespace convene {

// -- drivers -------------------------------------------------------------------------------------------

void sim_session_auditor::applied(const ops::open_session& request, const agent_session& opened) {
    session_facts& session = sessions_[request.room];
    session.organization = request.organization;
    session.agent = opened.agent;
}

/// L7, A1: whoever has not the highest epoch that was given out is not heard any more.
void sim_session_auditor::check_driver(
    const room_id& room, std::int64_t epoch, std::string_view what
) {
    const std::int64_t current = sessions_.at(room).epoch;
    if (epoch != current) {
        fail("L7: {} of {} by epoch {}, which is {} by now", what, room.str(), epoch, current);
    }
}

void sim_session_auditor::applied(
    const ops::begin_run& request, const ops::begin_run::answer& begun
) {
    session_facts& session = sessions_.at(request.run.room);
    const agent_run_record& run = begun.run;
    world_.note(
        "db: {} drives {} as epoch {}: run {} of turn {}{}",
        run.worker.str(),
        run.room.str(),
        run.epoch,
        run.id.str(),
        request.run.turn.str(),
        begun.is_takeover ? ", taken over" : ""
    );
    if (run.epoch <= session.epoch) {
        fail("A1: {} gets epoch {} after {}", run.room.str(), run.epoch, session.epoch);
    }
    if (is_dead(request.run.worker)) {
        fail("L10: {} begins {} and is dead", request.run.worker.str(), run.id.str());
    }
    session.epoch = run.epoch;
    turn_facts& turn = turns_[request.run.turn];
    if (turn.is_running && !is_dead(turn.attempts.back())) {
        fail(
            "N3: turn {} is begun by {} while {} lives",
            request.run.turn.str(),
            request.run.worker.str(),
            turn.attempts.back().str()
        );
    }
    // Whatever else ran here has been cut off.
    for (auto& [id, other] : turns_) {
        other.is_running = other.is_running && other.room != run.room;
    }
    turn.room = run.room;
    turn.is_running = true;
    turn.attempts.push_back(request.run.worker);
    const auto number = static_cast<std::int64_t>(runs_.size()) + 1;
    run_facts& facts = runs_[run.id];
    facts.room = run.room;
    facts.number = facts.number == 0 ? number : facts.number;
}

// -- streams -------------------------------------------------------------------------------------------

void sim_session_auditor::applied(
    const ops::append_frames& request, const std::vector<run_id>& left_out
) {
    for (const ops::append_frames::of_run& given : request.runs) {
        if (std::ranges::find(left_out, given.run) == left_out.end()) {
            check_driver(given.room, given.epoch, "frames");
            add_frames(given.run, given.frames);
        }
    }
}

/// What is stored stays as it is; what comes follows on.
void sim_session_auditor::add_frames(const run_id& id, const std::vector<run_frame>& frames) {
    run_facts& run = runs_.at(id);
    for (const run_frame& frame : frames) {
        const auto next = static_cast<std::int64_t>(run.frames.size());
        if (frame.number > next) {
            fail("A7: run {} has frame {} after {}", id.str(), frame.number, next - 1);
        } else if (frame.number == next) {
            add_frame(id, run, frame.data);
        } else if (run.frames[static_cast<std::size_t>(frame.number)] != frame.data) {
            fail("A7: frame {} of run {} is stored with other content", frame.number, id.str());
        }
    }
}

/// A3: once a run has said something, nothing more is said as one that began before it.
void sim_session_auditor::note_speaking(const run_id& id, const run_facts& run) {
    session_facts& session = sessions_.at(run.room);
    if (run.number < session.newest) {
        fail("A3: run {} goes on after one that began later has spoken", id.str());
    }
    session.newest = run.number;
}

void sim_session_auditor::add_frame(const run_id& id, run_facts& run, const std::string& data) {
    note_speaking(id, run);
    world_.note("db: run {} frame {}: {}", id.str(), run.frames.size(), data);
    if (run.is_over || run.ends > 0) {
        fail("A5: run {} goes on after its end: {}", id.str(), data);
    }
    run.frames.push_back(data);
    const auto event = decode_agui(data);
    if (!event) {
        fail("A7: run {} has a frame that nobody can read: {}", id.str(), data);
        return;
    }
    if (!*event) {
        return;
    }
    if (const auto* text = std::get_if<run_events::text>(&**event)) {
        std::string& told = told_[text->message];
        if (told.empty()) {
            run.messages.push_back(text->message);
        }
        told += text->piece;
    } else if (const auto* start = std::get_if<run_events::call_start>(&**event)) {
        run.calls[start->call];
    } else if (const auto* result = std::get_if<run_events::call_result>(&**event)) {
        shown_call& call = run.calls[result->call];
        ++call.results;
        call.result_event = result->message;
    } else if (std::holds_alternative<run_events::failed>(**event)) {
        ++run.ends;
    } else if (std::holds_alternative<run_events::finished>(**event)) {
        ++run.ends;
        const auto outcome = find_member(data, "outcome");
        const auto pending = outcome ? find_member(*outcome, "pendingToolCallIds") : std::nullopt;
        for (const std::string_view call : elements_of(pending.value_or("[]"))) {
            run.pending.insert(decode_string(call).value_or(""));
        }
    }
}

void sim_session_auditor::applied(const ops::end_run& request, const agent_run_record& ended) {
    check_driver(request.room, request.epoch, "the end of a run");
    world_.note("db: run {} is {}", request.run.str(), word_of(ended.status));
    add_frames(request.run, request.last_frames);
    run_facts& run = runs_.at(request.run);
    run.is_over = true;
    run.is_driven_to_its_end = true;
    turns_[ended.turn].is_running = false;
}

void sim_session_auditor::applied(const ops::close_stream& request, const agent_run_record&) {
    check_driver(request.room, request.epoch, "the end of a stream");
    add_frames(request.run, request.last_frames);
    runs_.at(request.run).is_over = true;
}

// -- appends -------------------------------------------------------------------------------------------

void sim_session_auditor::applied(const ops::commit& request, const ops::commit::answer&) {
    const auto known = sessions_.find(request.room);
    if (known == sessions_.end()) {
        return;
    }
    session_facts& session = known->second;
    for (const ops::commit::session_append& append : request.session) {
        check_driver(request.room, append.epoch, "an append");
        ++session.sequence;
        for (const json_member& member : members_of(append.delta.session.str())) {
            session.keys.emplace(member.key);
        }
    }
    for (const room_event& event : request.events) {
        add_event(event, session);
        // A4: nobody else speaks for the agent.
        if (event.source.channel == session.agent && request.session.empty()) {
            fail("A4: event {} of the agent is stored without an epoch", event.id.str());
        }
    }
}

void sim_session_auditor::add_event(const room_event& event, session_facts& session) {
    if (!event.idempotency_key.empty() && ++keys_[event.idempotency_key] != 1) {
        fail("R8: key {} is stored twice", event.idempotency_key);
    }
    if (event.source.channel != session.agent) {
        return;
    }
    const run_id said_by{event.correlation_id};
    const auto run = runs_.find(said_by);
    if (run != runs_.end()) {
        note_speaking(said_by, run->second);
    }
    if (event.content.type() == content_type::tool_call) {
        results_[event.content.text_field("tool_id").value_or("")].push_back(event.id.str());
        return;
    }
    const auto body = event.content.body();
    stored_text stored{
        std::string{body.value_or("")},
        find_text(event.metadata.str(), "finish_reason").value_or("")
    };
    // A7: under the id that readers have, and not before they have all of it.
    const auto told = told_.find(event.id.str());
    if (told == told_.end() || told->second != stored.text) {
        fail(
            "A7: {} is stored as '{}', and told as '{}'",
            event.id.str(),
            stored.text,
            told == told_.end() ? "" : told->second
        );
    }
    texts_[event.id.str()] = std::move(stored);
}

// -- turns ---------------------------------------------------------------------------------------------

void sim_session_auditor::applied(const ops::queue_turn&, const session_turn& queued) {
    world_.note("db: turn {} waits for {}", queued.id.str(), queued.room.str());
}

void sim_session_auditor::applied(const ops::requeue_turn& request, const session_turn& queued) {
    check_driver(queued.room, request.epoch, "a turn given back");
    world_.note(
        "db: turn {} is given back{}: {}",
        queued.id.str(),
        request.is_handed_over ? " in order" : "",
        request.error
    );
    turn_facts& turn = turns_.at(request.turn);
    turn.is_running = false;
    if (request.is_handed_over) {
        turn.attempts.pop_back();
    }
}

/// N4: after so many attempts of which nobody said how they ended. Their workers died, or could not say it: that a
/// worker is dead may be proven later than its turn is taken up again.
void sim_session_auditor::applied(
    const ops::quarantine_turn& request, const session_turn& set_aside
) {
    world_.note("db: turn {} is quarantined: {}", set_aside.id.str(), request.reason);
    ++sessions_.at(set_aside.room).epoch;
    turn_facts& turn = turns_[request.turn];
    turn.is_running = false;
    const auto made = std::ssize(turn.attempts);
    if (made < most_attempts_) {
        fail("N4: turn {} is quarantined after {} attempts", set_aside.id.str(), made);
    }
    const auto session = data_.apply(ops::get_session{set_aside.organization, set_aside.room});
    const run_id& last = session->session.run;
    if (const auto run = runs_.find(last); run != runs_.end() && !run->second.is_over) {
        add_frames(last, request.last_frames);
        run->second.is_over = true;
    }
}

void sim_session_auditor::applied(const ops::set_worker_state& request, const std::monostate&) {
    if (request.state == ops::worker_state::dead) {
        dead_.insert(request.incarnation);
    }
}

}  // namespace convene
