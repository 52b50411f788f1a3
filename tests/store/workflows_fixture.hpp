// SPDX-License-Identifier: Apache-2.0
// The fixture of the tests on workflows and executions: short forms of what is made and asked.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "store/operations/workflows.hpp"
#include "store/sessions_fixture.hpp"

namespace convene {

class workflow_conformance : public session_conformance {
   protected:
    [[nodiscard]] static task_template task(
        std::string key, std::vector<std::string> depends_on = {}
    ) {
        task_template made;
        made.key = std::move(key);
        made.title = "Do \"it\" — for Ann";
        made.instructions = "First,\nthen.";
        made.depends_on = std::move(depends_on);
        made.tools = {"search", "mail"};
        made.mocks = json_text::trusted(R"({"search":{"found":[1.50,null]},"mail":"sent"})");
        return made;
    }

    [[nodiscard]] static workflow draft_of(
        const std::string& id, std::vector<task_template> tasks = {}
    ) {
        workflow made;
        made.id = workflow_id{id};
        made.organization = acme();
        made.name = "Returns";
        made.description = "What comes back";
        made.skill = "skill";
        made.skill_commit = "c0ffee";
        made.agent = channel_id{"agent"};
        made.tasks = std::move(tasks);
        made.created_by = "ann";
        return made;
    }

    [[nodiscard]] static ops::new_session session_in(const std::string& room) {
        ops::new_session made;
        made.room = make_room(room);
        made.bindings = {make_binding(room, "web"), make_binding(room, "agent")};
        made.participants = {make_participant(room, "ann")};
        made.agent = channel_id{"agent"};
        made.owner = "ann";
        made.turn = turn_of(room, room + "-turn");
        return made;
    }

    workflow make_workflow(const std::string& id, std::vector<task_template> tasks = {}) {
        return must(ops::put_workflow{draft_of(id, std::move(tasks)), {}, {}});
    }

    [[nodiscard]] workflow stored_workflow(const std::string& id) {
        return must(ops::get_workflow{acme(), workflow_id{id}});
    }

    [[nodiscard]] static ops::create_execution execution_in(
        const std::string& room, std::vector<task_template> tasks, const std::string& of = "w"
    ) {
        ops::create_execution made;
        made.execution.room = room_id{room};
        made.execution.organization = acme();
        made.execution.workflow = workflow_id{of};
        made.execution.version = 3;
        made.execution.name = "Returns of May";
        made.execution.initiator = "ann";
        made.tasks = std::move(tasks);
        made.session = session_in(room);
        return made;
    }

    /// An execution whose first turn runs; answers the epoch.
    std::int64_t start(const std::string& room, std::vector<task_template> tasks) {
        must(execution_in(room, std::move(tasks)));
        return must(run_of(room, room + "-run", room + "-turn")).session.driver_epoch;
    }

    [[nodiscard]] static ops::change_task step(
        const std::string& room,
        std::int64_t epoch,
        const std::string& key,
        execution_task_status to
    ) {
        ops::change_task made;
        made.room = room_id{room};
        made.epoch = epoch;
        made.change.key = key;
        made.change.to = to;
        made.change.result = "a result";
        made.change.error = "an error";
        made.change.error_kind = task_error_kind::timeout;
        return made;
    }

    [[nodiscard]] ops::get_execution::answer execution(const std::string& room) {
        return must(ops::get_execution{acme(), room_id{room}});
    }

    [[nodiscard]] std::vector<std::string> notices_of(const std::string& user) {
        std::vector<std::string> told;
        for (const auto& one : must(ops::list_notifications{acme(), user})) {
            told.push_back(std::string{word_of(one.told.kind)} + ": " + one.told.title);
        }
        return told;
    }
};

}  // namespace convene
