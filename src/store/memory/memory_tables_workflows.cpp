// SPDX-License-Identifier: Apache-2.0
// The memory tables: workflows, their executions, and notifications.
#include <algorithm>
#include <ranges>
#include <utility>

#include "store/memory/approval_notices.hpp"
#include "store/memory/memory_tables.hpp"

namespace convene {

namespace {

/// The values of those that match, the last one first.
template <class Row, class Rows, class Predicate>
std::vector<const Row*> newest(const Rows& rows, std::size_t limit, Predicate matches) {
    std::vector<const Row*> found;
    for (const auto& [id, row] : rows) {
        if (matches(row)) {
            found.push_back(&row);
        }
    }
    std::ranges::sort(found, std::ranges::greater{}, [](const Row* row) { return row->number; });
    found.resize(std::min(found.size(), limit));
    return found;
}

}  // namespace

bool memory_tables::can_add(const ops::new_session& wanted) {
    return can_create(wanted.room) &&
           !(wanted.turn && sessions_.find_turn(wanted.turn->id) != nullptr);
}

void memory_tables::add_session(const ops::new_session& added) {
    const room made = add_room(added.room, added.bindings, added.participants).info;
    static_cast<void>(apply(ops::open_session{made.organization, made.id, added.agent, added.owner})
    );
    if (added.turn) {
        static_cast<void>(apply(ops::queue_turn{*added.turn}));
    }
}

// -- workflows ------------------------------------------------------------------------------------

result<workflow> memory_tables::apply(const ops::put_workflow& request) {
    const workflow& wanted = request.workflow;
    if (find_task_fault(wanted.tasks)) {
        return errc::invalid_argument;
    }
    const wall_time now = clock_.now();
    workflow_tables::workflow_row* const known = workflows_.find(wanted.organization, wanted.id);
    if (wanted.revision > 0) {
        if (known == nullptr) {
            return errc::not_found;
        }
        if (known->info.revision != wanted.revision) {
            return errc::room_changed;
        }
        known->info = changed_workflow(known->info, wanted, now);
        access_.note(request.audit, now);
        return known->info;
    }
    if (known != nullptr && known->info.created_by == wanted.created_by) {
        return known->info;
    }
    if (workflows_.workflows.contains(wanted.id) ||
        (request.session && !can_add(*request.session))) {
        return errc::already_exists;
    }
    if (request.session) {
        add_session(*request.session);
    }
    workflow_tables::workflow_row& added = workflows_.workflows[wanted.id];
    added.number = ++workflows_.last_workflow;
    added.info = new_workflow(wanted, request.session, now);
    access_.note(request.audit, now);
    return added.info;
}

result<workflow> memory_tables::apply(const ops::get_workflow& request) {
    const auto* const known = workflows_.find(request.organization, request.workflow);
    if (known == nullptr) {
        return errc::not_found;
    }
    return known->info;
}

result<std::vector<workflow>> memory_tables::apply(const ops::list_workflows& request) {
    const auto before = request.before ? workflows_.workflows.find(*request.before)
                                       : workflows_.workflows.end();
    const bool is_page = before != workflows_.workflows.end();
    if (request.before && !is_page) {
        return std::vector<workflow>{};
    }
    std::vector<workflow> page;
    for (const auto* const row : newest<workflow_tables::workflow_row>(
             workflows_.workflows,
             request.limit,
             [&](const workflow_tables::workflow_row& one) {
                 return one.info.organization == request.organization &&
                        (!is_page || one.number < before->second.number);
             }
         )) {
        page.push_back(row->info);
    }
    return page;
}

result<bool> memory_tables::apply(const ops::delete_workflow& request) {
    if (workflows_.find(request.organization, request.workflow) == nullptr) {
        return false;
    }
    workflows_.workflows.erase(request.workflow);
    access_.note(request.audit, clock_.now());
    return true;
}

result<workflow_version> memory_tables::apply(const ops::publish_workflow& request) {
    auto* const known = workflows_.find(request.organization, request.workflow);
    if (known == nullptr) {
        return errc::not_found;
    }
    workflow& draft = known->info;
    const wall_time now = clock_.now();
    if (!known->versions.empty() && is_same_content(draft, known->versions.back())) {
        mark_published(draft, draft.published, now);
        return known->versions.back();
    }
    if (draft.revision != request.revision) {
        return errc::room_changed;
    }
    if (draft.tasks.empty() || draft.status == workflow_status::generating) {
        return errc::invalid_argument;
    }
    known->versions.push_back(next_version(draft, request.by, now));
    mark_published(draft, known->versions.back().number, now);
    access_.note(request.audit, now);
    return known->versions.back();
}

result<workflow_version> memory_tables::apply(const ops::get_workflow_version& request) {
    const auto* const known = workflows_.find(request.organization, request.workflow);
    if (known == nullptr) {
        return errc::not_found;
    }
    const auto found = std::ranges::find(
        known->versions, request.number, &workflow_version::number
    );
    if (found == known->versions.end()) {
        return errc::not_found;
    }
    return *found;
}

result<std::vector<workflow_version>> memory_tables::apply(
    const ops::list_workflow_versions& request
) {
    std::vector<workflow_version> page;
    if (const auto* const known = workflows_.find(request.organization, request.workflow)) {
        std::ranges::copy(
            known->versions | std::views::reverse | std::views::take(request.limit),
            std::back_inserter(page)
        );
    }
    return page;
}

result<workflow> memory_tables::apply(const ops::put_draft& request) {
    if (request.tasks && find_task_fault(*request.tasks)) {
        return errc::invalid_argument;
    }
    if (sessions_.find_driven(request.room, request.epoch) == nullptr) {
        return errc::driver_fenced;
    }
    auto* const known = workflows_.find_design(request.room);
    if (known == nullptr) {
        return errc::not_found;
    }
    workflow wanted = known->info;
    wanted.description = request.description.value_or(wanted.description);
    wanted.tasks = request.tasks.value_or(wanted.tasks);
    known->info = changed_workflow(known->info, std::move(wanted), clock_.now());
    return known->info;
}

// -- executions -----------------------------------------------------------------------------------

result<workflow_execution> memory_tables::apply(const ops::create_execution& request) {
    if (find_task_fault(request.tasks)) {
        return errc::invalid_argument;
    }
    const workflow_execution& wanted = request.execution;
    if (const auto* const known = workflows_.find_execution(wanted.room)) {
        const bool is_same = known->info.organization == wanted.organization &&
                             known->info.initiator == wanted.initiator &&
                             known->info.workflow == wanted.workflow;
        return is_same ? result<workflow_execution>{known->info} : errc::already_exists;
    }
    if (!can_add(request.session)) {
        return errc::already_exists;
    }
    add_session(request.session);
    workflow_tables::execution_row& added = workflows_.executions[wanted.room];
    added.number = ++workflows_.last_execution;
    added.info = wanted;
    added.info.status = execution_status::running;
    added.info.created_at = clock_.now();
    added.info.finished_at.reset();
    added.tasks = tasks_of(request.tasks);
    const auto pinned = apply(ops::pin_skill{pin_of(added.info)});
    static_cast<void>(pinned);  // no skill, or one that has nothing to be kept any more
    access_.note(request.audit, added.info.created_at);
    return added.info;
}

result<ops::get_execution::answer> memory_tables::apply(const ops::get_execution& request) {
    const auto* const known = std::as_const(workflows_).find(request.organization, request.room);
    if (known == nullptr) {
        return errc::not_found;
    }
    return ops::get_execution::answer{known->info, known->tasks};
}

result<std::vector<workflow_execution>> memory_tables::apply(const ops::list_executions& request) {
    const auto* const before = request.before ? workflows_.find_execution(*request.before)
                                              : nullptr;
    if (request.before && before == nullptr) {
        return std::vector<workflow_execution>{};
    }
    std::vector<workflow_execution> page;
    for (const auto* const row : newest<workflow_tables::execution_row>(
             workflows_.executions,
             request.limit,
             [&](const workflow_tables::execution_row& one) {
                 const workflow_execution& info = one.info;
                 return info.organization == request.organization &&
                        (before == nullptr || one.number < before->number) &&
                        (!request.workflow || *request.workflow == info.workflow) &&
                        (!request.status || *request.status == info.status) &&
                        (!request.initiator || *request.initiator == info.initiator);
             }
         )) {
        page.push_back(row->info);
    }
    return page;
}

result<ops::find_session_work::answer> memory_tables::apply(const ops::find_session_work& request) {
    ops::find_session_work::answer work;
    if (const auto* const known = std::as_const(workflows_)
                                      .find(request.organization, request.room)) {
        work.execution = ops::get_execution::answer{known->info, known->tasks};
    }
    const auto* const design = workflows_.find_design(request.room);
    if (design != nullptr && design->info.organization == request.organization) {
        work.design = design->info;
    }
    return work;
}

void memory_tables::end_execution(
    workflow_tables::execution_row& ending, execution_status how, wall_time now
) {
    ending.info.status = how;
    ending.info.finished_at = now;
    for (auto& [number, turn] : sessions_.find(ending.info.room)->turns) {
        if (turn.status == turn_status::queued) {
            turn.status = turn_status::done;
            turn.last_error = execution_ended_word;
        }
    }
}

result<ops::change_task::answer> memory_tables::apply(const ops::change_task& request) {
    if (sessions_.find_driven(request.room, request.epoch) == nullptr) {
        return errc::driver_fenced;
    }
    auto* const known = workflows_.find_execution(request.room);
    if (known == nullptr) {
        return errc::not_found;
    }
    if (known->info.status != execution_status::running) {
        return errc::execution_ended;
    }
    const wall_time now = clock_.now();
    ops::change_task::answer answer;
    answer.verdict = take_step(known->tasks, request.change, now);
    if (const auto how = settled_status(known->tasks)) {
        end_execution(*known, *how, now);
        workflows_.tell(notice_of(known->info, known->tasks, now));
    }
    answer.execution = known->info;
    answer.tasks = known->tasks;
    return answer;
}

result<workflow_execution> memory_tables::apply(const ops::cancel_execution& request) {
    auto* const known = workflows_.find_execution(request.room);
    if (known == nullptr || known->info.organization != request.organization) {
        return errc::not_found;
    }
    if (known->info.status != execution_status::running) {
        return known->info;
    }
    const wall_time now = clock_.now();
    skip_open(known->tasks, now);
    end_execution(*known, execution_status::cancelled, now);
    session_tables::session_row& session = *sessions_.find(request.room);
    cancel_open_approvals(workflows_, session, now);
    auto* const run = sessions_.find_run(session.info.run);
    if (run != nullptr && run->info.status == run_status::running) {
        run->info.is_cancel_requested = true;
    }
    if (session.info.status != session_status::running &&
        session.info.status != session_status::quarantined) {
        session_tables::settle(session, session_status::idle, now);
    }
    access_.note(request.audit, now);
    return known->info;
}

result<tool_invocation> memory_tables::apply(const ops::note_invocation& request) {
    tool_invocation noted = request.invocation;
    if (sessions_.find_driven(noted.room, request.epoch) == nullptr) {
        return errc::driver_fenced;
    }
    auto* const known = workflows_.find_execution(noted.room);
    if (known == nullptr) {
        return errc::not_found;
    }
    noted.number = ++workflows_.last_invocation;
    noted.at = clock_.now();
    known->invocations.push_back(noted);
    return noted;
}

result<std::vector<tool_invocation>> memory_tables::apply(const ops::list_invocations& request) {
    std::vector<tool_invocation> page;
    if (const auto* const known = std::as_const(workflows_)
                                      .find(request.organization, request.room)) {
        const auto is_in_page = [&request](const tool_invocation& one) {
            return !request.before || one.number < *request.before;
        };
        std::ranges::copy(
            known->invocations | std::views::reverse | std::views::filter(is_in_page) |
                std::views::take(request.limit),
            std::back_inserter(page)
        );
    }
    return page;
}

// -- notifications --------------------------------------------------------------------------------

result<std::vector<ops::numbered_notification>> memory_tables::apply(
    const ops::list_notifications& request
) {
    std::vector<ops::numbered_notification> page;
    for (const auto& [number, told] : workflows_.notifications | std::views::reverse) {
        const bool is_theirs = told.organization == request.organization &&
                               told.user == request.user;
        const bool is_wanted = !request.only_unread || !told.read_at;
        const bool is_in_page = !request.before || number < *request.before;
        if (is_theirs && is_wanted && is_in_page && page.size() < request.limit) {
            page.push_back({number, told});
        }
    }
    return page;
}

result<notification> memory_tables::apply(const ops::mark_notification& request) {
    const auto known = std::ranges::find_if(
        workflows_.notifications,
        [&request](const auto& entry) {
            const notification& told = entry.second;
            return told.id == request.notification && told.organization == request.organization &&
                   told.user == request.user;
        }
    );
    if (known == workflows_.notifications.end()) {
        return errc::not_found;
    }
    notification& told = known->second;
    if (request.is_read != told.read_at.has_value()) {
        told.read_at = request.is_read ? std::optional{clock_.now()} : std::nullopt;
    }
    return told;
}

}  // namespace convene
