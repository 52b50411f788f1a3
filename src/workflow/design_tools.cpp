// SPDX-License-Identifier: Apache-2.0
// Design tools: the draft is changed as the session's driver.
#include "workflow/design_tools.hpp"

#include <optional>
#include <string>
#include <utility>

#include "agent/tool_arguments.hpp"
#include "base/canonical_json.hpp"
#include "base/json_writer.hpp"
#include "store/operations/workflows.hpp"
#include "store/store.hpp"
#include "store/workflow_rules.hpp"

namespace convene {

namespace {

class read_workflow_tool final : public tool {
   public:
    explicit read_workflow_tool(execution_place of) : of_(std::move(of)) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        static const tool_definition made = define_tool(
            "read_workflow",
            "Reads the draft of the workflow as it is now.",
            R"({"type":"object","properties":{},"additionalProperties":false})"
        );
        return made;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text, tool_context) override {
        ops::find_session_work look{of_.organization, of_.room};
        const auto work = co_await of_.store->run(std::move(look));
        if (!work) {
            co_return work.error();
        }
        if (!work->design) {
            co_return errc::not_found;
        }
        json_writer out;
        out.begin_object();
        out.key("name").string(work->design->name);
        out.key("description").string(work->design->description);
        out.key("tasks").json(text_of_templates(work->design->tasks));
        out.end_object();
        co_return tool_output{out.take().str()};
    }

   private:
    const execution_place of_;
};

class set_tasks_tool final : public tool {
   public:
    explicit set_tasks_tool(execution_place of) : of_(std::move(of)) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        static const tool_definition made = define_tool(
            "set_tasks",
            "Replaces all tasks of the draft. Keys are 1 to 40 of a-z, 0-9, _ and -; depends_on "
            "has "
            "keys of other tasks; tools has the names of tools that may be called for the task.",
            R"({"type":"object","properties":{"tasks":{"type":"array","maxItems":64,"items":{"type":"object","properties":{"key":{"type":"string"},"title":{"type":"string"},"instructions":{"type":"string"},"depends_on":{"type":"array","items":{"type":"string"}},"tools":{"type":"array","items":{"type":"string"}},"mocks":{"type":"object"}},"required":["key","title"],"additionalProperties":false}}},"required":["tasks"],"additionalProperties":false})"
        );
        return made;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context) override {
        const std::string given{find_member(arguments.str(), "tasks").value_or("[]")};
        auto tasks = templates_of_text(given, "tasks");
        if (!tasks) {
            co_return tool_output{"Not changed: " + tasks.error().field + " can't be read.", true};
        }
        if (const auto fault = find_task_fault(*tasks)) {
            co_return tool_output{"Not changed. " + fault->text, true};
        }
        ops::put_draft request;
        request.room = of_.room;
        request.epoch = of_.epoch;
        request.tasks = *std::move(tasks);
        const auto changed = co_await of_.store->run(std::move(request));
        if (!changed) {
            co_return changed.error();
        }
        co_return tool_output{
            "The draft has " + std::to_string(changed->tasks.size()) + " tasks now."
        };
    }

   private:
    const execution_place of_;
};

class describe_workflow_tool final : public tool {
   public:
    explicit describe_workflow_tool(execution_place of) : of_(std::move(of)) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        static const tool_definition made = define_tool(
            "describe_workflow",
            "Says what the workflow is for, to people and to the agent that executes it.",
            R"({"type":"object","properties":{"description":{"type":"string","minLength":1,"maxLength":16000}},"required":["description"],"additionalProperties":false})"
        );
        return made;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context) override {
        ops::put_draft request;
        request.room = of_.room;
        request.epoch = of_.epoch;
        request.description = text_argument(arguments, "description");
        const auto changed = co_await of_.store->run(std::move(request));
        if (!changed) {
            co_return changed.error();
        }
        co_return tool_output{"Described."};
    }

   private:
    const execution_place of_;
};

}  // namespace

std::vector<std::shared_ptr<tool>> make_design_tools(const execution_place& of) {
    return {
        std::make_shared<read_workflow_tool>(of),
        std::make_shared<set_tasks_tool>(of),
        std::make_shared<describe_workflow_tool>(of),
    };
}

}  // namespace convene
