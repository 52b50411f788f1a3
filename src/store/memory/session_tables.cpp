// SPDX-License-Identifier: Apache-2.0
// Sessions in memory: finding, appending, ending, forgetting.
#include "store/memory/session_tables.hpp"

#include <utility>

namespace convene {

session_tables::session_row* session_tables::find(const room_id& room) {
    const auto known = sessions_.find(room);
    return known == sessions_.end() ? nullptr : &known->second;
}

const session_tables::session_row* session_tables::find(const room_id& room) const {
    const auto known = sessions_.find(room);
    return known == sessions_.end() ? nullptr : &known->second;
}

session_tables::run_row* session_tables::find_run(const run_id& run) {
    const auto known = runs_.find(run);
    return known == runs_.end() ? nullptr : &known->second;
}

session_turn* session_tables::find_turn(const turn_id& turn) {
    const auto place = turn_places_.find(turn);
    if (place == turn_places_.end()) {
        return nullptr;
    }
    const auto& [room, number] = place->second;
    return &sessions_.at(room).turns.at(number);
}

approval* session_tables::find_approval(const approval_id& id) {
    const auto place = approval_places_.find(id);
    return place == approval_places_.end() ? nullptr
                                           : &sessions_.at(place->second).approvals.at(id);
}

session_tables::session_row* session_tables::find_driven(const room_id& room, std::int64_t epoch) {
    session_row* const known = find(room);
    return known != nullptr && known->info.driver_epoch == epoch ? known : nullptr;
}

void session_tables::add(agent_session opened) {
    const room_id room = opened.room;
    sessions_[room].info = std::move(opened);
}

void session_tables::add_run(session_row& of, agent_run_record begun) {
    of.runs.push_back(begun.id);
    const run_id id = begun.id;
    runs_[id].info = std::move(begun);
}

void session_tables::add_turn(session_row& of, session_turn queued) {
    const std::int64_t number = ++last_turn_;
    turn_places_.emplace(queued.id, std::pair{of.info.room, number});
    of.turns.emplace(number, std::move(queued));
}

void session_tables::remove_turn(const turn_id& id) {
    const auto place = turn_places_.find(id);
    sessions_.at(place->second.first).turns.erase(place->second.second);
    turn_places_.erase(place);
}

void session_tables::add_approval(session_row& of, approval asked) {
    approval_places_.emplace(asked.id, of.info.room);
    const approval_id id = asked.id;
    of.approvals.emplace(id, std::move(asked));
}

session_state session_tables::state_of(const agent_session& session) const {
    session_state state;
    state.session = session.state;
    if (const auto user = users_.find({session.organization, session.owner});
        user != users_.end()) {
        state.user = user->second;
    }
    if (const auto app = apps_.find(session.organization); app != apps_.end()) {
        state.app = app->second;
    }
    return state;
}

void session_tables::append(
    session_row& to, std::int64_t count, const state_delta& delta, wall_time now
) {
    agent_session& info = to.info;
    info.sequence += count;
    info.updated_at = now;
    info.state = merge_state(info.state, delta.session);
    if (delta.user != json_text{}) {
        json_text& user = users_[{info.organization, info.owner}];
        user = merge_state(user, delta.user);
    }
    if (delta.app != json_text{}) {
        json_text& app = apps_[info.organization];
        app = merge_state(app, delta.app);
    }
}

agent_run_record* session_tables::end_run(
    const run_id& run, run_status status, std::string reason, wall_time now
) {
    run_row* const known = find_run(run);
    if (known == nullptr || known->info.status != run_status::running) {
        return nullptr;
    }
    known->info.status = status;
    known->info.finish_reason = std::move(reason);
    known->info.ended_at = now;
    return &known->info;
}

void session_tables::add_frames(run_row& to, const std::vector<run_frame>& frames) {
    to.frames.insert(to.frames.end(), frames.begin(), frames.end());
    to.info.next_frame += static_cast<std::int64_t>(frames.size());
}

void session_tables::end_stream(run_row& of, const std::vector<run_frame>& last) {
    add_frames(of, last);
    of.info.is_stream_over = true;
}

void session_tables::settle(session_row& of, session_status quiet, wall_time now) {
    of.info.status = status_at_rest(quiet, waiting_in(of, now));
    of.info.updated_at = now;
}

void session_tables::cancel_approvals(session_row& of, wall_time now) {
    for (auto& [id, one] : of.approvals) {
        if (one.state == approval_state::pending) {
            one.state = approval_state::cancelled;
            one.decided_at = now;
        }
    }
}

void session_tables::fence_all() {
    for (auto& [room, session] : sessions_) {
        ++session.info.driver_epoch;
    }
}

void session_tables::forget_room(const room_id& room) {
    const auto known = sessions_.find(room);
    if (known == sessions_.end()) {
        return;
    }
    for (const run_id& run : known->second.runs) {
        runs_.erase(run);
    }
    for (const auto& [number, turn] : known->second.turns) {
        turn_places_.erase(turn.id);
    }
    for (const auto& [id, asked] : known->second.approvals) {
        approval_places_.erase(id);
    }
    sessions_.erase(known);
}

void session_tables::forget_run(agent_run_record of) {
    session_row& session = sessions_.at(of.room);
    std::erase(session.runs, of.id);
    std::erase_if(session.calls, [&of](const tool_intent& call) { return call.run == of.id; });
    const session_turn* const turn = find_turn(of.turn);
    if (turn != nullptr && turn->run == of.id) {
        remove_turn(of.turn);
    }
    if (session.info.run == of.id) {
        session.info.run = run_id{};
    }
    runs_.erase(of.id);
}

bool session_tables::forget_organization(const organization_id& leaving, std::size_t limit) {
    apps_.erase(leaving);
    auto next = users_.lower_bound({leaving, ""});
    std::size_t erased = 0;
    while (next != users_.end() && next->first.first == leaving && erased < limit) {
        next = users_.erase(next);
        ++erased;
    }
    return erased == limit;
}

waiting_turns waiting_in(const session_tables::session_row& session, wall_time now) {
    waiting_turns waiting;
    for (const auto& [number, turn] : session.turns) {
        if (turn.status == turn_status::queued) {
            ++(turn.not_before <= now ? waiting.due : waiting.later);
            waiting.wakes += turn.kind == turn_kind::wake ? 1 : 0;
        }
    }
    return waiting;
}

}  // namespace convene
