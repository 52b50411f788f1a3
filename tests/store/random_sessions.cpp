// SPDX-License-Identifier: Apache-2.0
// Drawing operations: sessions, runs with frames and tool calls, turns.
#include <chrono>

#include "store/random_operations.hpp"

namespace convene {

using namespace std::chrono_literals;

// -- drawing ----------------------------------------------------------------------------------

run_id random_operations::any_run() {
    const std::size_t back = below(5);
    return run_id{"run" + std::to_string(last_run_ > back ? last_run_ - back : 0)};
}

std::int64_t random_operations::epoch_of(const room_id& room) {
    for (const organization_id& of : {acme(), organization_id{"globex"}}) {
        const auto known = oracle_.run(ops::get_session{of, room});
        if (known && happens(90)) {
            return known->session.driver_epoch;
        }
    }
    return static_cast<std::int64_t>(below(4));
}

run_id random_operations::run_of(const room_id& room) {
    const auto known = oracle_.run(ops::get_session{organization_of(room), room});
    return known && happens(80) ? known->session.run : any_run();
}

json_text random_operations::any_delta() {
    const std::vector<std::string> keys{"a", "b", "B", "é", "\\n", "aa"};
    const std::vector<std::string> values{
        "null", "1", "1.0", "\"x\\\"\"", "[null]", R"({"n":null})"
    };
    if (happens(50)) {
        return json_text{};
    }
    // Two keys that are not the same.
    const std::size_t first = below(keys.size() - 1);
    const std::size_t second = first + 1 + below(keys.size() - first - 1);
    return json_text::trusted(
        "{\"" + keys[second] + "\":" + one_of(values) + ",\"" + keys[first] +
        "\":" + one_of(values) + "}"
    );
}

// -- sessions and runs ------------------------------------------------------------------------

void random_operations::open_session() {
    const room_id room = any_room();
    both(ops::open_session{organization_of(room), room, any_channel(), numbered("owner", 2)});
}

void random_operations::begin_run() {
    ops::begin_run request;
    request.run.room = any_room();
    request.run.organization = organization_of(request.run.room);
    request.run.id = run_id{happens(95) ? "run" + std::to_string(++last_run_) : any_run().str()};
    request.run.worker = any_worker();
    request.run.started_by = any_key();
    request.run.on_disconnect = one_up_to(disconnect_policy::grace);
    request.run.format = happens(80) ? 2 : 1;
    if (happens(60)) {
        request.run.turn = any_turn();
        const auto due = oracle_.run(ops::list_due_turns{8}).value();
        if (!due.empty() && happens(80)) {
            const session_turn& one = one_of(due);
            request.run.room = one.room;
            request.run.organization = one.organization;
            request.run.turn = one.id;
        }
    }
    both(request);
}

void random_operations::end_run() {
    ops::end_run request;
    request.room = any_room();
    request.run = run_of(request.room);
    request.epoch = epoch_of(request.room);
    request.status = one_up_to(run_status::interrupted);
    request.finish_reason = any_key();
    request.error_code = happens(50) ? any_key() : "";
    request.then = one_of<session_status>(
        {session_status::idle,
         session_status::waiting_for_input,
         session_status::waiting_for_approval,
         session_status::failed}
    );
    if (happens(30)) {
        request.open_calls = {
            {any_key(), "tool \"a\"", json_text::trusted(R"({"b":1,"a":[null]})")},
            {any_key(), "b", {}}
        };
    }
    for (std::size_t count = happens(60) ? below(3) : 0; count > 0; --count) {
        ops::end_run::question& asks = request.questions.emplace_back();
        asks.asked.id = happens(95) ? approval_id{"approval" + std::to_string(++last_approval_)}
                                    : any_approval();
        asks.asked.call_id = request.open_calls.empty() ? any_key() : request.open_calls[0].id;
        asks.asked.kind = one_up_to(approval_kind::input);
        asks.asked.title = any_key();
        asks.asked.grants = {{any_key(), any_delta(), 2, 0}, {"tool \"a\"", {}, 1, 0}};
        asks.asked.deciders = {"role:\"x\"", any_key()};
        if (happens(50)) {
            asks.asked.response_schema = any_delta();
        }
        asks.valid_for = std::chrono::minutes{below(90)};
    }
    both(request);
}

// -- approvals --------------------------------------------------------------------------------

approval_id random_operations::any_approval() {
    const std::size_t back = below(6);
    return approval_id{
        "approval" + std::to_string(last_approval_ > back ? last_approval_ - back : 0)
    };
}

session_turn random_operations::any_resume(const room_id& room) {
    session_turn turn;
    turn.room = room;
    turn.organization = organization_of(room);
    turn.id = turn_id{happens(95) ? "turn" + std::to_string(++last_turn_) : any_turn().str()};
    turn.kind = turn_kind::resume;
    turn.acting_for = any_key();
    return turn;
}

void random_operations::decide_approvals() {
    ops::decide_approvals request;
    request.room = any_room();
    request.organization = organization_of(request.room);
    ops::list_approvals open;
    open.organization = request.organization;
    open.room = request.room;
    open.state = approval_state::pending;
    for (const approval& one : oracle_.run(open).value()) {
        if (happens(80)) {
            request.decisions.push_back({one.id, approval_state::approved, any_delta(), {}});
        }
    }
    if (request.decisions.empty() || happens(10)) {
        request.decisions.push_back(
            {any_approval(), one_up_to(approval_state::cancelled), any_delta(), {}}
        );
    }
    request.decided_by = any_key();
    request.turn = any_resume(request.room);
    request.which = happens(30) ? ops::decide_approvals::reach::all
                                : ops::decide_approvals::reach::some;
    both(request);
    if (happens(30)) {
        both(ops::find_expired_approvals{below(4)});
        const room_id room = any_room();
        both(ops::expire_approvals{room, any_resume(room)});
    }
}

void random_operations::read_approvals() {
    ops::list_approvals request;
    request.organization = happens(80) ? acme() : organization_id{"globex"};
    if (happens(40)) {
        request.room = any_room();
    }
    if (happens(40)) {
        request.state = one_up_to(approval_state::cancelled);
    }
    if (happens(30)) {
        request.member = participant_id{numbered("person", 3)};
    }
    if (happens(30)) {
        request.before = any_approval();
    }
    request.limit = below(6);
    both(request);
    both(ops::get_approval{request.organization, any_approval()});
}

void random_operations::append_to_session() {
    const room_id room = any_room();
    both(ops::append_state{room, epoch_of(room), {any_delta(), any_delta(), any_delta()}});
    both(ops::get_session{organization_of(room), room});
}

void random_operations::append_frames() {
    ops::append_frames request;
    for (std::size_t i = below(4); i > 0; --i) {
        ops::append_frames::of_run& given = request.runs.emplace_back();
        given.room = any_room();
        given.run = run_of(given.room);
        given.epoch = epoch_of(given.room);
        const auto known = oracle_.run(ops::get_run{organization_of(given.room), given.run});
        std::int64_t next = known && happens(90) ? known->next_frame
                                                 : static_cast<std::int64_t>(below(4));
        for (std::size_t count = below(4); count > 0; --count) {
            given.frames.push_back({next++, any_key()});
        }
    }
    both(request);
    if (happens(10)) {
        both(ops::prune_frames{std::chrono::minutes{below(60)}, below(4)});
        both(ops::prune_runs{std::chrono::minutes{below(90)}, below(4)});
    }
}

void random_operations::read_runs() {
    const room_id room = any_room();
    const organization_id of = organization_of(room);
    both(ops::list_runs{of, room, below(4)});
    both(ops::get_run{of, any_run()});
    both(ops::list_frames{of, run_of(room), static_cast<std::int64_t>(below(4)) - 1, below(4)});
    if (happens(30)) {
        both(ops::request_cancel{of, run_of(room)});
    }
}

void random_operations::call_tools() {
    const room_id room = any_room();
    tool_intent intent;
    intent.room = room;
    intent.run = run_of(room);
    intent.call_id = any_key();
    intent.tool = any_key();
    intent.epoch = epoch_of(room);
    ops::start_tool_call start{intent};
    if (happens(40)) {
        ops::list_approvals given;
        given.organization = organization_of(room);
        given.room = room;
        given.state = approval_state::approved;
        const auto known = oracle_.run(given).value();
        const approval_id which = known.empty() ? any_approval() : one_of(known).id;
        start.allowed_by = ops::start_tool_call::use{which, below(3)};
        start.intent.tool = happens(60) ? "tool \"a\"" : intent.tool;
    }
    both(start);
    if (happens(70)) {
        both(ops::end_tool_call{
            room, intent.run, any_key(), epoch_of(room), one_up_to(tool_intent_state::unknown)
        });
    }
    both(ops::list_tool_calls{organization_of(room), room, below(4)});
}

// -- turns ------------------------------------------------------------------------------------

void random_operations::queue_turn() {
    session_turn turn;
    turn.room = any_room();
    turn.organization = organization_of(turn.room);
    turn.id = turn_id{happens(95) ? "turn" + std::to_string(++last_turn_) : any_turn().str()};
    turn.kind = one_up_to(turn_kind::wake);
    turn.input = json_text::trusted(R"({"say":1})");
    turn.acting_for = any_key();
    turn.format = happens(80) ? 1 : 2;
    if (happens(30)) {
        turn.not_before = oracle_.clock().now() + std::chrono::minutes{below(90)};
    }
    ops::queue_turn request{turn};
    if (happens(20)) {
        request.delay = std::chrono::minutes{below(90)};
    }
    if (happens(20)) {
        request.epoch = epoch_of(turn.room);
    }
    both(request);
}

void random_operations::change_turns() {
    turn_id turn = any_turn();
    std::int64_t epoch = static_cast<std::int64_t>(below(4));
    const auto running = oracle_.run(ops::list_turns{acme(), {}, turn_status::running, 1}).value();
    if (!running.empty() && happens(70)) {
        turn = running.front().id;
        epoch = running.front().epoch;
    }
    const std::chrono::milliseconds delay{happens(50) ? 0 : below(3'600'000)};
    if (happens(50)) {
        both(ops::requeue_turn{turn, epoch, happens(50), delay, any_key()});
    } else if (happens(40)) {
        const auto known = oracle_.run(ops::get_turn{acme(), turn});
        const room_id room = known && happens(90) ? known->room : any_room();
        both(ops::cancel_wake{happens(90) ? acme() : organization_id{"globex"}, room, turn});
    } else if (happens(30)) {
        both(ops::quarantine_turn{turn, any_key()});
    } else {
        both(ops::retry_turn{happens(90) ? acme() : organization_id{"globex"}, turn});
    }
}

void random_operations::read_turns() {
    both(ops::list_due_turns{below(6), happens(50) ? 1 : 2});
    both(ops::count_turns{});
    both(ops::get_turn{organization_of(any_room()), any_turn()});
    both(ops::next_turn_at{});
    ops::list_turns request;
    request.organization = happens(70) ? acme() : organization_id{"globex"};
    if (happens(40)) {
        request.room = any_room();
    }
    if (happens(40)) {
        request.status = one_up_to(turn_status::quarantined);
    }
    request.limit = below(6);
    both(request);
}

}  // namespace convene
