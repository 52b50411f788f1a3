// SPDX-License-Identifier: Apache-2.0
// Workflow service: what is made is described first and stored in one transaction; then somebody is woken.
#include "workflow/workflow_service.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "agent/session/turn_order.hpp"
#include "base/json_writer.hpp"
#include "channel/channel_registry.hpp"
#include "store/store.hpp"
#include "workflow/agent_instructions.hpp"
#include "workflow/design_tools.hpp"
#include "workflow/execution_tools.hpp"
#include "workflow/skill_tools.hpp"
#include "workflow/task_policy.hpp"

namespace convene {

namespace {

/// The namespace of ids of what was asked for with a key.
constexpr std::string_view keyed_workflows = "d2c1b6b2-7e5d-4a57-9a8c-0c8e1f2a4b60";

/// A change that others make impossible is tried again a few times.
constexpr int change_tries = 5;

json_text name_in_metadata(const std::string& name) {
    json_writer out;
    out.begin_object().key("name").string(name).end_object();
    return out.take();
}

/// The first turn of a session: something is said, and nobody waits for the answer.
session_turn first_turn(
    const room& in, turn_id id, turn_kind kind, std::string text, const workflow_actor& by
) {
    session_turn turn;
    turn.room = in.id;
    turn.organization = in.organization;
    turn.kind = kind;
    turn.acting_for = by.name;
    turn.input = write_turn_order(order_that_tells(in.id, id.str(), std::move(text)));
    turn.id = std::move(id);
    return turn;
}

workflow_execution execution_of(const workflow_version& content) {
    workflow_execution made;
    made.workflow = content.workflow;
    made.version = content.number;
    made.name = content.name;
    made.description = content.description;
    made.skill = content.skill;
    made.skill_commit = content.skill_commit;
    return made;
}

/// A draft as if it were published, under no number.
workflow_version content_of(const workflow& draft) {
    workflow_version content;
    content.workflow = draft.id;
    content.name = draft.name;
    content.description = draft.description;
    content.skill = draft.skill;
    content.skill_commit = draft.skill_commit;
    content.agent = draft.agent;
    content.tasks = draft.tasks;
    return content;
}

/// Those of ours come first: an agent's own tool of the same name is not called.
result<toolbox> tools_of(
    const std::vector<std::shared_ptr<tool>>& ours, const std::vector<std::shared_ptr<tool>>& others
) {
    toolbox tools;
    for (const std::shared_ptr<tool>& one : ours) {
        const result<> added = tools.add(one);
        if (!added) {
            return added.error();
        }
    }
    for (const std::shared_ptr<tool>& one : others) {
        const result<> added = tools.add(one);
        if (!added && added.error() != errc::already_exists) {
            return added.error();
        }
    }
    return tools;
}

std::vector<std::shared_ptr<tool>> all_of(const toolbox& tools) {
    std::vector<std::shared_ptr<tool>> all;
    for (const tool_definition& one : tools.definitions()) {
        all.push_back(tools.find(one.name));
    }
    return all;
}

}  // namespace

workflow_service::workflow_service(workflow_parts parts)
    : parts_(std::move(parts)), ids_(*parts_.clock, *parts_.random) {}

template <class Id>
Id workflow_service::id_for(const workflow_actor& by, std::string_view what) {
    if (by.key.empty()) {
        return ids_.next<Id>();
    }
    std::string name = by.organization.str() + '\n' + by.name + '\n' + by.key + '\n';
    return Id{uuid5(keyed_workflows, name.append(what))};
}

awaitable<result<skill_text>> workflow_service::read_skill(
    organization_id organization, std::string skill, std::string commit
) {
    if (skill.empty()) {
        co_return skill_text{};
    }
    if (parts_.skills == nullptr) {
        co_return errc::skill_not_ready;
    }
    auto read = co_await parts_.skills->read(
        std::move(organization), std::move(skill), std::move(commit)
    );
    co_return read;
}

/// A room with the agent and the people's channel, owned by whoever makes it.
awaitable<result<ops::new_session>> workflow_service::describe_session(
    room_id room, channel_id agent, std::string name, workflow_actor by
) {
    const auto known = co_await parts_.kit->look_up_channel(agent);
    if (!known) {
        co_return known.error();
    }
    const std::shared_ptr<channel>& registered = *known;
    const bool is_agent = registered != nullptr &&
                          registered->kind() == channel_kind::intelligence &&
                          may_use(*registered, by.organization);
    if (!is_agent) {
        co_return errc::channel_not_registered;
    }
    const wall_time now = parts_.clock->now();
    ops::new_session made;
    made.room.id = room;
    made.room.organization = by.organization;
    made.room.metadata = name_in_metadata(name);
    binding people;
    people.room = room;
    people.channel = parts_.people;
    people.channel_type = "websocket";
    people.attached_at = now;
    binding answering = people;
    answering.channel = agent;
    answering.channel_type = registered->type();
    answering.kind = registered->kind();
    made.bindings = {std::move(people), std::move(answering)};
    if (by.is_user) {
        participant owner;
        owner.room = room;
        owner.id = participant_id{by.name};
        owner.display_name = by.display_name;
        owner.role = participant_role::owner;
        owner.joined_at = now;
        made.participants.push_back(std::move(owner));
    }
    made.agent = std::move(agent);
    made.owner = std::move(by.name);
    co_return made;
}

// -- workflows -------------------------------------------------------------------------------------------

awaitable<result<workflow>> workflow_service::create(
    workflow wanted, std::string prompt, workflow_actor by, audit_entry audit
) {
    wanted.id = id_for<workflow_id>(by, "workflow");
    wanted.organization = by.organization;
    wanted.created_by = by.name;
    wanted.revision = 0;
    audit.target = wanted.id.str();
    ops::put_workflow request{wanted, std::nullopt, std::move(audit)};
    if (!wanted.agent.empty()) {
        auto room = id_for<room_id>(by, "design");
        auto session = co_await describe_session(std::move(room), wanted.agent, wanted.name, by);
        if (!session) {
            co_return session.error();
        }
        if (!prompt.empty()) {
            session->turn = first_turn(
                session->room,
                id_for<turn_id>(by, "turn"),
                turn_kind::kickoff,
                std::move(prompt),
                by
            );
        }
        request.session = *std::move(session);
    }
    auto made = co_await parts_.kit->store().run(std::move(request));
    if (made && made->status == workflow_status::generating) {
        parts_.sessions->turn_was_queued();
    }
    co_return made;
}

awaitable<result<workflow>> workflow_service::change(
    workflow_id id,
    std::function<void(workflow&)> apply,
    std::optional<std::int64_t> expected,
    audit_entry audit
) {
    audit.target = id.str();
    for (int tried = 1;; ++tried) {
        ops::get_workflow look{audit.organization, id};
        auto known = co_await parts_.kit->store().run(std::move(look));
        if (!known) {
            co_return known.error();
        }
        if (expected && known->revision != *expected) {
            co_return errc::room_changed;
        }
        apply(*known);
        ops::put_workflow request{*std::move(known), std::nullopt, audit};
        auto changed = co_await parts_.kit->store().run(std::move(request));
        if (changed || changed.error() != errc::room_changed) {
            co_return changed;
        }
        if (tried == change_tries) {
            co_return errc::room_contended;
        }
    }
}

awaitable<result<workflow_version>> workflow_service::publish(
    workflow_id id, workflow_actor by, audit_entry audit
) {
    audit.target = id.str();
    for (int tried = 1;; ++tried) {
        ops::get_workflow look{by.organization, id};
        const auto known = co_await parts_.kit->store().run(std::move(look));
        if (!known) {
            co_return known.error();
        }
        ops::publish_workflow request{by.organization, id, known->revision, by.name, audit};
        auto published = co_await parts_.kit->store().run(std::move(request));
        if (published || published.error() != errc::room_changed) {
            co_return published;
        }
        if (tried == change_tries) {
            co_return errc::room_contended;
        }
    }
}

awaitable<result<>> workflow_service::remove(workflow_id id, audit_entry audit) {
    const organization_id organization = audit.organization;
    audit.target = id.str();
    ops::get_workflow look{organization, id};
    const auto known = co_await parts_.kit->store().run(std::move(look));
    if (!known) {
        co_return known.error();
    }
    // The room first: a workflow that is still there can be removed again.
    if (!known->room.empty()) {
        const auto gone = co_await parts_.kit->delete_room(organization, known->room);
        if (!gone) {
            co_return gone.error();
        }
    }
    ops::delete_workflow request{organization, std::move(id), std::move(audit)};
    const auto removed = co_await parts_.kit->store().run(std::move(request));
    co_return removed ? result<>{} : result<>{removed.error()};
}

// -- executions ------------------------------------------------------------------------------------------

awaitable<result<workflow_execution>> workflow_service::execute(
    workflow_id id, executed_form form, std::string name, workflow_actor by, audit_entry audit
) {
    ops::get_workflow look{by.organization, id};
    const auto draft = co_await parts_.kit->store().run(std::move(look));
    if (!draft) {
        co_return draft.error();
    }
    workflow_version content = content_of(*draft);
    if (form == executed_form::published) {
        ops::get_workflow_version published{by.organization, id, draft->published};
        auto version = co_await parts_.kit->store().run(std::move(published));
        if (!version) {
            co_return version.error();
        }
        content = *std::move(version);
    }
    if (content.tasks.empty()) {
        co_return errc::invalid_argument;
    }
    const auto skill = co_await read_skill(by.organization, content.skill, content.skill_commit);
    if (!skill) {
        co_return skill.error();
    }
    ops::create_execution request;
    request.execution = execution_of(content);
    request.execution.room = id_for<room_id>(by, "execution of " + id.str());
    request.execution.organization = by.organization;
    request.execution.initiator = by.name;
    request.execution.skill_commit = skill->revision;
    if (!name.empty()) {
        request.execution.name = std::move(name);
    }
    auto session = co_await describe_session(
        request.execution.room, content.agent, request.execution.name, by
    );
    if (!session) {
        co_return session.error();
    }
    session->turn = first_turn(
        session->room, turn_id{request.execution.room.str()}, turn_kind::kickoff, kickoff_text(), by
    );
    request.session = *std::move(session);
    request.tasks = std::move(content.tasks);
    audit.target = request.execution.room.str();
    request.audit = std::move(audit);
    auto made = co_await parts_.kit->store().run(std::move(request));
    if (made) {
        parts_.sessions->turn_was_queued();
    }
    co_return made;
}

awaitable<result<workflow_execution>> workflow_service::cancel(room_id room, audit_entry audit) {
    const organization_id organization = audit.organization;
    audit.target = room.str();
    ops::cancel_execution request{organization, room, std::move(audit)};
    auto cancelled = co_await parts_.kit->store().run(std::move(request));
    if (!cancelled) {
        co_return cancelled.error();
    }
    ops::get_session look{organization, room};
    const auto session = co_await parts_.kit->store().run(std::move(look));
    if (session && session->session.status == session_status::running) {
        // It is on record; whoever drives it is told now.
        const auto told = co_await parts_.sessions->cancel(organization, session->session.run);
        if (!told) {
            co_return told.error();
        }
    }
    co_return cancelled;
}

awaitable<result<>> workflow_service::equip(agent_session session, session_agent* agent) {
    ops::find_session_work look{session.organization, session.room};
    const auto work = co_await parts_.kit->store().run(std::move(look));
    if (!work) {
        co_return work.error();
    }
    if (!work->execution && !work->design) {
        co_return result<>{};
    }
    const bool is_execution = work->execution.has_value();
    std::string skill_id = is_execution ? work->execution->execution.skill : work->design->skill;
    std::string commit = is_execution ? work->execution->execution.skill_commit
                                      : work->design->skill_commit;
    const auto skill = co_await read_skill(session.organization, skill_id, std::move(commit));
    if (!skill) {
        co_return skill.error();
    }
    const execution_place place{
        &parts_.kit->store(), session.organization, session.room, session.driver_epoch
    };
    std::vector<std::shared_ptr<tool>> ours = make_design_tools(place);
    std::vector<std::shared_ptr<tool>> others = all_of(agent->tools);
    std::string& told = agent->question.system;
    if (!is_execution) {
        told = design_instructions(std::move(told), *skill);
    } else {
        const bool is_draft = work->execution->execution.is_draft();
        told = execution_instructions(std::move(told), *work->execution, *skill);
        ours = make_execution_tools(place);
        if (is_draft) {
            others = make_mocked_tools(work->execution->tasks, agent->tools);
            agent->room_tools.clear();  // those that a task names are played, too
        }
        const auto policy = std::make_shared<task_policy>(
            place.store,
            place.organization,
            place.room,
            place.epoch,
            is_draft ? call_effect::mocked : call_effect::real
        );
        const auto guard = [policy](std::shared_ptr<tool> one) {
            return make_guarded_tool(std::move(one), policy);
        };
        for (std::shared_ptr<tool>& one : others) {
            one = guard(std::move(one));
        }
        agent->room_tool_guard = guard;
    }
    std::ranges::move(
        make_skill_tools({parts_.skills, session.organization, std::move(skill_id), *skill}),
        std::back_inserter(ours)
    );
    auto tools = tools_of(ours, others);
    if (!tools) {
        co_return tools.error();
    }
    agent->tools = *std::move(tools);
    co_return result<>{};
}

}  // namespace convene
