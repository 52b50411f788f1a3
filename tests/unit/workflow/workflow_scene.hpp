// SPDX-License-Identifier: Apache-2.0
// A worker with workflows, whose agent is played by a script.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/scripted_tool.hpp"
#include "support/session_scene.hpp"
#include "workflow/workflow_service.hpp"

namespace convene {

/// Skills that a test puts there.
class scripted_skills final : public skill_texts {
   public:
    std::map<std::string, skill_text> known;      ///< by `skill@commit`
    std::map<std::string, std::string> contents;  ///< by `skill@revision/path`

    [[nodiscard]] awaitable<result<skill_text>> read(
        organization_id, std::string skill, std::string commit
    ) override {
        const auto found = known.find(skill + "@" + commit);
        if (found == known.end()) {
            co_return errc::skill_not_ready;
        }
        co_return found->second;
    }

    [[nodiscard]] awaitable<result<std::string>> read_file(
        organization_id, std::string skill, std::string revision, std::string path
    ) override {
        const auto found = contents.find(skill + "@" + revision + "/" + path);
        if (found == contents.end()) {
            co_return errc::not_found;
        }
        co_return found->second;
    }
};

class workflow_scene {
   public:
    explicit workflow_scene(
        std::vector<model_script> answers,
        std::vector<std::shared_ptr<scripted_tool>> tools = {},
        std::shared_ptr<shared_world> world = std::make_shared<shared_world>()
    )
        : worker(std::move(answers), std::move(world), {}, box_of(tools)),
          service(workflow_parts{
              worker.scene.kit.get(),
              &worker.service,
              &worker.scene.world->clock,
              &system_random(),
              &skills,
              channel_id{"web"},
          }) {
        worker.equip = [this](agent_session session, session_agent* agent) {
            return service.equip(std::move(session), agent);
        };
    }

    /// The first worker of a world.
    void open() {
        worker.scene.open();
        worker.service.start_runner();
    }

    /// Another worker, after the death of the one before.
    void reopen() {
        worker.reopen();
        worker.service.start_runner();
    }

    [[nodiscard]] static task_template task(
        std::string key,
        std::vector<std::string> depends_on = {},
        std::vector<std::string> tools = {},
        std::string mocks = "{}"
    ) {
        task_template made;
        made.key = std::move(key);
        made.title = "Do " + made.key;
        made.instructions = "How to do " + made.key;
        made.depends_on = std::move(depends_on);
        made.tools = std::move(tools);
        made.mocks = json_text::trusted(std::move(mocks));
        return made;
    }

    [[nodiscard]] static workflow_actor ann(std::string key = {}) {
        workflow_actor by;
        by.name = "ann";
        by.display_name = "Ann";
        by.is_user = true;
        by.key = std::move(key);
        return by;
    }

    result<workflow> create(std::vector<task_template> tasks, std::string prompt = {}) {
        workflow wanted;
        wanted.name = "Returns";
        wanted.description = "What comes back is checked.";
        wanted.agent = channel_id{"helper"};
        wanted.tasks = std::move(tasks);
        return worker.scene.loop.run(
            service.create(std::move(wanted), std::move(prompt), ann(), audit_entry{})
        );
    }

    workflow publish(std::vector<task_template> tasks) {
        const auto made = create(std::move(tasks));
        EXPECT_TRUE(made) << made.error().message();
        const auto version = worker.scene.loop.run(service.publish(made->id, ann(), audit_entry{}));
        EXPECT_TRUE(version) << version.error().message();
        return *made;
    }

    result<workflow_execution> execute(
        const workflow_id& id, std::string key = {}, executed_form form = executed_form::published
    ) {
        return worker.scene.loop.run(
            service.execute(id, form, "", ann(std::move(key)), audit_entry{})
        );
    }

    /// Until its session has nothing to do.
    void settle(const room_id& room) {
        for (int i = 0; i < 1'000; ++i) {
            worker.scene.loop.advance(milliseconds{20});
            const session_status status = session(room).status;
            if (status == session_status::idle || status == session_status::failed) {
                return;
            }
        }
        ADD_FAILURE() << "the session does not come to rest";
    }

    [[nodiscard]] agent_session session(const room_id& room) {
        return worker.scene.ask(ops::get_session{{}, room}).session;
    }

    [[nodiscard]] workflow look(const workflow_id& id) {
        return worker.scene.ask(ops::get_workflow{{}, id});
    }

    [[nodiscard]] ops::get_execution::answer look(const room_id& room) {
        return worker.scene.ask(ops::get_execution{{}, room});
    }

    [[nodiscard]] std::vector<std::string> states(const room_id& room) {
        std::vector<std::string> all;
        for (const execution_task& one : look(room).tasks) {
            all.emplace_back(word_of(one.status));
        }
        return all;
    }

    [[nodiscard]] std::vector<std::string> notices() {
        std::vector<std::string> told;
        for (const auto& one : worker.scene.ask(ops::list_notifications{{}, "ann"})) {
            told.push_back(one.told.title);
        }
        return told;
    }

    /// What was decided of tool calls, in their order.
    [[nodiscard]] std::vector<std::string> decisions(const room_id& room) {
        std::vector<std::string> all;
        for (const tool_invocation& one : worker.scene.ask(ops::list_invocations{{}, room})) {
            all.insert(
                all.begin(),
                one.tool + " " + std::string{word_of(one.decision)} + " " + one.task + one.reason
            );
        }
        return all;
    }

    /// The last results of tools that the model was told, the newest last.
    [[nodiscard]] std::vector<std::string> told_results() {
        std::vector<std::string> told;
        for (const chat_message& message : worker.model->requests.back().messages) {
            if (message.role == chat_role::tool) {
                told.push_back(message.text);
            }
        }
        return told;
    }

    scripted_skills skills;
    session_scene worker;
    workflow_service service;

   private:
    static toolbox box_of(const std::vector<std::shared_ptr<scripted_tool>>& tools) {
        toolbox box;
        for (const auto& one : tools) {
            EXPECT_TRUE(box.add(one));
        }
        return box;
    }
};

/// An answer that is one call of a tool of tasks.
[[nodiscard]] inline model_script calls(
    const std::string& tool, const std::string& arguments = "{}"
) {
    return model_script{}.call("c", tool, arguments);
}

}  // namespace convene
