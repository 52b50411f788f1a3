// SPDX-License-Identifier: Apache-2.0
// Execution tools: each change is one store operation that decides, settles and notifies in one transaction.
#include "workflow/execution_tools.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "agent/tool_arguments.hpp"
#include "base/canonical_json.hpp"
#include "base/json_writer.hpp"
#include "store/operations/workflows.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::string_view over_text = "This execution is over: nothing can be changed any more.";

/// What a change came to, for the model.
tool_output told(const ops::change_task::answer& changed, const task_change& wanted) {
    if (!changed.verdict.refusal.empty()) {
        return {changed.verdict.refusal, true};
    }
    std::string text;
    for (const execution_task& task : changed.tasks) {
        if (task.what.key != wanted.key) {
            continue;
        }
        text = "`" + wanted.key + "` is " + std::string{word_of(task.status)} + ".";
        if (task.status == execution_task_status::in_progress && !task.what.instructions.empty()) {
            text += "\n" + task.what.instructions;
        }
    }
    if (changed.execution.status != execution_status::running) {
        text += " All tasks are done: the execution is " +
                std::string{word_of(changed.execution.status)} + ".";
    }
    return {std::move(text)};
}

class list_tasks_tool final : public tool {
   public:
    explicit list_tasks_tool(execution_place of) : of_(std::move(of)) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        static const tool_definition made = define_tool(
            "list_tasks",
            "Lists the tasks of this execution as they are now.",
            R"({"type":"object","properties":{},"additionalProperties":false})"
        );
        return made;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text, tool_context) override {
        ops::get_execution look{of_.organization, of_.room};
        const auto known = co_await of_.store->run(std::move(look));
        if (!known) {
            co_return known.error();
        }
        co_return tool_output{tasks_for_model(known->tasks).str()};
    }

   private:
    const execution_place of_;
};

/// One of the four steps: they differ in what their arguments say.
class change_task_tool final : public tool {
   public:
    using reading = task_change (*)(const json_text& arguments);

    change_task_tool(execution_place of, tool_definition definition, reading read)
        : of_(std::move(of)), definition_(std::move(definition)), read_(read) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        return definition_;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text arguments, tool_context) override {
        ops::change_task request{of_.room, of_.epoch, read_(arguments)};
        request.change.key = text_argument(arguments, "key");
        const task_change wanted = request.change;
        const auto changed = co_await of_.store->run(std::move(request));
        if (!changed && changed.error() == errc::execution_ended) {
            co_return tool_output{std::string{over_text}, true};
        }
        if (!changed) {
            co_return changed.error();
        }
        co_return told(*changed, wanted);
    }

   private:
    const execution_place of_;
    const tool_definition definition_;
    const reading read_;
};

task_change read_start(const json_text&) { return {}; }

task_change read_completion(const json_text& arguments) {
    task_change change;
    change.to = execution_task_status::completed;
    change.result = text_argument(arguments, "result");
    return change;
}

task_change read_failure(const json_text& arguments) {
    task_change change;
    change.to = execution_task_status::failed;
    change.error_kind = task_error_kind_from(text_argument(arguments, "kind"))
                            .value_or(task_error_kind::other);
    change.error = text_argument(arguments, "message");
    return change;
}

task_change read_skip(const json_text& arguments) {
    task_change change;
    change.to = execution_task_status::skipped;
    change.error = text_argument(arguments, "reason");
    return change;
}

/// Answers what the template says, whatever it is asked.
class mocked_tool final : public tool {
   public:
    mocked_tool(tool_definition definition, tool_output answer)
        : definition_(std::move(definition)), answer_(std::move(answer)) {}

    [[nodiscard]] const tool_definition& definition() const noexcept override {
        return definition_;
    }

    [[nodiscard]] awaitable<result<tool_output>> call(json_text, tool_context) override {
        co_return answer_;
    }

   private:
    const tool_definition definition_;
    const tool_output answer_;
};

tool_output mock_of(const json_text& mocks, const std::string& name) {
    if (auto text = find_text(mocks.str(), name)) {
        return {*std::move(text)};
    }
    if (const auto value = find_member(mocks.str(), name)) {
        return {std::string{*value}};
    }
    return {"Not called: this is a draft, and it has no result for this tool.", true};
}

}  // namespace

std::vector<std::shared_ptr<tool>> make_execution_tools(const execution_place& of) {
    const auto change = [&of](tool_definition definition, change_task_tool::reading read) {
        return std::make_shared<change_task_tool>(of, std::move(definition), read);
    };
    return {
        std::make_shared<list_tasks_tool>(of),
        change(
            define_tool(
                "start_task",
                "Starts a task. All that it depends on must be completed.",
                R"({"type":"object","properties":{"key":{"type":"string"}},"required":["key"],"additionalProperties":false})"
            ),
            read_start
        ),
        change(
            define_tool(
                "complete_task",
                "Says that a task in progress is done, and what came of it.",
                R"({"type":"object","properties":{"key":{"type":"string"},"result":{"type":"string","maxLength":16000}},"required":["key","result"],"additionalProperties":false})"
            ),
            read_completion
        ),
        change(
            define_tool(
                "fail_task",
                "Says that a task in progress can't be done, and why. What depends on it is "
                "skipped.",
                R"({"type":"object","properties":{"key":{"type":"string"},"kind":{"type":"string","enum":["api_error","timeout","script_error","invalid_input","permission_denied","rejected","other"]},"message":{"type":"string","maxLength":4000}},"required":["key","kind","message"],"additionalProperties":false})"
            ),
            read_failure
        ),
        change(
            define_tool(
                "skip_task",
                "Says that a task that was not started is not needed, and why. What depends on it "
                "is skipped.",
                R"({"type":"object","properties":{"key":{"type":"string"},"reason":{"type":"string","maxLength":4000}},"required":["key","reason"],"additionalProperties":false})"
            ),
            read_skip
        ),
    };
}

std::vector<std::shared_ptr<tool>> make_mocked_tools(
    const std::vector<execution_task>& tasks, const toolbox& real
) {
    std::vector<std::shared_ptr<tool>> mocked;
    std::vector<std::string> known;
    for (const execution_task& task : tasks) {
        for (const std::string& name : task.what.tools) {
            if (std::ranges::find(known, name) != known.end()) {
                continue;
            }
            known.push_back(name);
            const std::shared_ptr<tool> own = real.find(name);
            tool_definition definition = own != nullptr
                                             ? own->definition()
                                             : define_tool(name, "", R"({"type":"object"})");
            mocked.push_back(
                std::make_shared<mocked_tool>(std::move(definition), mock_of(task.what.mocks, name))
            );
        }
    }
    return mocked;
}

json_text tasks_for_model(const std::vector<execution_task>& tasks) {
    json_writer out;
    out.begin_array();
    for (const execution_task& task : tasks) {
        out.begin_object();
        out.key("key").string(task.what.key);
        out.key("title").string(task.what.title);
        out.key("status").string(word_of(task.status));
        for (const auto& [name, values] :
             {std::pair{"depends_on", &task.what.depends_on}, std::pair{"tools", &task.what.tools}
             }) {
            out.key(name).begin_array();
            for (const std::string& value : *values) {
                out.string(value);
            }
            out.end_array();
        }
        if (!task.result.empty()) {
            out.key("result").string(task.result);
        }
        if (!task.error.empty()) {
            out.key("error").string(task.error);
        }
        out.end_object();
    }
    out.end_array();
    return out.take();
}

}  // namespace convene
