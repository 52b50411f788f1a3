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
        {session_status::idle, session_status::waiting_for_input, session_status::failed}
    );
    if (happens(30)) {
        request.open_calls = {
            {any_key(), "tool \"a\"", json_text::trusted(R"({"b":1,"a":[null]})")},
            {any_key(), "b", {}}
        };
    }
    both(request);
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
    both(ops::start_tool_call{intent});
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
    both(ops::queue_turn{turn});
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
