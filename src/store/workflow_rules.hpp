// SPDX-License-Identifier: Apache-2.0
// What every store decides alike about workflows: the form of templates, what a change makes of a draft, who is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/operations/workflows.hpp"
#include "store/skill_values.hpp"

namespace convene {

/// Why a turn of an execution that is over was not run.
inline constexpr std::string_view execution_ended_word = "execution_ended";

/// Why an open task of an execution that was cancelled was skipped.
inline constexpr std::string_view cancelled_word = "cancelled";

/// A JSON array of objects, for storage and for whoever reads workflows. The form is frozen.
[[nodiscard]] json_text text_of_templates(const std::vector<task_template>& tasks);

/// Of what `text_of_templates` wrote, and of what a model or a caller wrote: what is left out is empty.
[[nodiscard]] checked<std::vector<task_template>> templates_of_text(
    std::string_view text, std::string_view field
);

/// `wanted` as it is stored first; `session`: in which it is designed.
[[nodiscard]] workflow new_workflow(
    workflow wanted, const std::optional<ops::new_session>& session, wall_time now
);

/// `wanted` as it replaces `before`: what never changes, the status, the next revision.
[[nodiscard]] workflow changed_workflow(const workflow& before, workflow wanted, wall_time now);

/// Whether what is published is what the draft says.
[[nodiscard]] bool is_same_content(const workflow& draft, const workflow_version& published);

/// The draft is this version from here on.
void mark_published(workflow& draft, std::int64_t number, wall_time now);

/// The next version of a draft.
[[nodiscard]] workflow_version next_version(
    const workflow& draft, const std::string& by, wall_time now
);

/// The first design turn of a workflow has ended, after a run that ended with this error, if with one.
/// *Requires*: it is being generated.
[[nodiscard]] workflow after_generation(workflow generated, std::string_view error, wall_time now);

/// Skips what is open of a cancelled execution. Answers the places of what changed.
std::vector<std::size_t> skip_open(std::vector<execution_task>& tasks, wall_time now);

/// What an execution has pinned, if it has a skill.
[[nodiscard]] skill_pin pin_of(const workflow_execution& made);

// Notifications have ids that are a function of what they are about, so that each is told once.

[[nodiscard]] notification notice_of(const workflow& generated, wall_time now);

/// Of an execution that has ended.
[[nodiscard]] notification notice_of(
    const workflow_execution& ended, const std::vector<execution_task>& tasks, wall_time now
);

}  // namespace convene
