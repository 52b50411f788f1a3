// SPDX-License-Identifier: Apache-2.0
// Task graph: a list is looked at from front to back, circles are found by taking away what depends on nothing.
#include "store/task_graph.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <string_view>

#include "base/canonical_json.hpp"
#include "base/field_path.hpp"

namespace convene {

namespace {

using status = execution_task_status;

constexpr std::size_t longest_tool_name = 64;

bool is_key(std::string_view text) {
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= task_limits::key_bytes &&
           std::ranges::all_of(text, is_allowed);
}

bool is_tool_name(std::string_view text) {
    const auto is_allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    };
    return !text.empty() && text.size() <= longest_tool_name &&
           std::ranges::all_of(text, is_allowed);
}

std::string quoted(std::string_view key) { return '`' + std::string{key} + '`'; }

bool has_duplicate(std::vector<std::string> names) {
    std::ranges::sort(names);
    return std::ranges::adjacent_find(names) != names.end();
}

/// What is wrong with one task, whatever the others are.
std::optional<task_fault> fault_of(const task_template& task, const std::string& path) {
    const auto fault = [&path](std::string_view field, boundary_reason reason, std::string text) {
        return task_fault{member_path(path, field), reason, std::move(text)};
    };
    if (!is_key(task.key)) {
        return fault(
            "key",
            boundary_reason::malformed,
            "A key is 1 to 40 of the characters a-z, 0-9, _ and -."
        );
    }
    const std::string name = "The task " + quoted(task.key);
    if (task.title.empty()) {
        return fault("title", boundary_reason::empty, name + " needs a title.");
    }
    if (task.title.size() > task_limits::title_bytes) {
        return fault("title", boundary_reason::too_long, name + " has a title beyond 120 bytes.");
    }
    if (task.instructions.size() > task_limits::instructions_bytes) {
        return fault(
            "instructions", boundary_reason::too_long, name + " has instructions beyond 4 KiB."
        );
    }
    if (task.tools.size() > task_limits::tools) {
        return fault("tools", boundary_reason::too_many, name + " has more than 16 tools.");
    }
    if (!std::ranges::all_of(task.tools, is_tool_name) || has_duplicate(task.tools)) {
        return fault(
            "tools", boundary_reason::malformed, name + " names a tool twice, or by no tool's name."
        );
    }
    if (has_duplicate(task.depends_on)) {
        return fault(
            "depends_on", boundary_reason::duplicate_key, name + " depends on a task twice."
        );
    }
    if (task.mocks.str().front() != '{' || task.mocks.str().size() > task_limits::mock_bytes) {
        return fault(
            "mocks", boundary_reason::malformed, name + " has mocks that are no object of 16 KiB."
        );
    }
    for (const json_member& mock : members_of(task.mocks.str())) {
        if (std::ranges::find(task.tools, mock.key) == task.tools.end()) {
            return fault(
                "mocks",
                boundary_reason::unknown_value,
                name + " mocks a tool that it does not have."
            );
        }
    }
    return std::nullopt;
}

/// Every task on a circle, or behind one.
std::vector<std::size_t> tasks_never_ready(const std::vector<task_template>& tasks) {
    std::set<std::string, std::less<>> ready;
    std::vector<std::size_t> waiting(tasks.size());
    std::ranges::copy(std::views::iota(std::size_t{0}, tasks.size()), waiting.begin());
    const auto is_ready = [&](std::size_t i) {
        return std::ranges::all_of(tasks[i].depends_on, [&ready](const std::string& key) {
            return ready.contains(key);
        });
    };
    for (std::size_t before = waiting.size() + 1; waiting.size() < before;) {
        before = waiting.size();
        for (const std::size_t i : waiting) {
            if (is_ready(i)) {
                ready.insert(tasks[i].key);
            }
        }
        std::erase_if(waiting, [&](std::size_t i) { return ready.contains(tasks[i].key); });
    }
    return waiting;
}

std::size_t place_of(const std::vector<task_template>& tasks, std::string_view key) {
    const auto found = std::ranges::find(tasks, key, &task_template::key);
    return static_cast<std::size_t>(found - tasks.begin());
}

/// From one task that is never ready to one that it waits for, until a task comes back.
std::vector<std::size_t> circle_in(
    const std::vector<task_template>& tasks, const std::vector<std::size_t>& waiting
) {
    std::vector<std::size_t> path;
    std::size_t next = waiting.front();
    while (std::ranges::find(path, next) == path.end()) {
        path.push_back(next);
        for (const std::string& key : tasks[path.back()].depends_on) {
            const std::size_t place = place_of(tasks, key);
            if (std::ranges::find(waiting, place) != waiting.end()) {
                next = place;
                break;
            }
        }
    }
    path.erase(path.begin(), std::ranges::find(path, next));
    return path;
}

std::optional<task_fault> find_circle(const std::vector<task_template>& tasks) {
    const std::vector<std::size_t> waiting = tasks_never_ready(tasks);
    if (waiting.empty()) {
        return std::nullopt;
    }
    const std::vector<std::size_t> circle = circle_in(tasks, waiting);
    std::string text = "These tasks wait for each other: ";
    for (const std::size_t i : circle) {
        text += quoted(tasks[i].key) + " on ";
    }
    return task_fault{
        member_path(element_path("tasks", circle.front()), "depends_on"),
        boundary_reason::not_allowed_here,
        text + quoted(tasks[circle.front()].key) + "."
    };
}

bool is_terminal(const execution_task& task) {
    return task.status != status::pending && task.status != status::in_progress;
}

/// Skips every task that waits for one that will never be completed.
void skip_dependents(
    std::vector<execution_task>& tasks, std::vector<std::size_t>& changed, wall_time now
) {
    // What is skipped here is looked at as well.
    for (std::size_t next = 0; next < changed.size(); ++next) {
        const std::string gone = tasks[changed[next]].what.key;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            execution_task& task = tasks[i];
            const bool waits = std::ranges::find(task.what.depends_on, gone) !=
                               task.what.depends_on.end();
            if (waits && task.status == status::pending) {
                task.status = status::skipped;
                task.error = "depends on " + quoted(gone);
                task.ended_at = now;
                changed.push_back(i);
            }
        }
    }
}

