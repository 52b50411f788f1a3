// SPDX-License-Identifier: Apache-2.0
// Set runner: one task a row, each failing alone; agents and after-hooks outlive the set in the slot's scope.
#include "room/set_runner.hpp"

#include <algorithm>
#include <iterator>

#include "base/log.hpp"
#include "room/call_chain.hpp"
#include "room/delivery_notices.hpp"
#include "room/persist.hpp"
#include "room/plan.hpp"
#include "store/operations/hooks.hpp"

namespace convene {

/// What the tasks of one run gather.
struct set_runner::collected {
    set_outcome outcome;
    deadline until = deadline::never();
};

namespace {

/// A hook whose worker died in it this often is not called for that event again.
constexpr std::int32_t crashes_before_giving_up = 3;

/// A remote after-hook that failed is told again after these pauses, then no more.
constexpr std::chrono::seconds before_telling_again[] = {
    std::chrono::seconds{1}, std::chrono::seconds{4}, std::chrono::seconds{16}
};

ops::row_result ended(const delivery_row& row, delivery_state state, std::string error_code) {
    ops::row_result what;
    what.id = row.id;
    what.state = state;
    what.attempts = row.attempts;
    what.outcome.error_code = std::move(error_code);
    return what;
}

/// Says so when some targets got the event and others did not.
void note_partial_failure(const lane_entry& entry, set_outcome* outcome) {
    const auto failed = std::ranges::count(
        outcome->results, delivery_state::failed, &ops::row_result::state
    );
    const auto all = static_cast<std::ptrdiff_t>(outcome->results.size());
    if (failed == 0 || failed == all) {
        return;
    }
    outcome->notices.push_back(make_partial_failure(
        entry.context->room.organization,
        entry.event,
        static_cast<std::size_t>(all - failed),
        static_cast<std::size_t>(failed)
    ));
}

/// What nobody but the dead process could reach.
bool is_out_of_reach(const lane_entry& entry, const delivery_row& row, const incarnation_id& me) {
    return row.is_bound && entry.event.committed_by != me;
}

}  // namespace

set_runner::set_runner(engine_core* core, task_scope* scope) : core_(*core), scope_(*scope) {}

awaitable<set_outcome> set_runner::run(
    const lane_entry* entry, set_mode mode, std::function<bool()> may_start
) {
    const coroutine_context context = co_await this_context();
    collected gathered;
    gathered.until = deadline{core_.where.now() + core_.settings.set_deadline};

    const call_chain inside{nullptr, entry->event.room, entry->chain};
    task_scope running{core_.where, context.cancel};
    for (const delivery_row& row : entry->rows) {
        if (is_settled(row.state) || row.kind == target_kind::hook_after) {
            continue;
        }
        auto one = run_row(entry, row, may_start, &gathered);
        running.spawn("target " + row.channel.str(), run_inside(&inside, std::move(one)));
        if (mode == set_mode::one_by_one) {
            co_await running.join();
        }
    }
    co_await running.join();
    note_partial_failure(*entry, &gathered.outcome);
    co_return std::move(gathered.outcome);
}

awaitable<void> set_runner::run_row(
    const lane_entry* entry, delivery_row row, std::function<bool()> may_start, collected* into
) {
    if (is_out_of_reach(*entry, row, core_.me)) {
        into->outcome.results.push_back(ended(row, delivery_state::skipped, "bound"));
        into->outcome.notices.push_back(
            make_bound_skipped(entry->context->room.organization, entry->event, row)
        );
    } else if (row.kind == target_kind::agent) {
        co_await run_agent(entry, std::move(row), into);
    } else {
        co_await run_transport(entry, std::move(row), std::move(may_start), into);
    }
}

awaitable<void> set_runner::run_transport(
    const lane_entry* entry, delivery_row row, std::function<bool()> may_start, collected* into
) {
    const binding* to = entry->context->find_binding(row.channel);
    if (to == nullptr) {
        into->outcome.results.push_back(ended(row, delivery_state::failed, "channel_detached"));
        co_return;
    }
    delivery_target target;
    target.row = row;
    target.event = entry->event;
    target.binding = *to;
    target.wait_until = into->until;
    target.may_start = std::move(may_start);
    target.cause = cause_of(*entry, row);
    auto sent = co_await core_.targets.run(std::move(target));
    if (!sent) {
        into->outcome.is_cut_off = true;
        co_return;
    }

    ops::row_result what;
    what.id = row.id;
    what.state = sent->state;
    what.attempts = sent->attempts;
    what.outcome = sent->outcome;
    into->outcome.results.push_back(std::move(what));
    for (framework_event& notice : sent->notices) {
        notice.organization = entry->context->room.organization;
        into->outcome.notices.push_back(std::move(notice));
    }
    if (sent->state == delivery_state::deferred) {
        into->outcome.deferred.push_back(make_outbound_item(row, *sent, core_.clock.now()));
    }
}

/// The room itself waits for its set, and so do the rooms whose callers wait for it.
std::optional<event_cause> set_runner::cause_of(const lane_entry& entry, const delivery_row& row)
    const {
    const std::shared_ptr<channel> to = core_.channels.find(row.channel);
    if (to == nullptr || !to->carries_causes()) {
        return std::nullopt;
    }
    std::vector<room_id> waiting = entry.chain;
    if (std::ranges::find(waiting, row.room) == waiting.end()) {
        waiting.push_back(row.room);
    }
    return make_delivery_cause(
        entry.context->room.organization,
        entry.event,
        row,
        count_budget_sharers(entry.rows, core_.hooks, core_.channels),
        std::move(waiting)
    );
}

std::shared_ptr<agent_run> set_runner::agent_for(const lane_entry& entry, const delivery_row& row) {
    std::shared_ptr<agent_run>& run = agents_[row.id];
    if (run == nullptr) {
        run = std::make_shared<agent_run>(&core_, writer_, entry, row);
        scope_.spawn("agent " + row.channel.str(), drive_agent(run, row.id));
    }
    return run;
}

awaitable<void> set_runner::run_agent(const lane_entry* entry, delivery_row row, collected* into) {
    const std::shared_ptr<agent_run> run = agent_for(*entry, row);
    const result<> settled = co_await run->settled().wait();
    if (!settled || !run->has_result()) {
        into->outcome.is_cut_off = true;
        co_return;
    }
    into->outcome.results.push_back(run->current_result());
    const auto& notices = run->notices();
    into->outcome.notices.insert(into->outcome.notices.end(), notices.begin(), notices.end());
}

/// A run that has ended is remembered until its set is stored: a set that runs again must not ask again.
awaitable<void> set_runner::drive_agent(std::shared_ptr<agent_run> run, delivery_id row) {
    co_await run->run();
    if (run->is_set_over()) {
        agents_.erase(row);
    }
}

std::vector<std::shared_ptr<agent_run>> set_runner::end_set_of_agents(const lane_entry& entry) {
    std::vector<std::shared_ptr<agent_run>> agents;
    for (const delivery_row& row : entry.rows) {
        const auto found = agents_.find(row.id);
        if (found == agents_.end()) {
            continue;
        }
        found->second->mark_set_over();
        agents.push_back(found->second);
        if (found->second->ended().is_set()) {
            agents_.erase(found);
        }
    }
    return agents;
}

/// Their rows are known as being worked on until their coroutine has ended, however it does.
class set_runner::hooks_at_work {
   public:
    hooks_at_work(std::unordered_set<delivery_id>& known, const std::vector<delivery_row>& rows)
        : known_(known) {
        for (const delivery_row& row : rows) {
            if (row.kind == target_kind::hook_after) {
                known_.insert(row.id);
                mine_.push_back(row.id);
            }
        }
    }

