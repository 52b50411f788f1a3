// SPDX-License-Identifier: Apache-2.0
// Showing approvals.
#include "http/view/approval_view.hpp"

#include <string>
#include <vector>

#include "base/canonical_json.hpp"
#include "http/view/words.hpp"

namespace convene {

namespace {

schema grant_schema() {
    return schema::object(
        "ApprovalTool",
        {required("tool", schema::text()),
         optional("arguments", schema::any_object(), "Exactly these"),
         optional("schema", schema::any_object(), "A JSON schema that they fit; neither: any"),
         required("uses", schema::integer({1}), "So many calls"),
         required("used", schema::integer({0}))}
    );
}

schema asker_schema() {
    return schema::object(
        "ApprovalAsker",
        {required("agent", schema::text(), "The channel"),
         required("agent_name", schema::text(), "Empty: it is not registered any more"),
         required("execution_name", schema::text(), "Empty: none of an execution asks"),
         required(
             "task_key", schema::text(), "In progress; empty: none, several, or it was decided"
         ),
         required("task_title", schema::text())}
    );
}

void write_asker(json_writer& out, const approval_asker& shown) {
    out.begin_object();
    out.key("agent").string(shown.agent.str());
    out.key("agent_name").string(shown.agent_name);
    out.key("execution_name").string(shown.execution_name);
    out.key("task_key").string(shown.task_key);
    out.key("task_title").string(shown.task_title);
    out.end_object();
}

void write_grant(json_writer& out, const approval_grant& shown) {
    out.begin_object();
    out.key("tool").string(shown.tool);
    for (const json_member& bound : members_of(shown.bounds.str())) {
        out.key(bound.key).json(json_text::trusted(std::string{bound.value}));
    }
    out.key("uses").integer(shown.uses);
    out.key("used").integer(shown.used);
    out.end_object();
}

}  // namespace

schema approval_state_schema() { return words_of("ApprovalStatus", approval_state::pending); }

const schema& approval_schema() {
    static const schema made = schema::object(
        "Approval",
        {required("id", schema::id()),
         required("room_id", schema::id(), "The session"),
         required("run_id", schema::id(), "That asked"),
         required("tool_call_id", schema::text(), "The call whose result the decision is"),
         required("kind", words_of("ApprovalKind", approval_kind::approval)),
         required("title", schema::text()),
         required("description", schema::text()),
         required("tools", schema::list(grant_schema()), "Calls that it allows once it is given"),
         required("response_schema", schema::any_object().or_null(), "Of the answer to an input"),
         required(
             "deciders", schema::list(schema::text()), "Users, `role:ROLE`; empty: who takes part"
         ),
         required("asked_by", asker_schema()),
         required("may_decide", schema::boolean(), "It is open, and the caller is one of these"),
         required("status", approval_state_schema()),
         required("decided_by", schema::text(), "`user:ID`, `token:ID`; empty: nobody"),
         required("response", schema::any(), "Of whoever decided"),
         required("decided_at", schema::time().or_null()),
         required("expires_at", schema::time(), "Until then it is decided, and good"),
         required("created_at", schema::time())}
    );
    return made;
}

void write_approval(json_writer& out, const shown_approval& seen) {
    const approval& shown = seen.asked;
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("room_id").string(shown.room.str());
    out.key("run_id").string(shown.run.str());
    out.key("tool_call_id").string(shown.call_id);
    out.key("kind").string(word_of(shown.kind));
    out.key("title").string(shown.title);
    out.key("description").string(shown.description);
    out.key("tools").begin_array();
    for (const approval_grant& grant : shown.grants) {
        write_grant(out, grant);
    }
    out.end_array();
    out.key("response_schema");
    if (shown.response_schema) {
        out.json(*shown.response_schema);
    } else {
        out.null();
    }
    out.key("deciders").begin_array();
    for (const std::string& one : shown.deciders) {
        out.string(one);
    }
    out.end_array();
    write_asker(out.key("asked_by"), seen.asker);
    out.key("may_decide").boolean(seen.may_decide);
    out.key("status").string(word_of(shown.state));
    out.key("decided_by").string(shown.decided_by);
    out.key("response").json(shown.response);
    write_time(out.key("decided_at"), shown.decided_at);
    write_time(out.key("expires_at"), shown.expires_at);
    write_time(out.key("created_at"), shown.created_at);
    out.end_object();
}

json_text approval_as_json(const shown_approval& shown) {
    json_writer out;
    write_approval(out, shown);
    return out.take();
}

}  // namespace convene
