// SPDX-License-Identifier: Apache-2.0
// What every store decides alike about approvals: who may be late, what is used up, how the parts are written.
#pragma once

#include "convene/error.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "store/operations/approvals.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

/// What a run asks with its end, as it is stored: open.
[[nodiscard]] approval as_asked(
    const ops::end_run::question& question, const agent_run_record& by, wall_time now
);

/// A state that somebody decides for.
[[nodiscard]] bool is_decision(approval_state state) noexcept;

/// At least one, no approval twice, each to a state that somebody decides for.
[[nodiscard]] bool are_decisions(const std::vector<ops::decide_approvals::decision>& decisions);

/// *Errors*: `not_found` (null, or of another session), `approval_already_resolved`, `approval_expired`.
[[nodiscard]] result<> may_be_decided(const approval* known, const room_id& room, wall_time now);

/// Uses it up by one call of the tool. False: it does not allow it, or not any more.
[[nodiscard]] bool use_up(approval* given, std::size_t grant, std::string_view tool, wall_time now);

[[nodiscard]] std::string text_of_grants(const std::vector<approval_grant>& grants);
[[nodiscard]] std::vector<approval_grant> grants_of_text(std::string_view text);

[[nodiscard]] std::string text_of_deciders(const std::vector<std::string>& deciders);
[[nodiscard]] std::vector<std::string> deciders_of_text(std::string_view text);

}  // namespace convene
