// SPDX-License-Identifier: Apache-2.0
// Agent instructions: the agent's own come first, then what is to be done, then the skill.
#include "workflow/agent_instructions.hpp"

#include <utility>

#include "workflow/execution_tools.hpp"

namespace convene {

namespace {

void add_part(std::string& text, const std::string& part) {
    if (!part.empty()) {
        text += text.empty() ? "" : "\n\n";
        text += part;
    }
}

void add_skill(std::string& text, const skill_text& skill) {
    add_part(text, skill.body);
    if (skill.files.empty()) {
        return;
    }
    std::string files = "Further files of the skill:";
    for (const std::string& file : skill.files) {
        files += "\n- " + file;
    }
    add_part(text, files);
}

}  // namespace

std::string kickoff_text() {
    return "Work through the tasks of this execution, one after the other. Start each before you "
           "work on"
           " it, and complete or fail it when you are through.";
}

std::string execution_instructions(
    std::string own, const ops::get_execution::answer& work, const skill_text& skill
) {
    add_part(
        own,
        "You execute the workflow \"" + work.execution.name +
            "\". A task's tools can be called only while it is in progress, and a task can be "
            "started "
            "only when all that it depends on is completed."
    );
    add_part(own, work.execution.description);
    if (work.execution.is_draft()) {
        add_part(own, "This is a trial of a draft: tools answer with what the draft says.");
    }
    add_part(own, "The tasks: " + tasks_for_model(work.tasks).str());
    add_skill(own, skill);
    return own;
}

std::string design_instructions(std::string own, const skill_text& skill) {
    add_part(
        own,
        "You design a workflow with the person you talk to: what it is for, and the tasks that an "
        "agent "
        "works through when it is executed. Put them into the draft with your tools. Each task has "
        "a "
        "title, instructions that can be followed without this conversation, the tasks that it "
        "depends "
        "on, and the tools that it needs."
    );
    add_skill(own, skill);
    return own;
}

}  // namespace convene
