// SPDX-License-Identifier: Apache-2.0
// Approvals as JSON.
#pragma once

#include <string>

#include "base/json_writer.hpp"
#include "http/schema.hpp"
#include "store/approval_values.hpp"

namespace convene {

/// Who asks, and in the middle of what.
struct approval_asker {
    channel_id agent;
    std::string agent_name;      ///< empty: it is not registered any more
    std::string execution_name;  ///< empty: the session is none of an execution
    std::string task_key;  ///< in progress, as the next; empty: none, several, or it was decided
    std::string task_title;
};

/// An approval as somebody sees it.
struct shown_approval {
    approval asked;
    approval_asker asker;
    bool may_decide = false;  ///< they, now
};

[[nodiscard]] const schema& approval_schema();
[[nodiscard]] schema approval_state_schema();

void write_approval(json_writer& out, const shown_approval& shown);
[[nodiscard]] json_text approval_as_json(const shown_approval& shown);

}  // namespace convene
