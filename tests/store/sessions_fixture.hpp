// SPDX-License-Identifier: Apache-2.0
// The fixture of the tests on sessions: a room that is one, and short forms of what a driver does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/conformance.hpp"
#include "store/operations/sessions.hpp"
#include "support/describe.hpp"

namespace convene {

class session_conformance : public conformance {
   protected:
    /// A room that is a session.
    agent_session open(
        const std::string& id, const std::string& owner = "ann", organization_id of = acme()
    ) {
        must(ops::create_room{make_room(id, of), {}, {}});
        return must(ops::open_session{std::move(of), room_id{id}, channel_id{"agent"}, owner});
    }

    [[nodiscard]] ops::get_session::answer session(
        const std::string& id, organization_id of = acme()
    ) {
        return must(ops::get_session{std::move(of), room_id{id}});
    }

    [[nodiscard]] session_status status_of(const std::string& id) {
        return session(id).session.status;
    }

    [[nodiscard]] static ops::begin_run run_of(
        const std::string& room,
        const std::string& run,
        const std::string& turn = {},
        const incarnation_id& worker = worker_one()
    ) {
        ops::begin_run begun;
        begun.run.id = run_id{run};
        begun.run.room = room_id{room};
        begun.run.organization = acme();
        begun.run.worker = worker;
        begun.run.turn = turn_id{turn};
        return begun;
    }

    /// Answers the epoch.
    std::int64_t begin(const std::string& room, const std::string& run) {
        return must(run_of(room, run)).session.driver_epoch;
    }

    [[nodiscard]] static ops::end_run end_of(
        const std::string& room, const std::string& run, std::int64_t epoch
    ) {
        ops::end_run ended;
        ended.room = room_id{room};
        ended.run = run_id{run};
        ended.epoch = epoch;
        ended.finish_reason = "stop";
        return ended;
    }

    [[nodiscard]] agent_run_record run_record(const std::string& run) {
        return must(ops::get_run{acme(), run_id{run}});
    }

    [[nodiscard]] static state_delta delta(
        std::string session, std::string user = "{}", std::string app = "{}"
    ) {
        return {
            json_text::trusted(std::move(session)),
            json_text::trusted(std::move(user)),
            json_text::trusted(std::move(app))
        };
    }

    [[nodiscard]] static ops::start_tool_call call_of(
        const std::string& room, const std::string& run, const std::string& call, std::int64_t epoch
    ) {
        ops::start_tool_call made;
        made.intent.room = room_id{room};
        made.intent.run = run_id{run};
        made.intent.call_id = call;
        made.intent.tool = "search";
        made.intent.arguments_digest = "digest";
        made.intent.epoch = epoch;
        return made;
    }

    /// A batch of one message that a driver appends.
    [[nodiscard]] ops::commit append(
        const std::string& room, const std::string& event, std::int64_t epoch, state_delta changed
    ) {
        ops::commit made = batch(room).add(make_message(event)).take();
        made.session.push_back({epoch, std::move(changed), {}});
        return made;
    }

    [[nodiscard]] static session_turn turn_of(
        const std::string& room, const std::string& id, organization_id of = acme()
    ) {
        session_turn turn;
        turn.id = turn_id{id};
        turn.room = room_id{room};
        turn.organization = std::move(of);
        turn.input = json_text::trusted(R"({"say":"hello"})");
        turn.acting_for = "ann";
        return turn;
    }

    session_turn queue(const std::string& room, const std::string& id) {
        return must(ops::queue_turn{turn_of(room, id)});
    }

    [[nodiscard]] std::vector<std::string> due(std::size_t limit = 64) {
        std::vector<std::string> ids;
        for (const session_turn& turn : must(ops::list_due_turns{limit})) {
            ids.push_back(turn.id.str());
        }
        return ids;
    }

    [[nodiscard]] session_turn turn(const std::string& id) {
        for (const session_turn& one : must(ops::list_turns{acme(), {}, {}, 1000})) {
            if (one.id == turn_id{id}) {
                return one;
            }
        }
        ADD_FAILURE() << "no turn " << id;
        return {};
    }
};

}  // namespace convene
