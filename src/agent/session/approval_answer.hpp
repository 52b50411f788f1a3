// SPDX-License-Identifier: Apache-2.0
// Answers to what an agent asked: read from whoever decides, and told to the model.
#pragma once

#include "convene/boundary.hpp"
#include "convene/content.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "agent/agui/run_input.hpp"
#include "store/operations/approvals.hpp"

namespace convene {

/// A decision, or each place at which what was given is none.
using decision_or_faults = boost::system::
    result<ops::decide_approvals::decision, std::vector<boundary_error>>;

/// A decision with a response. *Errors*: the response, below `field`, is no answer to what was asked.
[[nodiscard]] decision_or_faults read_decision(
    const approval& asked, approval_state to, json_text response, std::string_view field
);

/// An answer as AG-UI has it: the payload of one to an approval is an object with `status` and `response`, that of one to
/// an input the answer itself; a cancelled one rejects. *Errors*: the payload, below `field`, is something else.
[[nodiscard]] decision_or_faults read_answer(
    const approval& asked, const interrupt_answer& given, std::string_view field
);

/// The result of the call that asked.
struct decision_result {
    tool_call_status status = tool_call_status::completed;
    std::string text;  ///< an answer as it was given, a decision as JSON
};

[[nodiscard]] decision_result result_of(const approval& decided);

}  // namespace convene