/// Why a task can't be started; empty: it can.
std::string what_it_waits_for(
    const std::vector<execution_task>& tasks, const execution_task& task
) {
    std::string open;
    for (const execution_task& other : tasks) {
        const bool is_needed = std::ranges::find(task.what.depends_on, other.what.key) !=
                               task.what.depends_on.end();
        if (is_needed && other.status != status::completed) {
            open += (open.empty() ? "" : ", ") + quoted(other.what.key);
        }
    }
    return open;
}

std::string why_refused(
    const std::vector<execution_task>& tasks, const execution_task& task, const task_change& change
) {
    const std::string name = "The task " + quoted(task.what.key);
    if (is_terminal(task)) {
        return name + " is " + std::string{word_of(task.status)} + " already.";
    }
    const bool is_started = task.status == status::in_progress;
    switch (change.to) {
        case status::in_progress:
            if (const std::string open = what_it_waits_for(tasks, task); !open.empty()) {
                return name + " waits for " + open + ".";
            }
            return {};
        case status::completed:
        case status::failed:
            return is_started ? std::string{} : name + " was not started.";
        case status::skipped:
            return is_started ? name + " is in progress: it can be completed or fail."
                              : std::string{};
        case status::pending:
            break;
    }
    return name + " can't go back.";
}

}  // namespace

std::optional<task_fault> find_task_fault(const std::vector<task_template>& tasks) {
    if (tasks.size() > task_limits::tasks) {
        return task_fault{"tasks", boundary_reason::too_many, "There are more than 64 tasks."};
    }
    std::set<std::string, std::less<>> keys;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const std::string path = element_path("tasks", i);
        if (std::optional<task_fault> fault = fault_of(tasks[i], path)) {
            return fault;
        }
        if (!keys.insert(tasks[i].key).second) {
            return task_fault{
                member_path(path, "key"),
                boundary_reason::duplicate_key,
                "There are two tasks " + quoted(tasks[i].key) + "."
            };
        }
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        for (const std::string& needed : tasks[i].depends_on) {
            if (!keys.contains(needed)) {
                return task_fault{
                    member_path(element_path("tasks", i), "depends_on"),
                    boundary_reason::unknown_value,
                    "The task " + quoted(tasks[i].key) +
                        " depends on a task that is not in the list."
                };
            }
        }
    }
    return find_circle(tasks);
}

std::vector<execution_task> tasks_of(const std::vector<task_template>& templates) {
    std::vector<execution_task> tasks;
    tasks.reserve(templates.size());
    for (const task_template& one : templates) {
        tasks.emplace_back().what = one;
    }
    return tasks;
}

task_verdict take_step(
    std::vector<execution_task>& tasks, const task_change& change, wall_time now
) {
    task_verdict verdict;
    const auto found = std::ranges::find_if(tasks, [&change](const execution_task& task) {
        return task.what.key == change.key;
    });
    if (found == tasks.end()) {
        verdict.refusal = "There is no such task.";
        return verdict;
    }
    if (found->status == change.to && change.to != status::pending) {
        return verdict;
    }
    verdict.refusal = why_refused(tasks, *found, change);
    if (!verdict.refusal.empty()) {
        return verdict;
    }
    found->status = change.to;
    if (change.to == status::in_progress) {
        found->started_at = now;
    } else {
        found->ended_at = now;
    }
    if (change.to == status::completed) {
        found->result = change.result;
    } else if (change.to != status::in_progress) {
        found->error = change.error;
    }
    if (change.to == status::failed) {
        found->error_kind = change.error_kind;
    }
    verdict.changed.push_back(static_cast<std::size_t>(found - tasks.begin()));
    if (change.to == status::failed || change.to == status::skipped) {
        skip_dependents(tasks, verdict.changed, now);
    }
    return verdict;
}

std::optional<execution_status> settled_status(const std::vector<execution_task>& tasks) {
    if (tasks.empty() || !std::ranges::all_of(tasks, is_terminal)) {
        return std::nullopt;
    }
    const bool has_failed = std::ranges::any_of(tasks, [](const execution_task& task) {
        return task.status == status::failed;
    });
    return has_failed ? execution_status::failed : execution_status::completed;
}

}  // namespace convene
