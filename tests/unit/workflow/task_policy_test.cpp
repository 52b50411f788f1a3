// SPDX-License-Identifier: Apache-2.0
// Which calls the tasks of an execution let through.
#include "workflow/task_policy.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace convene {
namespace {

execution_task task(std::string key, execution_task_status status, std::vector<std::string> tools) {
    execution_task made;
    made.what.key = std::move(key);
    made.what.tools = std::move(tools);
    made.status = status;
    return made;
}

// A tool is called for a task in progress that has it, and for no other.
// Proves: W2
TEST(TaskPolicy, LetsThroughWhatATaskInProgressHas) {
    using status = execution_task_status;
    const std::vector<execution_task> tasks{
        task("done", status::completed, {"search"}),
        task("open", status::in_progress, {"mail"}),
        task("next", status::pending, {"pay"}),
        task("also", status::in_progress, {"pay2", "mail"}),
    };
    EXPECT_EQ(judge_tool_call(tasks, "mail").task, "open");
    EXPECT_EQ(judge_tool_call(tasks, "pay2").task, "also");
    EXPECT_EQ(judge_tool_call(tasks, "mail").reason, "");
    for (const char* const tool : {"search", "pay", "mai", ""}) {
        EXPECT_EQ(judge_tool_call(tasks, tool).task, "") << tool;
        EXPECT_EQ(judge_tool_call(tasks, tool).reason, "not_bound") << tool;
    }
    EXPECT_EQ(judge_tool_call({tasks[0], tasks[2]}, "pay").reason, "no_task_in_progress");
    EXPECT_EQ(judge_tool_call({}, "pay").reason, "no_task_in_progress");
}

}  // namespace
}  // namespace convene
