// SPDX-License-Identifier: Apache-2.0
// The rules of tasks: which lists are ones, and where steps lead, tried on every graph of three tasks and on many larger ones.
#include "store/task_graph.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace convene {
namespace {

using status = execution_task_status;
using state = std::vector<status>;

constexpr wall_time now{microseconds{42}};

task_template task(std::string key, std::vector<std::string> depends_on = {}) {
    task_template made;
    made.key = std::move(key);
    made.title = "Do it";
    made.depends_on = std::move(depends_on);
    return made;
}

std::string key_of(std::size_t i) { return std::string(1, static_cast<char>('a' + i)); }

/// One of the 64 graphs of three tasks: a bit for each dependency on another one.
std::vector<task_template> graph(unsigned bits) {
    std::vector<task_template> tasks;
    unsigned bit = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        task_template& made = tasks.emplace_back(task(key_of(i)));
        for (std::size_t on = 0; on < 3; ++on) {
            if (on != i && (bits >> bit++ & 1U) != 0) {
                made.depends_on.push_back(key_of(on));
            }
        }
    }
    return tasks;
}

/// Whether there is an order in which all come behind what they depend on.
bool has_order(const std::vector<task_template>& tasks) {
    std::array<std::size_t, 3> order{0, 1, 2};
    do {
        const auto place = [&order](const std::string& key) {
            return std::ranges::find_if(order, [&key](std::size_t i) { return key_of(i) == key; });
        };
        const bool fits = std::ranges::all_of(tasks, [&](const task_template& one) {
            return std::ranges::all_of(one.depends_on, [&](const std::string& on) {
                return place(on) < place(one.key);
            });
        });
        if (fits) {
            return true;
        }
    } while (std::ranges::next_permutation(order).found);
    return false;
}

state state_of(const std::vector<execution_task>& tasks) {
    state all;
    for (const execution_task& one : tasks) {
        all.push_back(one.status);
    }
    return all;
}

bool is_terminal(status one) { return one != status::pending && one != status::in_progress; }

const execution_task& find(const std::vector<execution_task>& tasks, const std::string& key) {
    return *std::ranges::find_if(tasks, [&key](const execution_task& one) {
        return one.what.key == key;
    });
}

/// What holds in every state.
void expect_sound(const std::vector<execution_task>& tasks) {
    for (const execution_task& one : tasks) {
        EXPECT_EQ(one.ended_at.has_value(), is_terminal(one.status)) << one.what.key;
        for (const std::string& on : one.what.depends_on) {
            const status needed = find(tasks, on).status;
            if (one.status == status::in_progress || one.status == status::completed ||
                one.status == status::failed) {
                EXPECT_EQ(needed, status::completed) << one.what.key << " behind " << on;
            }
            if (needed == status::failed || needed == status::skipped) {
                EXPECT_EQ(one.status, status::skipped) << one.what.key << " behind " << on;
            }
        }
    }
    const state all = state_of(tasks);
    const auto settled = settled_status(tasks);
    EXPECT_EQ(settled.has_value(), !all.empty() && std::ranges::all_of(all, is_terminal));
    if (settled) {
        const bool has_failed = std::ranges::find(all, status::failed) != all.end();
        EXPECT_EQ(*settled, has_failed ? execution_status::failed : execution_status::completed);
    }
}

task_change step(std::string key, status to) {
    task_change change;
    change.key = std::move(key);
    change.to = to;
    change.result = "done";
    change.error = "why";
    change.error_kind = task_error_kind::timeout;
    return change;
}

constexpr std::array every_status{
    status::pending, status::in_progress, status::completed, status::failed, status::skipped
};

/// Goes wherever steps lead from here, and looks at each state once. Answers whether the end can be reached.
bool explore(const std::vector<execution_task>& from, std::set<state>* seen) {
    expect_sound(from);
    bool can_end = settled_status(from).has_value();
    if (!seen->insert(state_of(from)).second) {
        return true;
    }
    for (const execution_task& one : from) {
        for (const status to : every_status) {
            std::vector<execution_task> tasks = from;
            const task_change change = step(one.what.key, to);
            const task_verdict verdict = take_step(tasks, change, now);
            EXPECT_TRUE(verdict.refusal.empty() || tasks == from);
            if (!verdict.changed.empty()) {
                EXPECT_FALSE(is_terminal(one.status));
                std::vector<execution_task> again = tasks;
                EXPECT_EQ(take_step(again, change, now + seconds{1}), task_verdict{});
                EXPECT_EQ(again, tasks);
                can_end |= explore(tasks, seen);
            }
        }
    }
    return can_end;
}

// A list with a circle is refused, and every other one can be worked through to its end, whichever steps are taken; no
// step leads to a state that should not be, none is undone, and one that is said again changes nothing.
// Proves: W1
TEST(TaskGraph, HoldsOnEveryGraphOfThreeTasks) {
    for (unsigned bits = 0; bits < 64; ++bits) {
        SCOPED_TRACE(bits);
        const std::vector<task_template> tasks = graph(bits);
        const auto fault = find_task_fault(tasks);
        ASSERT_EQ(fault.has_value(), !has_order(tasks));
        if (!fault) {
            std::set<state> seen;
            EXPECT_TRUE(explore(tasks_of(tasks), &seen));
        }
    }
}