    hooks_at_work(const hooks_at_work&) = delete;
    hooks_at_work& operator=(const hooks_at_work&) = delete;

    ~hooks_at_work() {
        for (const delivery_id& row : mine_) {
            known_.erase(row);
        }
    }

   private:
    std::unordered_set<delivery_id>& known_;
    std::vector<delivery_id> mine_;
};

std::unordered_set<delivery_id> set_runner::at_work() const {
    std::unordered_set<delivery_id> rows = after_hooks_;
    for (const auto& [row, run] : agents_) {
        rows.insert(row);
    }
    return rows;
}

void set_runner::start_after_effects(const lane_entry& entry) {
    std::vector<std::shared_ptr<agent_run>> agents = end_set_of_agents(entry);
    const bool has_hooks = std::ranges::any_of(entry.rows, [this](const delivery_row& row) {
        return row.kind == target_kind::hook_after && !is_final(row.state) &&
               !after_hooks_.contains(row.id);
    });
    if (!has_hooks) {
        return;
    }

    lane_entry later;
    later.event = entry.event;
    later.rows = entry.rows;
    std::erase_if(later.rows, [this](const delivery_row& row) {
        return after_hooks_.contains(row.id);
    });
    later.context = entry.context;
    later.follows_crash = entry.follows_crash;
    auto known = std::make_unique<hooks_at_work>(after_hooks_, later.rows);
    auto run = run_after_hooks(std::move(later), std::move(agents), std::move(known));
    scope_.spawn("after-hooks " + entry.event.id.str(), std::move(run));
}

awaitable<void> set_runner::run_after_hooks(
    lane_entry entry,
    std::vector<std::shared_ptr<agent_run>> agents,
    std::unique_ptr<hooks_at_work> /*known*/
) {
    for (const std::shared_ptr<agent_run>& answering : agents) {
        const result<> over = co_await answering->ended().wait();
        if (!over) {
            co_return;
        }
    }
    for (delivery_row& row : entry.rows) {
        if (row.kind != target_kind::hook_after || is_final(row.state)) {
            continue;
        }
        const hook_id hook{row.channel.str()};
        const std::string event_key = entry.event.id.str();

        if (entry.follows_crash) {
            ops::mark_hook mark{hook, event_key};
            const auto crashes = co_await persist(&core_.store, std::move(mark));
            if (!crashes) {
                co_return;
            }
            if (*crashes >= crashes_before_giving_up) {
                ops::put_results given_up{row.room, core_.me, {}, {}};
                given_up.results.push_back(ended(row, delivery_state::failed, "hook_crashed"));
                const auto stored = co_await persist(&core_.store, std::move(given_up));
                if (!stored) {
                    co_return;
                }
                continue;
            }
        }

        ops::put_results done{row.room, core_.me, {}, {}};
        auto called = co_await call_after_hook(&entry, &row, &done.notices);
        if (!called) {
            co_return;  // stopping: the row stays for whoever comes next
        }

        const bool is_to_tell = !done.notices.empty();
        const delivery_state state = called->empty() ? delivery_state::done
                                                     : delivery_state::failed;
        done.results.push_back(ended(row, state, std::move(*called)));
        const auto stored = co_await persist(&core_.store, std::move(done));
        if (!stored) {
            log(log_level::warn,
                "after_hook.result_not_stored",
                {{"error", stored.error().message()}});
            co_return;
        }
        if (is_to_tell) {
            core_.notices_stored.set();
        }
        if (entry.follows_crash) {
            ops::clear_hook_mark clear{hook, event_key};
            const auto cleared = co_await persist(&core_.store, std::move(clear));
            if (!cleared) {
                co_return;
            }
        }
    }
}

awaitable<result<std::string>> set_runner::call_after_hook(
    const lane_entry* entry, delivery_row* row, std::vector<framework_event>* notices
) {
    const hook_id hook{row->channel.str()};
    if (auto local = core_.hooks.find(hook)) {
        hook_input input{*entry->context, entry->event};
        auto called = co_await core_.hook_calls.run_after(std::move(local), std::move(input));
        co_return called;
    }
    ops::get_hook request{entry->context->room.organization, hook};
    auto stored = co_await persist(&core_.store, std::move(request));
    if (!stored && stored.error() == errc::not_found) {
        co_return std::string{"not_registered"};
    }
    if (!stored) {
        co_return stored.error();
    }
    if (!stored->is_enabled) {
        co_return std::string{"disabled"};
    }
    auto remote = std::make_shared<const remote_hook>(std::move(*stored));
    auto told = co_await tell_remote_hook(entry, row, std::move(remote), notices);
    co_return told;
}

/// Nobody waits for it any more, so what it causes is not staged.
awaitable<result<std::string>> set_runner::tell_remote_hook(
    const lane_entry* entry,
    delivery_row* row,
    shared_remote_hook hook,
    std::vector<framework_event>* notices
) {
    for (std::size_t tried = 0;; ++tried) {
        ++row->attempts;
        remote_question question;
        question.input = hook_input{*entry->context, entry->event};
        question.attempt = row->attempts;
        question.cause.organization = entry->context->room.organization;
        question.cause.event = entry->event.id;
        question.cause.cascade = entry->event.plan.cascade;
        question.cause.depth = entry->event.chain_depth;
        const std::size_t sharers = count_budget_sharers(entry->rows, core_.hooks, core_.channels);
        question.cause.budget = split_budget(entry->event.plan.budget, sharers) + 1;
        auto told = co_await core_.remote_hooks.tell(std::move(question), hook);
        if (!told) {
            co_return told.error();
        }
        std::ranges::move(told->notices, std::back_inserter(*notices));
        if (told->failure.empty() || tried == std::size(before_telling_again)) {
            co_return std::move(told->failure);
        }
        const result<> slept = co_await sleep_for(before_telling_again[tried]);
        if (!slept) {
            co_return slept.error();
        }
    }
}

void set_runner::start_adopted(lane_entry entry, delivery_row row) {
    if (row.kind == target_kind::hook_after) {
        std::erase_if(entry.rows, [&row](const delivery_row& other) { return other.id != row.id; });
        start_after_effects(entry);
    } else if (row.kind == target_kind::agent) {
        agent_for(entry, row)->mark_set_over();
    }
}

}  // namespace convene
