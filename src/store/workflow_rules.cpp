// SPDX-License-Identifier: Apache-2.0
// Workflow rules: templates as JSON, drafts that change, notices.
#include "store/workflow_rules.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

#include "base/canonical_json.hpp"
#include "base/field_path.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "store/notification_facts.hpp"

namespace convene {

namespace {

void write_list(json_writer& out, std::string_view name, const std::vector<std::string>& values) {
    out.key(name).begin_array();
    for (const std::string& value : values) {
        out.string(value);
    }
    out.end_array();
}

checked<std::vector<std::string>> read_list(
    const boost::json::object& from, std::string_view name, const std::string& path
) {
    std::vector<std::string> values;
    const auto* const member = from.if_contains(name);
    if (member == nullptr || member->is_null()) {
        return values;
    }
    const std::string field = member_path(path, name);
    const auto* const array = member->if_array();
    if (array == nullptr) {
        return boundary_error{field, boundary_reason::wrong_type};
    }
    for (std::size_t i = 0; i < array->size(); ++i) {
        const auto text = read_text((*array)[i], element_path(field, i));
        if (!text) {
            return text.error();
        }
        values.emplace_back(*text);
    }
    return values;
}

/// `spelled` is the same object as canonical text.
checked<task_template> read_template(
    const boost::json::value& value, std::string_view spelled, const std::string& path
) {
    const auto* const object = value.if_object();
    if (object == nullptr) {
        return boundary_error{path, boundary_reason::wrong_type};
    }
    const object_reader fields{*object, path};
    const auto only = fields.only({"key", "title", "instructions", "depends_on", "tools", "mocks"});
    if (!only) {
        return only.error();
    }
    task_template task;
    const std::pair<const char*, std::string*> texts[] = {
        {"key", &task.key}, {"title", &task.title}, {"instructions", &task.instructions}
    };
    for (const auto& [name, into] : texts) {
        const auto text = fields.optional_text(name);
        if (!text) {
            return text.error();
        }
        *into = text->value_or("");
    }
    const std::pair<const char*, std::vector<std::string>*> lists[] = {
        {"depends_on", &task.depends_on}, {"tools", &task.tools}
    };
    for (const auto& [name, into] : lists) {
        auto values = read_list(*object, name, path);
        if (!values) {
            return values.error();
        }
        *into = *std::move(values);
    }
    if (const auto mocks = find_member(spelled, "mocks"); mocks && *mocks != "null") {
        if (mocks->front() != '{') {
            return boundary_error{member_path(path, "mocks"), boundary_reason::wrong_type};
        }
        task.mocks = json_text::trusted(std::string{*mocks});
    }
    return task;
}

}  // namespace

json_text text_of_templates(const std::vector<task_template>& tasks) {
    json_writer out;
    out.begin_array();
    for (const task_template& task : tasks) {
        out.begin_object();
        out.key("key").string(task.key);
        out.key("title").string(task.title);
        out.key("instructions").string(task.instructions);
        write_list(out, "depends_on", task.depends_on);
        write_list(out, "tools", task.tools);
        out.key("mocks").json(task.mocks);
        out.end_object();
    }
    out.end_array();
    return out.take();
}

checked<std::vector<task_template>> templates_of_text(
    std::string_view text, std::string_view field
) {
    const auto document = json_document::parse(text, field, boundary_limits::of_stored_json());
    if (!document) {
        return document.error();
    }
    const auto* const array = document->root().if_array();
    if (array == nullptr) {
        return boundary_error{std::string{field}, boundary_reason::wrong_type};
    }
    const std::vector<std::string_view> spelled = elements_of(document->text().str());
    std::vector<task_template> tasks;
    for (std::size_t i = 0; i < array->size(); ++i) {
        auto task = read_template((*array)[i], spelled[i], element_path(field, i));
        if (!task) {
            return task.error();
        }
        tasks.push_back(*std::move(task));
    }
    return tasks;
}

workflow new_workflow(
    workflow wanted, const std::optional<ops::new_session>& session, wall_time now
) {
    wanted.room = session ? session->room.id : room_id{};
    const bool is_generated = session && session->turn;
    wanted.status = is_generated ? workflow_status::generating : workflow_status::draft;
    wanted.error.clear();
    wanted.published = 0;
    wanted.revision = 1;
    wanted.created_at = now;
    wanted.updated_at = now;
    return wanted;
}

workflow changed_workflow(const workflow& before, workflow wanted, wall_time now) {
    wanted.organization = before.organization;
    wanted.room = before.room;
    wanted.created_by = before.created_by;
    wanted.published = before.published;
    wanted.created_at = before.created_at;
    wanted.updated_at = now;
    wanted.revision = before.revision + 1;
    wanted.status = before.status;
    wanted.error = before.error;
    if (before.status == workflow_status::published) {
        wanted.status = workflow_status::modified;
    }
    if (before.status == workflow_status::failed && !wanted.tasks.empty()) {
        wanted.status = workflow_status::draft;
        wanted.error.clear();
    }
    return wanted;
}

bool is_same_content(const workflow& draft, const workflow_version& published) {
    return draft.name == published.name && draft.description == published.description &&
           draft.skill == published.skill && draft.skill_commit == published.skill_commit &&
           draft.agent == published.agent && draft.tasks == published.tasks;
}

void mark_published(workflow& draft, std::int64_t number, wall_time now) {
    if (draft.status != workflow_status::published) {
        draft.status = workflow_status::published;
        draft.updated_at = now;
        ++draft.revision;
    }
    draft.published = number;
}

workflow_version next_version(const workflow& draft, const std::string& by, wall_time now) {
    workflow_version next;
    next.workflow = draft.id;
    next.number = draft.published + 1;
    next.name = draft.name;
    next.description = draft.description;
    next.skill = draft.skill;
    next.skill_commit = draft.skill_commit;
    next.agent = draft.agent;
    next.tasks = draft.tasks;
    next.published_by = by;
    next.published_at = now;
    return next;
}

workflow after_generation(workflow generated, std::string_view error, wall_time now) {
    const bool is_made = !generated.tasks.empty();
    generated.status = is_made ? workflow_status::draft : workflow_status::failed;
    generated.error = is_made         ? std::string{}
                      : error.empty() ? std::string{"no_tasks"}
                                      : std::string{error};
    generated.updated_at = now;
    ++generated.revision;
    return generated;
}

std::vector<std::size_t> skip_open(std::vector<execution_task>& tasks, wall_time now) {
    std::vector<std::size_t> changed;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        execution_task& task = tasks[i];
        if (task.status == execution_task_status::pending ||
            task.status == execution_task_status::in_progress) {
            task.status = execution_task_status::skipped;
            task.error = cancelled_word;
            task.ended_at = now;
            changed.push_back(i);
        }
    }
    return changed;
}

