// SPDX-License-Identifier: Apache-2.0
// Agent sessions and their runs as JSON.
#pragma once

#include <vector>

#include "base/json_writer.hpp"
#include "http/schema.hpp"
#include "http/view/approval_view.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

[[nodiscard]] const schema& session_schema();
[[nodiscard]] const schema& run_schema();

/// `open`: the approvals that are.
[[nodiscard]] json_text session_as_json(
    const agent_session& shown, const session_state& state, const std::vector<shown_approval>& open
);
void write_run(json_writer& out, const agent_run_record& shown);
[[nodiscard]] json_text run_as_json(const agent_run_record& shown);

}  // namespace convene
