// SPDX-License-Identifier: Apache-2.0
// Approval access: one rule of who may decide, for every way in which somebody does.
#include "http/approval_access.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "agent/session/approval_answer.hpp"
#include "base/field_path.hpp"
#include "base/json_writer.hpp"
#include "http/access_authenticator.hpp"
#include "http/audit.hpp"
#include "http/room_access.hpp"
#include "store/decider_rules.hpp"
#include "store/operations/channels.hpp"
#include "store/operations/sessions.hpp"
#include "store/operations/workflows.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

problem already_resolved(const approval& decided) {
    problem what = problem_of(make_error_code(
        decided.state == approval_state::expired ? errc::approval_expired
                                                 : errc::approval_already_resolved
    ));
    what.members = {
        {"approval_id", decided.id.str()},
        {"decision", std::string{word_of(decided.state)}},
        {"decided_by", decided.decided_by},
        {"decided_at", decided.decided_at ? format_rfc3339(*decided.decided_at) : std::string{}},
    };
    return what;
}

json_text details_of(const approval& asked) {
    json_writer out;
    out.begin_object();
    out.key("room_id").string(asked.room.str());
    out.key("run_id").string(asked.run.str());
    out.key("tool_call_id").string(asked.call_id);
    out.key("kind").string(word_of(asked.kind));
    out.end_object();
    return out.take();
}

/// With several in progress nobody knows which of them asks.
void note_task(const std::vector<execution_task>& tasks, approval_asker* asker) {
    const auto is_running = [](const execution_task& task) {
        return task.status == execution_task_status::in_progress;
    };
    const auto running = std::ranges::find_if(tasks, is_running);
    if (std::ranges::count_if(tasks, is_running) == 1) {
        asker->task_key = running->what.key;
        asker->task_title = running->what.title;
    }
}

}  // namespace

bool may_decide(const principal& who, const room_context& around, const approval& asked) {
    return may_decide(decider{who.user, who.role}, around, asked);
}

awaitable<or_problem<asking_session>> read_asking(room_kit* kit, principal who, room_id room) {
    auto around = co_await read_seen_room(kit, who, room);
    if (!around) {
        co_return around.error();
    }
    asking_session asking{*std::move(around), {}};
    ops::get_session look{who.organization, room};
    const auto session = co_await kit->store().run(std::move(look));
    if (!session) {
        co_return problem_of(session.error());
    }
    asking.asker.agent = session->session.agent;
    ops::get_channel named{asking.asker.agent};
    const auto agent = co_await kit->store().run(std::move(named));
    if (!agent && agent.error() != errc::not_found) {
        co_return problem_of(agent.error());
    }
    if (agent && agent->organization == who.organization) {
        asking.asker.agent_name = agent->name;
    }
    ops::find_session_work find{who.organization, std::move(room)};
    const auto work = co_await kit->store().run(std::move(find));
    if (!work) {
        co_return problem_of(work.error());
    }
    if (work->execution) {
        asking.asker.execution_name = work->execution->execution.name;
        note_task(work->execution->tasks, &asking.asker);
    }
    co_return asking;
}

shown_approval shown_to(const principal& who, const asking_session& asking, approval asked) {
    const bool is_open = asked.state == approval_state::pending;
    shown_approval shown;
    shown.asker = asking.asker;
    if (!is_open) {
        // The agent went on since: its task may be another one.
        shown.asker.task_key.clear();
        shown.asker.task_title.clear();
    }
    shown.may_decide = is_open && may_decide(who, asking.around, asked);
    shown.asked = std::move(asked);
    return shown;
}

awaitable<or_problem<std::vector<shown_approval>>> show_approvals(
    room_kit* kit, principal who, std::vector<approval> asked
) {
    // Rooms ask more than once.
    std::map<room_id, or_problem<asking_session>> known;
    std::vector<shown_approval> shown;
    shown.reserve(asked.size());
    for (approval& one : asked) {
        auto place = known.find(one.room);
        if (place == known.end()) {
            auto asking = co_await read_asking(kit, who, one.room);
            if (!asking && asking.error().status != 404) {
                co_return asking.error();
            }
            place = known.emplace(one.room, std::move(asking)).first;
        }
        if (place->second) {
            shown.push_back(shown_to(who, *place->second, std::move(one)));
        }
    }
    co_return shown;
}

session_service::answers answers_of(
    const route_call& call,
    const std::vector<approval>& asked,
    std::vector<ops::decide_approvals::decision> decisions
) {
    session_service::answers given;
    given.decided_by = signed_in_of(call.who).actor();
    for (std::size_t i = 0; i < decisions.size(); ++i) {
        ops::decide_approvals::decision& one = decisions[i];
        const std::string action = "approval." + std::string{word_of(one.state)};
        one.audit = audit_of(call, action, one.id.str(), details_of(asked[i]));
        given.decisions.push_back(std::move(one));
    }
    return given;
}

problem refusal_of(const std::vector<boundary_error>& faults) {
    std::vector<field_fault> errors;
    errors.reserve(faults.size());
    for (const boundary_error& fault : faults) {
        errors.push_back({fault.field, std::string{word_of(fault.reason)}});
    }
    return validation_problem(std::move(errors));
}

awaitable<or_problem<session_service::answers>> read_answers(
    room_kit* kit, const route_call* call, std::vector<interrupt_answer> answers
) {
    std::vector<approval> asked;
    std::vector<ops::decide_approvals::decision> decisions;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        ops::get_approval look{call->who.organization, approval_id{answers[i].interrupt}};
        const auto known = co_await kit->store().run(std::move(look));
        if (!known && known.error() != errc::not_found) {
            co_return problem_of(known.error());
        }
        if (!known || known->room != call->room->room.id) {
            co_return problem_of(make_error_code(errc::interrupt_not_open));
        }
        if (!may_decide(call->who, *call->room, *known)) {
            co_return forbidden_problem("this is for others to decide");
        }
        if (known->state != approval_state::pending) {
            co_return already_resolved(*known);
        }
        const std::string path = member_path(element_path("resume", i), "payload");
        auto decision = read_answer(*known, answers[i], path);
        if (!decision) {
            co_return refusal_of(decision.error());
        }
        asked.push_back(*known);
        decisions.push_back(*std::move(decision));
    }
    co_return answers_of(*call, asked, std::move(decisions));
}

awaitable<problem> describe_refusal(
    room_kit* kit,
    organization_id organization,
    room_id room,
    session_service::answers given,
    error_code why
) {
    problem what = problem_of(why);
    if (why == errc::approval_already_resolved) {
        for (const ops::decide_approvals::decision& one : given.decisions) {
            ops::get_approval look{organization, one.id};
            const auto known = co_await kit->store().run(std::move(look));
            if (known && known->state != approval_state::pending) {
                co_return already_resolved(*known);
            }
        }
    }
    if (why == errc::session_awaiting_approval) {
        ops::list_approvals look;
        look.organization = std::move(organization);
        look.room = std::move(room);
        look.state = approval_state::pending;
        const auto open = co_await kit->store().run(std::move(look));
        std::string ids;
        if (open) {
            for (const approval& one : *open) {
                ids += (ids.empty() ? "" : ",") + one.id.str();
            }
        }
        what.members = {{"open", std::move(ids)}};
    }
    co_return what;
}

}  // namespace convene
