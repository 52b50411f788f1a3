// SPDX-License-Identifier: Apache-2.0
// The commands on agents: their turns, wakes, skills, secrets and questions, and the workflows they work on.
#pragma once

#include "app/command_line/command_set.hpp"

namespace convene {

/// Where CLI11 puts what it reads of them. *Lifetime*: outlives the parsing.
class agent_commands {
   public:
    void declare(command_set& commands);

   private:
    void declare_turns(command_set& commands);
    void declare_wakes(command_set& commands);
    void declare_skills(command_set& commands);
    void declare_secrets(command_set& commands);
    void declare_approvals(command_set& commands);
    void declare_executions(command_set& commands);
    void declare_run(command_set& commands);

    turns_options turns_;
    wakes_options wakes_;
    skills_options skills_;
    secrets_options secrets_;
    approvals_options approvals_;
    executions_options executions_;
    run_options run_;
};

}  // namespace convene
