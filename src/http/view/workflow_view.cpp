// SPDX-License-Identifier: Apache-2.0
// Showing workflows and executions.
#include "http/view/workflow_view.hpp"

#include "http/view/words.hpp"
#include "store/notification_facts.hpp"
#include "store/task_graph.hpp"
#include "store/workflow_rules.hpp"

namespace convene {

namespace {

constexpr std::size_t longest_name = 64;

/// Where a word may be absent.
template <class Enum>
void write_word(json_writer& out, const std::optional<Enum>& value) {
    if (value) {
        out.string(word_of(*value));
    } else {
        out.null();
    }
}

}  // namespace

const schema& task_template_schema() {
    static const schema made = schema::input(
        "TaskTemplate",
        {required("key", schema::text({1, task_limits::key_bytes}), "Unique; a-z, 0-9, _ and -"),
         required("title", schema::text({1, task_limits::title_bytes})),
         optional("instructions", schema::text({0, task_limits::instructions_bytes})),
         optional(
             "depends_on",
             schema::list(schema::text({1, task_limits::key_bytes}), task_limits::tasks),
             "Keys of tasks that come before it"
         ),
         optional(
             "tools",
             schema::list(schema::text({1, longest_name}), task_limits::tools),
             "That may be called while it is in progress"
         ),
         optional(
             "mocks", schema::any_object(), "Of drafts: what a tool of it answers, by its name"
         )}
    );
    return made;
}

const schema& workflow_schema() {
    static const schema made = schema::object(
        "Workflow",
        {required("id", schema::id()),
         required("name", schema::text()),
         required("description", schema::text()),
         required("skill", schema::text(), "Empty: none"),
         required("skill_commit", schema::text(), "Its pinned revision"),
         required("agent", schema::text(), "The channel that designs and executes it; empty: none"),
         required("tasks", schema::list(task_template_schema())),
         required("status", words_of("WorkflowStatus", workflow_status::generating)),
         required("error", schema::text(), "Why its generation failed; empty: it did not"),
         required("room_id", schema::text(), "Where it is designed; empty: nowhere"),
         required("created_by", schema::text(), "A user or a token"),
         required("published_version", schema::integer({0}), "0: none"),
         required("revision", schema::integer({1}), "Rises with each change"),
         required("created_at", schema::time()),
         required("updated_at", schema::time())}
    );
    return made;
}

const schema& workflow_version_schema() {
    static const schema made = schema::object(
        "WorkflowVersion",
        {required("workflow_id", schema::id()),
         required("number", schema::integer({1})),
         required("name", schema::text()),
         required("description", schema::text()),
         required("skill", schema::text(), "Empty: none"),
         required("skill_commit", schema::text(), "Its pinned revision"),
         required("agent", schema::text()),
         required("tasks", schema::list(task_template_schema())),
         required("published_by", schema::text(), "A user or a token"),
         required("published_at", schema::time())}
    );
    return made;
}

const schema& execution_schema() {
    static const schema made = schema::object(
        "WorkflowExecution",
        {required("id", schema::id(), "Also its room's and its session's"),
         required("workflow_id", schema::id()),
         required("version", schema::integer({0}), "0: of the draft"),
         required("is_draft", schema::boolean(), "Its tools answer what the templates say"),
         required("name", schema::text()),
         required("description", schema::text()),
         required("skill", schema::text(), "Empty: none"),
         required("skill_commit", schema::text(), "Its pinned revision"),
         required("initiator", schema::text(), "A user or a token"),
         required("status", words_of("ExecutionStatus", execution_status::running)),
         required("created_at", schema::time()),
         required("finished_at", schema::time().or_null())}
    );
    return made;
}

const schema& execution_task_schema() {
    static const schema made = schema::object(
        "ExecutionTask",
        {required("key", schema::text()),
         required("title", schema::text()),
         required("instructions", schema::text()),
         required("depends_on", schema::list(schema::text())),
         required("tools", schema::list(schema::text())),
         required("status", words_of("ExecutionTaskStatus", execution_task_status::pending)),
         required("error_kind", words_of("TaskErrorKind", task_error_kind::api_error).or_null()),
         required("error", schema::text(), "Why it failed or was skipped"),
         required("result", schema::text()),
         required("started_at", schema::time().or_null()),
         required("ended_at", schema::time().or_null())}
    );
    return made;
}

const schema& invocation_schema() {
    static const schema made = schema::object(
        "ToolInvocation",
        {required("number", schema::integer({1})),
         required("task", schema::text(), "For which it was allowed; empty: for none"),
         required("tool", schema::text()),
         required("decision", words_of("ToolDecision", tool_decision::allowed)),
         required("reason", schema::text(), "Empty: allowed"),
         required("arguments_digest", schema::text(), "SHA-256 in hex"),
         required("at", schema::time())}
    );
    return made;
}

const schema& notification_schema() {
    static const schema made = schema::object(
        "Notification",
        {required("id", schema::id()),
         required("kind", words_of("NotificationKind", notification_kind::draft_ready)),
         required(
             "subject",
             schema::object(
                 "NotificationSubject",
                 {required("type", words_of("NotificationTopic", notification_topic::workflow)),
                  required("id", schema::text()),
                  required("name", schema::text(), "As it was then")}
             ),
             "What it is about"
         ),
         required(
             "outcome",
             words_of("NotificationOutcome", notification_outcome::completed).or_null(),
             "How that ended; `null`: it has not"
         ),
         required(
             "tasks",
             schema::object(
                 "NotificationTasks",
                 {required("completed", schema::integer({0})),
                  required("total", schema::integer({0}))}
             )
                 .or_null(),
             "Of a draft, and of an execution"
         ),
         required("error", schema::text(), "Why a generation failed; empty: it did not"),
         required("title", schema::text(), "The same as an English sentence"),
         required("body", schema::text()),
         required("link", schema::text(), "A path of this API"),
         required("created_at", schema::time()),
         required("read_at", schema::time().or_null(), "`null`: unread")}
    );
    return made;
}

void write_workflow(json_writer& out, const workflow& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("name").string(shown.name);
    out.key("description").string(shown.description);
    out.key("skill").string(shown.skill);
    out.key("skill_commit").string(shown.skill_commit);
    out.key("agent").string(shown.agent.str());
    out.key("tasks").json(text_of_templates(shown.tasks));
    out.key("status").string(word_of(shown.status));
    out.key("error").string(shown.error);
    out.key("room_id").string(shown.room.str());
    out.key("created_by").string(shown.created_by);
    out.key("published_version").integer(shown.published);
    out.key("revision").integer(shown.revision);
    write_time(out.key("created_at"), shown.created_at);
    write_time(out.key("updated_at"), shown.updated_at);
    out.end_object();
}

void write_workflow_version(json_writer& out, const workflow_version& shown) {
    out.begin_object();
    out.key("workflow_id").string(shown.workflow.str());
    out.key("number").integer(shown.number);
    out.key("name").string(shown.name);
    out.key("description").string(shown.description);
    out.key("skill").string(shown.skill);
    out.key("skill_commit").string(shown.skill_commit);
    out.key("agent").string(shown.agent.str());
    out.key("tasks").json(text_of_templates(shown.tasks));
    out.key("published_by").string(shown.published_by);
    write_time(out.key("published_at"), shown.published_at);
    out.end_object();
}

void write_execution(json_writer& out, const workflow_execution& shown) {
    out.begin_object();
    out.key("id").string(shown.room.str());
    out.key("workflow_id").string(shown.workflow.str());
    out.key("version").integer(shown.version);
    out.key("is_draft").boolean(shown.is_draft());
    out.key("name").string(shown.name);
    out.key("description").string(shown.description);
    out.key("skill").string(shown.skill);
    out.key("skill_commit").string(shown.skill_commit);
    out.key("initiator").string(shown.initiator);
    out.key("status").string(word_of(shown.status));
    write_time(out.key("created_at"), shown.created_at);
    write_time(out.key("finished_at"), shown.finished_at);
    out.end_object();
}

void write_execution_task(json_writer& out, const execution_task& shown) {
    out.begin_object();
    out.key("key").string(shown.what.key);
    out.key("title").string(shown.what.title);
    out.key("instructions").string(shown.what.instructions);
    for (const auto& [name, values] :
         {std::pair{"depends_on", &shown.what.depends_on}, std::pair{"tools", &shown.what.tools}}) {
        out.key(name).begin_array();
        for (const std::string& value : *values) {
            out.string(value);
        }
        out.end_array();
    }
    out.key("status").string(word_of(shown.status));
    write_word(out.key("error_kind"), shown.error_kind);
    out.key("error").string(shown.error);
    out.key("result").string(shown.result);
    write_time(out.key("started_at"), shown.started_at);
    write_time(out.key("ended_at"), shown.ended_at);
    out.end_object();
}

void write_invocation(json_writer& out, const tool_invocation& shown) {
    out.begin_object();
    out.key("number").integer(shown.number);
    out.key("task").string(shown.task);
    out.key("tool").string(shown.tool);
    out.key("decision").string(word_of(shown.decision));
    out.key("reason").string(shown.reason);
    out.key("arguments_digest").string(shown.arguments_digest);
    write_time(out.key("at"), shown.at);
    out.end_object();
}

void write_notification(json_writer& out, const notification& shown) {
    out.begin_object();
    out.key("id").string(shown.id.str());
    out.key("kind").string(word_of(shown.kind));
    const notification_facts facts = facts_of(shown);
    out.key("subject").begin_object();
    out.key("type").string(word_of(topic_of(shown.kind)));
    out.key("id").string(facts.id);
    out.key("name").string(facts.name);
    out.end_object();
    write_word(out.key("outcome"), facts.outcome);
    out.key("tasks");
    if (facts.tasks) {
        out.begin_object();
        out.key("completed").integer(facts.tasks->completed);
        out.key("total").integer(facts.tasks->total);
        out.end_object();
    } else {
        out.null();
    }
    out.key("error").string(facts.error);
    out.key("title").string(shown.title);
    out.key("body").string(shown.body);
    out.key("link").string(shown.link);
    write_time(out.key("created_at"), shown.created_at);
    write_time(out.key("read_at"), shown.read_at);
    out.end_object();
}

}  // namespace convene
