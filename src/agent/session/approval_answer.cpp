// SPDX-License-Identifier: Apache-2.0
// Approval answers: what is asked for says what an answer has to be.
#include "agent/session/approval_answer.hpp"

#include <optional>
#include <utility>

#include "agent/json_schema.hpp"
#include "base/canonical_json.hpp"
#include "base/field_path.hpp"
#include "base/json_writer.hpp"

namespace convene {

decision_or_faults read_decision(
    const approval& asked, approval_state to, json_text response, std::string_view field
) {
    const bool is_answer = asked.kind == approval_kind::input && to == approval_state::approved;
    if (is_answer && asked.response_schema) {
        const auto schema = json_schema::compile(*asked.response_schema, field);
        if (!schema) {
            return std::vector{boundary_error{std::string{field}, boundary_reason::malformed}};
        }
        std::vector<boundary_error> faults = schema->find_faults(response, field);
        if (!faults.empty()) {
            return faults;
        }
    }
    return ops::decide_approvals::decision{asked.id, to, std::move(response)};
}

decision_or_faults read_answer(
    const approval& asked, const interrupt_answer& given, std::string_view field
) {
    if (given.is_cancelled) {
        return read_decision(asked, approval_state::rejected, given.payload, field);
    }
    if (asked.kind == approval_kind::input) {
        return read_decision(asked, approval_state::approved, given.payload, field);
    }
    const std::string& payload = given.payload.str();
    const auto word = find_text(payload, "status");
    const auto state = word ? approval_state_from(*word) : std::nullopt;
    const bool is_decided = state == approval_state::approved ||
                            state == approval_state::rejected || state == approval_state::returned;
    if (!is_decided) {
        return std::vector{
            boundary_error{member_path(field, "status"), boundary_reason::unknown_value}
        };
    }
    json_text response;
    if (const auto found = find_member(payload, "response")) {
        response = json_text::trusted(std::string{*found});
    }
    return read_decision(asked, *state, std::move(response), field);
}

decision_result result_of(const approval& decided) {
    const bool is_given = decided.state == approval_state::approved;
    decision_result told;
    told.status = is_given ? tool_call_status::completed : tool_call_status::failed;
    if (is_given && decided.kind == approval_kind::input) {
        const std::string& answer = decided.response.str();
        told.text = decode_string(answer).value_or(answer);
        return told;
    }
    json_writer out;
    out.begin_object().key("decision").string(word_of(decided.state));
    out.key("decided_by").string(decided.decided_by);
    out.key("response").json(decided.response).end_object();
    told.text = out.take().str();
    return told;
}

}  // namespace convene