skill_pin pin_of(const workflow_execution& made) {
    return {
        made.organization,
        execution_holder,
        made.room.str(),
        skill_id{made.skill},
        revision_id{made.skill_commit}
    };
}

notification notice_of(const workflow& generated, wall_time now) {
    const bool is_made = generated.status != workflow_status::failed;
    notification_facts facts;
    facts.kind = is_made ? notification_kind::draft_ready : notification_kind::generation_failed;
    facts.id = generated.id.str();
    facts.name = generated.name;
    facts.tasks = {0, static_cast<std::int64_t>(generated.tasks.size())};
    facts.error = generated.error;
    return notice_of(facts, generated.organization, generated.created_by, now);
}

notification notice_of(
    const workflow_execution& ended, const std::vector<execution_task>& tasks, wall_time now
) {
    const bool is_good = ended.status == execution_status::completed;
    notification_facts facts;
    facts.kind = notification_kind::execution_completed;
    facts.id = ended.room.str();
    facts.name = ended.name;
    facts.outcome = is_good ? notification_outcome::completed : notification_outcome::failed;
    facts.tasks = {
        std::ranges::count(tasks, execution_task_status::completed, &execution_task::status),
        static_cast<std::int64_t>(tasks.size())
    };
    return notice_of(facts, ended.organization, ended.initiator, now);
}

}  // namespace convene