// Larger lists, with steps drawn at random.
// Proves: W1
TEST(TaskGraph, HoldsOnAnyGraph) {
    const bool holds = rc::check([] {
        const auto count = *rc::gen::inRange<std::size_t>(1, 12);
        std::vector<task_template> tasks;
        for (std::size_t i = 0; i < count; ++i) {
            task_template made = task(key_of(i));
            for (std::size_t on = 0; on < i; ++on) {
                if (*rc::gen::inRange(0, 3) == 0) {
                    made.depends_on.push_back(key_of(on));
                }
            }
            tasks.push_back(std::move(made));
        }
        RC_ASSERT(!find_task_fault(tasks).has_value());
        std::vector<execution_task> states = tasks_of(tasks);
        for (int i = 0; i < 60; ++i) {
            const auto which = *rc::gen::inRange<std::size_t>(0, count);
            const auto to = *rc::gen::elementOf(every_status);
            const std::vector<execution_task> before = states;
            (void)take_step(states, step(key_of(which), to), now);
            expect_sound(states);
            for (std::size_t one = 0; one < count; ++one) {
                RC_ASSERT(!is_terminal(before[one].status) || states[one] == before[one]);
            }
        }
    });
    EXPECT_TRUE(holds);
}

// The one who wrote the list reads which tasks wait for each other.
// Proves: W1
TEST(TaskGraph, NamesTheCircle) {
    const auto fault = find_task_fault(
        {task("start"),
         task("one", {"start", "three"}),
         task("two", {"one"}),
         task("three", {"two"}),
         task("behind", {"three"})}
    );
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->reason, boundary_reason::not_allowed_here);
    EXPECT_EQ(fault->text, "These tasks wait for each other: `one` on `three` on `two` on `one`.");
    const auto itself = find_task_fault({task("one", {"one"})});
    ASSERT_TRUE(itself);
    EXPECT_EQ(itself->text, "These tasks wait for each other: `one` on `one`.");
}

// What is wrong with a list is told by its field.
// Proves: W1
TEST(TaskGraph, NamesWhatIsWrong) {
    const auto fault_of = [](const task_template& wrong) {
        const auto fault = find_task_fault({task("fine"), wrong});
        return fault ? fault->field + ": " + std::string{word_of(fault->reason)} : "";
    };
    task_template one = task("a");
    EXPECT_EQ(fault_of(one), "");
    one.key = "A";
    EXPECT_EQ(fault_of(one), "tasks[1].key: malformed");
    one.key = std::string(41, 'a');
    EXPECT_EQ(fault_of(one), "tasks[1].key: malformed");
    one.key = "fine";
    EXPECT_EQ(fault_of(one), "tasks[1].key: duplicate_key");
    one = task("a");
    one.title.clear();
    EXPECT_EQ(fault_of(one), "tasks[1].title: empty");
    one.title = std::string(121, 'x');
    EXPECT_EQ(fault_of(one), "tasks[1].title: too_long");
    one = task("a");
    one.instructions = std::string(4097, 'x');
    EXPECT_EQ(fault_of(one), "tasks[1].instructions: too_long");
    one = task("a", {"nobody"});
    EXPECT_EQ(fault_of(one), "tasks[1].depends_on: unknown_value");
    one = task("a", {"fine", "fine"});
    EXPECT_EQ(fault_of(one), "tasks[1].depends_on: duplicate_key");
    one = task("a");
    one.tools = {"send mail"};
    EXPECT_EQ(fault_of(one), "tasks[1].tools: malformed");
    one.tools = {"mail", "mail"};
    EXPECT_EQ(fault_of(one), "tasks[1].tools: malformed");
    one.tools.clear();
    for (int i = 0; i < 17; ++i) {
        one.tools.push_back("t" + std::to_string(i));
    }
    EXPECT_EQ(fault_of(one), "tasks[1].tools: too_many");
    one = task("a");
    one.mocks = json_text::trusted(R"({"mail":"sent"})");
    EXPECT_EQ(fault_of(one), "tasks[1].mocks: unknown_value");
    one.tools = {"mail"};
    EXPECT_EQ(fault_of(one), "");
    std::vector<task_template> many;
    for (int i = 0; i < 65; ++i) {
        many.push_back(task("t" + std::to_string(i)));
    }
    ASSERT_TRUE(find_task_fault(many));
    many.pop_back();
    EXPECT_FALSE(find_task_fault(many));
}

// A refusal says what stands in the way, as a sentence that a model can act on.
// Proves: W1
TEST(TaskGraph, SaysWhyAStepIsRefused) {
    std::vector<execution_task> tasks = tasks_of({task("a"), task("b"), task("c", {"a", "b"})});
    const auto refusal = [&tasks](const std::string& key, status to) {
        return take_step(tasks, step(key, to), now).refusal;
    };
    EXPECT_EQ(refusal("nobody", status::in_progress), "There is no such task.");
    EXPECT_EQ(refusal("c", status::in_progress), "The task `c` waits for `a`, `b`.");
    EXPECT_EQ(refusal("a", status::completed), "The task `a` was not started.");
    EXPECT_EQ(refusal("a", status::in_progress), "");
    EXPECT_EQ(
        refusal("a", status::skipped), "The task `a` is in progress: it can be completed or fail."
    );
    EXPECT_EQ(refusal("a", status::failed), "");
    EXPECT_EQ(refusal("a", status::completed), "The task `a` is failed already.");
    EXPECT_EQ(tasks[0].error_kind, task_error_kind::timeout);
    EXPECT_EQ(tasks[0].error, "why");
    EXPECT_EQ(tasks[2].status, status::skipped);
    EXPECT_EQ(tasks[2].error, "depends on `a`");
}

// Without tasks there is nothing to be done with.
// Proves: W1
TEST(TaskGraph, GoesOnWithoutTasks) { EXPECT_EQ(settled_status({}), std::nullopt); }

}  // namespace
}  // namespace convene
