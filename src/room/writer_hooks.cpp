// SPDX-License-Identifier: Apache-2.0
// The hooks of a room writer: remote ones before the lock, serial ones and those of this process under it.
#include "convene/task_scope.hpp"

#include <algorithm>
#include <utility>

#include "room/call_chain.hpp"
#include "room/plan.hpp"
#include "room/writer.hpp"

namespace convene {

namespace {

/// An event is asked about once more if its room changed meanwhile, and no more.
constexpr std::int32_t max_times_asked = 2;

/// Notes each hook before it runs on a reply that is made again after a crash.
class crash_counter final : public hook_run_counter {
   public:
    crash_counter(conversation_store* store, const room_event& event)
        : store_(*store), event_key_(event.idempotency_key) {}

    awaitable<result<std::int32_t>> count_run(hook_id hook) override {
        ops::mark_hook mark{std::move(hook), event_key_};
        const auto runs = co_await store_.run(std::move(mark));
        co_return runs;
    }

   private:
    conversation_store& store_;
    std::string event_key_;
};

void fail(
    const remote_hook& hook,
    const hook_input& input,
    hook_failure failure,
    hook_chain_outcome* chain
) {
    chain->notices.push_back(
        make_hook_notice("hook_failed", hook.id, hook.on_failure, input, failure)
    );
    apply_failure(hook.id, hook.on_failure, chain);
}

/// The hook with what is left of the time that all serial hooks of an event have together; null if none is.
shared_remote_hook within(const shared_remote_hook& hook, deadline over, monotonic_time now) {
    const auto left = std::chrono::floor<milliseconds>(over.at() - now);
    if (left >= hook->deadline) {
        return hook;
    }
    if (left < milliseconds{1}) {
        return nullptr;
    }
    auto shortened = std::make_shared<remote_hook>(*hook);
    shortened->deadline = left;
    return shortened;
}

}  // namespace

// ---- before the lock -------------------------------------------------------------------------------------

/// Asks about all events of a batch at once, begun in their order, on the room as it is read now. Their verdicts are
/// looked at under the lock, where it shows whether the room is still the same. What fails here, fails there again.
awaitable<void> room_writer::ask_before_lock(
    const std::vector<std::shared_ptr<submission>>* taken, deadline until
) {
    auto reading = core_.store.run(head_for(*taken));
    const auto head = co_await with_deadline(until, std::move(reading));
    if (!head) {
        co_return;
    }
    const result<> is_fresh = co_await refresh_context(head->room, head->organization_config);
    if (!is_fresh) {
        co_return;
    }
    const auto referenced = co_await load_references(taken);
    if (!referenced) {
        co_return;
    }

    const coroutine_context context = co_await this_context();
    task_scope asking{core_.where, context.cancel};
    std::vector<room_event> earlier;
    event_index index = head->room.next_index;
    for (const std::shared_ptr<submission>& one : *taken) {
        const gate_facts facts{&context_, &head->hits, &*referenced, &earlier};
        gate_decision decision = pass_gates(
            facts, one->what(), room_limits{core_.settings.max_chain_depth}
        );
        auto* passed = std::get_if<admitted>(&decision);
        if (passed == nullptr) {
            continue;  // refused or repeated: under the lock it will be again
        }
        passed->event.index = std::exchange(index, index.next());
        earlier.push_back(passed->event);
        const bool is_asked_about = passed->event.status == event_status::accepted &&
                                    one->what().from != origin::injected &&
                                    must_ask(*one, passed->event) &&
                                    one->times_asked < max_times_asked;
        if (!is_asked_about) {
            continue;
        }
        ++one->times_asked;
        auto hooks = match_remote_hooks(hooks_, hook_mode::remote, passed->event);
        auto about = ask_about(one, question_about(*one, passed->event), std::move(hooks));
        asking.spawn("remote hooks of " + room_.str(), std::move(about));
    }
    co_await asking.join();
}

awaitable<void> room_writer::ask_about(
    std::shared_ptr<submission> one, remote_question question, std::vector<shared_remote_hook> hooks
) {
    submission::remote_verdict verdict;
    verdict.room = context_.room.config;
    verdict.organization = organization_config_;
    auto said = co_await core_.remote_hooks.ask(std::move(question), std::move(hooks));
    if (said) {
        verdict.outcome = std::move(*said);
        one->remote = std::move(verdict);
    }
}

remote_question room_writer::question_about(const submission& one, const room_event& event) const {
    const std::size_t asked = std::max(count_asked(event), std::size_t{1});
    remote_question question;
    question.input = hook_input{context_, event};
    question.attempt = one.times_asked;
    question.until = one.until();
    question.cause.organization = organization_;
    question.cause.event = event.id;
    question.cause.cascade = event.plan.cascade;
    question.cause.depth = event.chain_depth;
    question.cause.budget = budget_of_hooks(event.plan.budget) / static_cast<std::int32_t>(asked);
    question.cause.rooms = one.what().chain;
    if (std::ranges::find(question.cause.rooms, room_) == question.cause.rooms.end()) {
        question.cause.rooms.push_back(room_);
    }
    return question;
}

/// The hooks that share the budget which an event leaves them.
std::size_t room_writer::count_asked(const room_event& event) const {
    return match_remote_hooks(hooks_, hook_mode::remote, event).size() +
           match_remote_hooks(hooks_, hook_mode::serial, event).size();
}

bool room_writer::has_current_verdict(const submission& one) const noexcept {
    return one.remote && one.remote->room == context_.room.config &&
           one.remote->organization == organization_config_;
}

bool room_writer::must_ask(const submission& one, const room_event& event) const {
    return !one.is_nested && !has_current_verdict(one) &&
           !match_remote_hooks(hooks_, hook_mode::remote, event).empty();
}

// ---- under the lock --------------------------------------------------------------------------------------

/// Remote verdicts, then serial hooks, then those of this process; the first that blocks ends it.
awaitable<result<hook_chain_outcome>> room_writer::run_hooks(
    std::shared_ptr<submission> next, room_event event
) {
    hook_chain_outcome chain;
    hook_input input{context_, event};
    if (has_current_verdict(*next)) {
        chain = next->remote->outcome;
    } else if (next->is_nested) {
        count_as_failed(event, hook_mode::remote, input, &chain);
        count_as_failed(event, hook_mode::serial, input, &chain);
    }
    apply_changes(chain, &input.event);

    if (!chain.blocked && !next->is_nested) {
        const result<> asked = co_await run_serial_hooks(next, &input, &chain);
        if (!asked) {
            co_return asked.error();
        }
    }
    if (!chain.blocked) {
        const result<> called = co_await run_local_hooks(&next->what(), std::move(input), &chain);
        if (!called) {
            co_return called.error();
        }
    }
    co_return chain;
}

awaitable<result<>> room_writer::run_serial_hooks(
    std::shared_ptr<submission> next, hook_input* input, hook_chain_outcome* chain
) {
    auto hooks = match_remote_hooks(hooks_, hook_mode::serial, input->event);
    if (hooks.empty()) {
        co_return result<>{};
    }
    remote_question question = question_about(*next, input->event);
    question.attempt = next->attempts + 1;
    const deadline over{core_.where.now() + longest_deadline(hook_mode::serial)};
    for (const shared_remote_hook& hook : hooks) {
        const shared_remote_hook in_time = within(hook, over, core_.where.now());
        if (in_time == nullptr) {
            fail(*hook, *input, hook_failure::timed_out, chain);
        } else {
            question.input.event = input->event;
            std::vector<shared_remote_hook> one{in_time};
            auto asked = co_await core_.remote_hooks.ask(question, std::move(one));
            if (!asked) {
                co_return asked.error();
            }
            append_outcome(std::move(*asked), chain);
        }
        if (chain->blocked) {
            break;
        }
        apply_changes(*chain, &input->event);
    }
    co_return result<>{};
}

awaitable<result<>> room_writer::run_local_hooks(
    const proposal* proposed, hook_input input, hook_chain_outcome* chain
) {
    auto matching = core_.hooks.match(hook_point::before_commit, context_.room, input.event);
    if (matching.empty()) {
        co_return result<>{};
    }
    crash_counter crashes{&core_.store, input.event};
    hook_run_counter* const after_crash = proposed->follows_crash ? &crashes : nullptr;
    const call_chain inside{nullptr, room_, this};
    auto calls = core_.hook_calls.run_before(std::move(input), std::move(matching), after_crash);
    auto called = co_await run_inside(&inside, std::move(calls));
    if (!called) {
        co_return called.error();
    }
    append_outcome(std::move(*called), chain);
    co_return result<>{};
}

/// An event that a hook sends from inside the lock can't be shown to anybody outside: by each hook's own policy.
void room_writer::count_as_failed(
    const room_event& event, hook_mode mode, const hook_input& input, hook_chain_outcome* chain
) const {
    for (const shared_remote_hook& hook : match_remote_hooks(hooks_, mode, event)) {
        if (chain->blocked) {
            return;
        }
        fail(*hook, input, hook_failure::in_lock, chain);
    }
}

}  // namespace convene
