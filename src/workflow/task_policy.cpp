// SPDX-License-Identifier: Apache-2.0
// Task policy: the tasks are read for each call, as they are then.
#include "workflow/task_policy.hpp"

#include <algorithm>
#include <utility>

#include "base/hash.hpp"
#include "store/operations/workflows.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::string_view no_task_word = "no_task_in_progress";
constexpr std::string_view not_bound_word = "not_bound";

std::string told(const tool_invocation& noted) {
    if (noted.reason == no_task_word) {
        return "Not called: no task is in progress. Start the task that needs it first.";
    }
    return noted.reason == not_bound_word ? "Not called: no task in progress has this tool."
                                          : std::string{};
}

}  // namespace

task_judgement judge_tool_call(const std::vector<execution_task>& tasks, std::string_view tool) {
    task_judgement judged;
    judged.reason = no_task_word;
    for (const execution_task& task : tasks) {
        if (task.status != execution_task_status::in_progress) {
            continue;
        }
        if (std::ranges::find(task.what.tools, tool) != task.what.tools.end()) {
            return {task.what.key, {}};
        }
        judged.reason = not_bound_word;
    }
    return judged;
}

task_policy::task_policy(
    conversation_store* store,
    organization_id organization,
    room_id room,
    std::int64_t epoch,
    call_effect effect
)
    : store_(*store),
      organization_(std::move(organization)),
      room_(std::move(room)),
      epoch_(epoch),
      effect_(effect) {}

awaitable<result<policy_decision>> task_policy::decide(tool_call call) {
    ops::get_execution look{organization_, room_};
    const auto known = co_await store_.run(std::move(look));
    if (!known) {
        co_return known.error();
    }
    task_judgement judged = judge_tool_call(known->tasks, call.name);
    const bool is_allowed = judged.reason.empty();
    ops::note_invocation note;
    note.epoch = epoch_;
    note.invocation.room = room_;
    note.invocation.task = std::move(judged.task);
    note.invocation.tool = std::move(call.name);
    note.invocation.reason = std::move(judged.reason);
    note.invocation.arguments_digest = to_hex(sha256(call.arguments.str()));
    note.invocation.decision = !is_allowed                      ? tool_decision::denied
                               : effect_ == call_effect::mocked ? tool_decision::mocked
                                                                : tool_decision::allowed;
    const auto noted = co_await store_.run(std::move(note));
    if (!noted) {
        co_return noted.error();
    }
    co_return policy_decision{told(*noted)};
}

}  // namespace convene
