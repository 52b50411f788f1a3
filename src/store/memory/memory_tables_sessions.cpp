// SPDX-License-Identifier: Apache-2.0
// The memory tables: agent sessions, their runs with frames, and tool calls.
#include <algorithm>
#include <ranges>
#include <set>
#include <utility>

#include "store/approval_rules.hpp"
#include "store/memory/approval_notices.hpp"
#include "store/memory/memory_tables.hpp"

namespace convene {

namespace {

/// The last `limit`, the last one first.
template <class Values, class Make>
auto newest(const Values& values, std::size_t limit, Make make) {
    std::vector<decltype(make(*values.begin()))> found;
    for (const auto& one : values | std::views::reverse | std::views::take(limit)) {
        found.push_back(make(one));
    }
    return found;
}

/// Those that its open calls are about.
std::vector<approval> approvals_of_calls(const session_tables::session_row& session) {
    std::vector<approval> found;
    for (const open_call& call : session.info.open_calls) {
        for (const auto& [id, one] : session.approvals) {
            if (one.call_id == call.id) {
                found.push_back(one);
            }
        }
    }
    return found;
}

}  // namespace

// -- sessions -------------------------------------------------------------------------------------

result<agent_session> memory_tables::apply(const ops::open_session& request) {
    if (find_room(request.organization, request.room) == nullptr) {
        return errc::not_found;
    }
    if (const auto* const known = sessions_.find(request.room)) {
        return known->info;
    }
    agent_session opened;
    opened.room = request.room;
    opened.organization = request.organization;
    opened.agent = request.agent;
    opened.owner = request.owner;
    opened.created_at = clock_.now();
    opened.updated_at = opened.created_at;
    sessions_.add(opened);
    return opened;
}

const session_tables::session_row* memory_tables::find_session(
    const organization_id& organization, const room_id& room
) const {
    const session_tables::session_row* const known = sessions_.find(room);
    return known != nullptr && known->info.organization == organization ? known : nullptr;
}

result<ops::get_session::answer> memory_tables::apply(const ops::get_session& request) {
    const auto* const known = find_session(request.organization, request.room);
    if (known == nullptr) {
        return errc::not_found;
    }
    return ops::get_session::answer{known->info, sessions_.state_of(known->info)};
}

result<ops::append_state::answer> memory_tables::apply(const ops::append_state& request) {
    if (!is_delta(request.delta)) {
        return errc::invalid_argument;
    }
    auto* const driven = sessions_.find_driven(request.room, request.epoch);
    if (driven == nullptr) {
        return errc::driver_fenced;
    }
    sessions_.append(*driven, 1, request.delta, clock_.now());
    return ops::append_state::answer{driven->info.sequence};
}

// -- runs -----------------------------------------------------------------------------------------

bool memory_tables::may_be_run(const session_turn& turn, wall_time now) const {
    if (sessions_.find(turn.room)->info.status == session_status::quarantined) {
        return false;
    }
    if (turn.status == turn_status::running) {
        return is_dead(turn.worker);
    }
    return turn.status == turn_status::queued && turn.not_before <= now &&
           sessions_.find(turn.room)->info.status != session_status::waiting_for_approval;
}

result<ops::begin_run::answer> memory_tables::apply(const ops::begin_run& request) {
    const agent_run_record& wanted = request.run;
    if (find_session(wanted.organization, wanted.room) == nullptr) {
        return errc::not_found;
    }
    session_tables::session_row& session = *sessions_.find(wanted.room);
    session_tables::run_row* const known = sessions_.find_run(wanted.id);
    const bool is_takeover = known != nullptr && session.info.run == wanted.id &&
                             known->info.status == run_status::running;
    if (known != nullptr && !is_takeover) {
        return errc::already_exists;
    }
    const wall_time now = clock_.now();
    session_turn* const turn = sessions_.find_turn(wanted.turn);
    if (!wanted.turn.empty() &&
        (turn == nullptr || turn->room != wanted.room || !may_be_run(*turn, now))) {
        return errc::room_changed;
    }
    const session_tables::run_row* const last = sessions_.find_run(session.info.run);
    const bool is_left_open = last != nullptr && last->info.status == run_status::running;
    const std::int32_t newest = std::max(
        is_left_open ? last->info.format : 0, turn != nullptr ? turn->format : 0
    );
    if (newest > wanted.format) {
        return errc::unavailable;
    }

    ops::begin_run::answer answer;
    if (!is_takeover) {
        if (const auto* const ended = sessions_.end_run(
                session.info.run, run_status::interrupted, std::string{interrupted_word}, now
            )) {
            answer.interrupted = *ended;
        }
    }
    for (tool_intent& call : session.calls) {
        if (call.state == tool_intent_state::started) {
            call.state = tool_intent_state::unknown;
            call.ended_at = now;
            answer.unknown_calls.push_back(call);
        }
    }
    if (!is_takeover) {
        cancel_open_approvals(workflows_, session, now);
    }
    answer.asked = approvals_of_calls(session);
    for (auto& [number, other] : session.turns) {
        if (other.status == turn_status::running && &other != turn) {
            other.status = turn_status::queued;
        }
        if (!is_takeover && other.status == turn_status::queued &&
            other.kind == turn_kind::resume && &other != turn) {
            other.status = turn_status::done;
        }
    }

    agent_session& info = session.info;
    ++info.driver_epoch;
    info.status = session_status::running;
    info.run = wanted.id;
    info.updated_at = now;
    if (turn != nullptr) {
        turn->status = turn_status::running;
        ++turn->attempts;
        turn->epoch = info.driver_epoch;
        turn->worker = wanted.worker;
        turn->run = wanted.id;
        turn->format = wanted.format;
    }
    answer.is_takeover = is_takeover;
    answer.session = info;
    answer.state = sessions_.state_of(info);
    if (is_takeover) {
        known->info.epoch = info.driver_epoch;
        known->info.worker = wanted.worker;
        known->info.format = wanted.format;
        answer.run = known->info;
        return answer;
    }
    agent_run_record& begun = answer.run;
    begun.id = wanted.id;
    begun.room = wanted.room;
    begun.organization = wanted.organization;
    begun.epoch = info.driver_epoch;
    begun.worker = wanted.worker;
    begun.started_by = wanted.started_by;
    begun.turn = wanted.turn;
    begun.on_disconnect = wanted.on_disconnect;
    begun.format = wanted.format;
    begun.started_at = now;
    sessions_.add_run(session, begun);
    return answer;
}

result<agent_run_record> memory_tables::apply(const ops::end_run& request) {
    if (request.status == run_status::running) {
        return errc::invalid_argument;
    }
    auto* const driven = sessions_.find_driven(request.room, request.epoch);
    if (driven == nullptr || driven->info.run != request.run) {
        return errc::driver_fenced;
    }
    session_tables::run_row* const run = sessions_.find_run(request.run);
    if (run == nullptr) {
        return errc::driver_fenced;  // a session that nobody has driven yet
    }
    if (run->info.status == request.status && run->info.is_stream_over) {
        return run->info;
    }
    const auto last = frames_to_add(request.last_frames, run->info.next_frame);
    if (!last) {
        return errc::invalid_argument;
    }
    if (run->info.status != run_status::running) {
        return errc::driver_fenced;
    }
    std::set<approval_id> new_ids;
    for (const ops::end_run::question& one : request.questions) {
        if (sessions_.find_approval(one.asked.id) != nullptr ||
            !new_ids.insert(one.asked.id).second) {
            return errc::already_exists;
        }
    }
    const wall_time now = clock_.now();
    agent_run_record* const ended = sessions_.end_run(
        request.run, request.status, request.finish_reason, now
    );
    for (const ops::end_run::question& one : request.questions) {
        const approval asked = as_asked(one, *ended, now);
        if (const auto around = apply(ops::load_room_context{asked.organization, asked.room})) {
            tell_deciders(workflows_, access_, *around, asked, now);
        }
        sessions_.add_approval(*driven, asked);
    }
    session_tables::end_stream(*run, *last);
    ended->error_code = request.error_code;
    session_turn* const turn = sessions_.find_turn(ended->turn);
    if (turn != nullptr && turn->status == turn_status::running) {
        turn->status = status_of_turn_after(request.status);
        turn->last_error = request.error_code;
    }
    driven->info.open_calls = request.open_calls;
    session_tables::settle(*driven, request.then, now);
    if (is_quiet(request.then)) {
        workflows_.settle_generation(request.room, request.error_code, now);
    }
    return *ended;
}

result<agent_run_record> memory_tables::apply(const ops::close_stream& request) {
    auto* const driven = sessions_.find_driven(request.room, request.epoch);
    if (driven == nullptr) {
        return errc::driver_fenced;
    }
    auto* const known = sessions_.find_run(request.run);
    if (known == nullptr || known->info.room != request.room) {
        return errc::not_found;
    }
    if (known->info.is_stream_over) {
        return known->info;
    }
    const auto last = frames_to_add(request.last_frames, known->info.next_frame);
    if (known->info.status == run_status::running || !last) {
        return errc::invalid_argument;
    }
    session_tables::end_stream(*known, *last);
    return known->info;
}

result<agent_run_record> memory_tables::apply(const ops::get_run& request) {
    const auto* const known = sessions_.find_run(request.run);
    if (known == nullptr || known->info.organization != request.organization) {
        return errc::not_found;
    }
    return known->info;
}

result<std::vector<agent_run_record>> memory_tables::apply(const ops::list_runs& request) {
    const auto* const known = find_session(request.organization, request.room);
    if (known == nullptr) {
        return std::vector<agent_run_record>{};
    }
    return newest(known->runs, request.limit, [this](const run_id& run) {
        return sessions_.find_run(run)->info;
    });
}

result<agent_run_record> memory_tables::apply(const ops::request_cancel& request) {
    auto* const known = sessions_.find_run(request.run);
    if (known == nullptr || known->info.organization != request.organization) {
        return errc::not_found;
    }
    if (known->info.status == run_status::running) {
        known->info.is_cancel_requested = true;
    }
    return known->info;
}

// -- frames ---------------------------------------------------------------------------------------

result<std::vector<run_id>> memory_tables::apply(const ops::append_frames& request) {
    std::vector<run_id> left_out;
    for (const ops::append_frames::of_run& given : request.runs) {
        auto* const known = sessions_.find_run(given.run);
        const bool is_theirs = known != nullptr && known->info.room == given.room &&
                               known->info.epoch == given.epoch &&
                               known->info.status == run_status::running;
        const auto added = is_theirs ? frames_to_add(given.frames, known->info.next_frame)
                                     : std::nullopt;
        if (!added) {
            left_out.push_back(given.run);
            continue;
        }
        session_tables::add_frames(*known, *added);
    }
    return left_out;
}

result<ops::list_frames::answer> memory_tables::apply(const ops::list_frames& request) {
    const auto* const known = sessions_.find_run(request.run);
    if (known == nullptr || known->info.organization != request.organization) {
        return errc::not_found;
    }
    ops::list_frames::answer answer;
    answer.run = known->info;
    answer.first_kept = known->is_pruned ? known->info.next_frame : 0;
    for (const run_frame& frame : known->frames) {
        if (frame.number > request.after && answer.frames.size() < request.limit) {
            answer.frames.push_back(frame);
        }
    }
    return answer;
}

std::vector<session_tables::run_row*> memory_tables::old_runs(
    std::chrono::milliseconds older_than, stream_state stream, std::size_t limit
) {
    const wall_time oldest = clock_.now() - older_than;
    std::vector<session_tables::run_row*> old;
    for (auto& [id, run] : sessions_.runs()) {
        const session_turn* const turn = sessions_.find_turn(run.info.turn);
        const bool is_kept = turn != nullptr && !has_ended(turn->status);
        if (run.is_pruned == (stream == stream_state::pruned) && !is_kept && run.info.ended_at &&
            *run.info.ended_at <= oldest) {
            old.push_back(&run);
        }
    }
    std::ranges::sort(old, {}, [](const session_tables::run_row* one) {
        return std::pair{*one->info.ended_at, one->info.id};
    });
    old.resize(std::min(old.size(), limit));
    return old;
}

result<std::size_t> memory_tables::apply(const ops::prune_frames& request) {
    const auto old = old_runs(request.older_than, stream_state::stored, request.limit);
    for (session_tables::run_row* const run : old) {
        run->frames.clear();
        run->is_pruned = true;
    }
    return old.size();
}

result<std::size_t> memory_tables::apply(const ops::prune_runs& request) {
    const auto old = old_runs(request.older_than, stream_state::pruned, request.limit);
    for (const session_tables::run_row* const run : old) {
        sessions_.forget_run(run->info);
    }
    return old.size();
}

// -- tool calls -----------------------------------------------------------------------------------

result<tool_intent> memory_tables::apply(const ops::start_tool_call& request) {
    tool_intent started = request.intent;
    auto* const driven = sessions_.find_driven(started.room, started.epoch);
    if (driven == nullptr || driven->info.run != started.run) {
        return errc::driver_fenced;
    }
    const bool is_known = std::ranges::any_of(driven->calls, [&started](const tool_intent& call) {
        return call.run == started.run && call.call_id == started.call_id;
    });
    if (is_known) {
        return errc::already_exists;
    }
    const wall_time now = clock_.now();
    if (request.allowed_by) {
        approval* const given = sessions_.find_approval(request.allowed_by->approval);
        if (given == nullptr || given->room != started.room ||
            !use_up(given, request.allowed_by->grant, started.tool, now)) {
            return errc::not_authorized;
        }
    }
    access_.note(request.audit, now);
    started.state = tool_intent_state::started;
    started.started_at = now;
    started.ended_at.reset();
    driven->calls.push_back(started);
    return started;
}

result<tool_intent> memory_tables::apply(const ops::end_tool_call& request) {
    if (request.state == tool_intent_state::started) {
        return errc::invalid_argument;
    }
    auto* const driven = sessions_.find_driven(request.room, request.epoch);
    if (driven == nullptr) {
        return errc::driver_fenced;
    }
    const auto open = std::ranges::find_if(driven->calls, [&request](const tool_intent& call) {
        return call.run == request.run && call.call_id == request.call_id &&
               call.state == tool_intent_state::started;
    });
    if (open == driven->calls.end()) {
        return errc::not_found;
    }
    open->state = request.state;
    open->ended_at = clock_.now();
    return *open;
}

result<std::vector<tool_intent>> memory_tables::apply(const ops::list_tool_calls& request) {
    const auto* const known = find_session(request.organization, request.room);
    if (known == nullptr) {
        return std::vector<tool_intent>{};
    }
    return newest(known->calls, request.limit, [](const tool_intent& call) { return call; });
}

}  // namespace convene
