// SPDX-License-Identifier: Apache-2.0
// The memory tables: turns, which wait for a runner.
#include <algorithm>
#include <utility>

#include "store/memory/memory_tables.hpp"

namespace convene {

namespace {

using turn_entry = std::pair<const std::int64_t, session_turn>;

bool is_queued(const turn_entry& entry) { return entry.second.status == turn_status::queued; }

bool is_running(const turn_entry& entry) { return entry.second.status == turn_status::running; }

}  // namespace

result<session_turn> memory_tables::apply(const ops::queue_turn& request) {
    session_turn queued = request.turn;
    if (find_session(queued.organization, queued.room) == nullptr) {
        return errc::not_found;
    }
    session_tables::session_row& session = *sessions_.find(queued.room);
    if (request.epoch && session.info.driver_epoch != *request.epoch) {
        return errc::driver_fenced;
    }
    if (sessions_.find_turn(queued.id) != nullptr) {
        return errc::already_exists;
    }
    if (workflows_.is_over(queued.room)) {
        return errc::execution_ended;
    }
    const wall_time now = clock_.now();
    if (!waiting_in(session, now).has_room_for(queued.kind)) {
        return errc::overloaded;
    }
    queued = as_queued(std::move(queued), now, request.delay);
    sessions_.add_turn(session, queued);
    if (session.info.status != session_status::running) {
        session_tables::settle(session, session.info.status, now);
    }
    return queued;
}

result<session_turn> memory_tables::apply(const ops::cancel_wake& request) {
    const session_turn* const known = sessions_.find_turn(request.turn);
    const bool is_there = known != nullptr && known->organization == request.organization &&
                          known->room == request.room && known->kind == turn_kind::wake;
    if (!is_there) {
        return errc::not_found;
    }
    if (!is_wake_ahead(*known)) {
        return errc::room_changed;
    }
    session_turn removed = *known;
    sessions_.remove_turn(removed.id);
    const wall_time now = clock_.now();
    session_tables::session_row& session = *sessions_.find(removed.room);
    if (session.info.status != session_status::running) {
        session_tables::settle(session, status_without_turns(session.info.status), now);
    }
    access_.note(request.audit, now);
    return removed;
}

/// The first of a session that could be run: the one that a dead worker left, or the first that waits.
const turn_entry* memory_tables::first_due(
    const session_tables::session_row& session, wall_time now
) const {
    const auto running = std::ranges::find_if(session.turns, is_running);
    if (running != session.turns.end()) {
        return may_be_run(running->second, now) ? &*running : nullptr;
    }
    const turn_entry* first = nullptr;
    for (const turn_entry& entry : session.turns) {
        // Of those that may be run from the same time on the one that was queued first.
        if (is_queued(entry) &&
            (first == nullptr || entry.second.not_before < first->second.not_before)) {
            first = &entry;
        }
    }
    return first != nullptr && may_be_run(first->second, now) ? first : nullptr;
}

result<std::vector<session_turn>> memory_tables::apply(const ops::list_due_turns& request) {
    const wall_time now = clock_.now();
    std::vector<numbered_turn> due;
    for (const auto& [room, session] : sessions_.all()) {
        const turn_entry* const first = first_due(session, now);
        if (first != nullptr && first->second.format <= request.format) {
            due.push_back({first->first, first->second});
        }
    }
    return take_in_turn(std::move(due), request.limit);
}

result<std::optional<wall_time>> memory_tables::apply(const ops::next_turn_at&) {
    const wall_time now = clock_.now();
    std::optional<wall_time> next;
    for (const auto& [room, session] : sessions_.all()) {
        for (const turn_entry& entry : session.turns) {
            const wall_time at = entry.second.not_before;
            if (is_queued(entry) && at > now && (!next || at < *next)) {
                next = at;
            }
        }
    }
    return next;
}

result<session_turn> memory_tables::apply(const ops::requeue_turn& request) {
    session_turn* const turn = sessions_.find_turn(request.turn);
    if (turn == nullptr || turn->status != turn_status::running || turn->epoch != request.epoch) {
        return errc::driver_fenced;
    }
    auto* const driven = sessions_.find_driven(turn->room, request.epoch);
    if (driven == nullptr) {
        return errc::driver_fenced;
    }
    const wall_time now = clock_.now();
    turn->status = turn_status::queued;
    turn->attempts -= request.is_handed_over ? 1 : 0;
    turn->last_error = request.error;
    if (request.delay.count() > 0) {
        turn->not_before = now + request.delay;
    }
    session_tables::settle(*driven, session_status::idle, now);
    return *turn;
}

result<session_turn> memory_tables::apply(const ops::quarantine_turn& request) {
    session_turn* const turn = sessions_.find_turn(request.turn);
    if (turn == nullptr) {
        return errc::not_found;
    }
    const bool was_running = turn->status == turn_status::running;
    if (turn->status != turn_status::queued && !(was_running && is_dead(turn->worker))) {
        return errc::room_changed;
    }
    const wall_time now = clock_.now();
    agent_session& session = sessions_.find(turn->room)->info;
    auto* const run = sessions_.find_run(session.run);
    const bool is_open = run != nullptr && run->info.status == run_status::running;
    const auto last = is_open ? frames_to_add(request.last_frames, run->info.next_frame)
                              : std::nullopt;
    if (is_open && !last) {
        return errc::invalid_argument;
    }
    if (is_open) {
        sessions_.end_run(session.run, run_status::interrupted, std::string{interrupted_word}, now);
        session_tables::end_stream(*run, *last);
    }
    turn->status = turn_status::quarantined;
    turn->last_error = request.reason;
    ++session.driver_epoch;
    session.status = session_status::quarantined;
    session.updated_at = now;
    workflows_.settle_generation(turn->room, request.reason, now);
    return *turn;
}

result<session_turn> memory_tables::apply(const ops::retry_turn& request) {
    session_turn* const turn = sessions_.find_turn(request.turn);
    if (turn == nullptr || turn->organization != request.organization) {
        return errc::not_found;
    }
    if (turn->status != turn_status::failed && turn->status != turn_status::quarantined) {
        return errc::room_changed;
    }
    if (workflows_.is_over(turn->room)) {
        return errc::execution_ended;
    }
    const wall_time now = clock_.now();
    turn->status = turn_status::queued;
    turn->attempts = 0;
    turn->not_before = now;
    turn->last_error.clear();
    session_tables::session_row& session = *sessions_.find(turn->room);
    if (session.info.status != session_status::running) {
        session_tables::settle(session, status_for_retry(session.info.status), now);
    }
    access_.note(request.audit, now);
    return *turn;
}

result<session_turn> memory_tables::apply(const ops::get_turn& request) {
    const session_turn* const known = sessions_.find_turn(request.turn);
    if (known == nullptr || known->organization != request.organization) {
        return errc::not_found;
    }
    return *known;
}

result<ops::count_turns::answer> memory_tables::apply(const ops::count_turns&) {
    ops::count_turns::answer counts;
    for (const auto& [room, session] : sessions_.all()) {
        for (const auto& [number, turn] : session.turns) {
            counts.queued += turn.status == turn_status::queued ? 1 : 0;
            counts.running += turn.status == turn_status::running ? 1 : 0;
            counts.quarantined += turn.status == turn_status::quarantined ? 1 : 0;
        }
    }
    return counts;
}

result<std::vector<session_turn>> memory_tables::apply(const ops::list_turns& request) {
    std::vector<numbered_turn> found;
    for (const auto& [room, session] : sessions_.all()) {
        if (session.info.organization != request.organization ||
            (request.room && *request.room != room)) {
            continue;
        }
        for (const auto& [number, turn] : session.turns) {
            if (!request.status || turn.status == *request.status) {
                found.push_back({number, turn});
            }
        }
    }
    std::ranges::sort(found, std::ranges::greater{}, &numbered_turn::number);
    std::vector<session_turn> newest;
    for (numbered_turn& one : found) {
        if (newest.size() < request.limit) {
            newest.push_back(std::move(one.turn));
        }
    }
    return newest;
}

}  // namespace convene
