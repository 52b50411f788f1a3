// SPDX-License-Identifier: Apache-2.0
// Hook runner: deadlines, exceptions, hooks that hang.
#include "room/hook_runner.hpp"

#include <atomic>
#include <exception>
#include <utility>

#include "base/log.hpp"

namespace convene {

/// One call of a plain hook as the loop and the pool see it. Either the pool begins it or the loop
/// gives it up first; once begun it runs to its end.
class hook_runner::pool_call {
   public:
    /// On the pool. False: nobody waits any more, don't call the hook.
    [[nodiscard]] bool try_begin() noexcept {
        state expected = state::waiting;
        return state_.compare_exchange_strong(expected, state::running);
    }

    /// On the pool.
    void end() noexcept { state_.store(state::ended); }

    /// On the loop, which waits no longer. False: it was begun.
    [[nodiscard]] bool try_give_up() noexcept {
        state expected = state::waiting;
        return state_.compare_exchange_strong(expected, state::ended);
    }

    [[nodiscard]] bool has_ended() const noexcept { return state_.load() == state::ended; }

   private:
    enum class state : std::uint8_t { waiting, running, ended };

    // shared with the pool
    std::atomic<state> state_{state::waiting};
};

namespace {

framework_event hook_notice(
    std::string_view type,
    const hook_definition& hook,
    const hook_input& input,
    hook_failure failure
) {
    return make_hook_notice(type, hook.id, hook.on_failure, input, failure);
}

/// The text of an exception stays in the log: it may name what is nobody's business.
void log_exception(const hook_definition& hook, std::string_view text) {
    log(log_level::warn, "hook_threw", {{"hook", hook.id}, {"text", text}});
}

/// Ends the call on every way out of the hook.
template <class Call>
struct call_guard {
    Call& call;

    ~call_guard() { call.end(); }
};

}  // namespace

// -- chains
// ----------------------------------------------------------------------------------------------

awaitable<result<hook_chain_outcome>> hook_runner::run_before(
    hook_input input, std::vector<shared_hook> hooks, hook_run_counter* after_crash
) {
    hook_chain_outcome chain;
    for (const shared_hook& hook : hooks) {
        if (after_crash != nullptr) {
            const result<std::int32_t> runs = co_await after_crash->count_run(hook->id);
            if (!runs) {
                co_return runs.error();
            }
            if (*runs >= max_hook_crashes) {
                apply_crashes(hook->id, &chain);
                break;
            }
        }
        const result<> asked = co_await ask(hook, &input, &chain);
        if (!asked) {
            co_return asked.error();
        }
        if (chain.blocked) {
            break;
        }
        apply_changes(chain, &input.event);
    }
    co_return chain;
}

awaitable<result<>> hook_runner::ask(
    shared_hook hook, const hook_input* input, hook_chain_outcome* chain
) {
    answer answered = co_await call(hook, *input);
    const coroutine_context context = co_await this_context();
    const result<> wanted = context.check_cancelled();
    if (!wanted) {
        co_return wanted.error();
    }

    if (auto* verdict = std::get_if<hook_verdict>(&answered)) {
        const auto impossible = find_impossible(input->event, *verdict);
        if (!impossible) {
            apply_verdict(hook->id, std::move(*verdict), chain);
            co_return result<>{};
        }
        log(log_level::warn, "hook_answered_nonsense", {{"hook", hook->id}, {"field", *impossible}}
        );
        answered = hook_failure::bad_verdict;
    }
    note_failure(hook, *input, std::get<hook_failure>(answered), chain);
    apply_failure(hook->id, hook->on_failure, chain);
    co_return result<>{};
}

awaitable<result<std::string>> hook_runner::run_after(shared_hook hook, hook_input input) {
    if (hook == nullptr) {
        co_return std::string{"not_registered"};
    }
    const answer answered = co_await call(std::move(hook), std::move(input));
    const coroutine_context context = co_await this_context();
    const result<> wanted = context.check_cancelled();
    if (!wanted) {
        co_return wanted.error();
    }
    const auto* failure = std::get_if<hook_failure>(&answered);
    co_return std::string{failure != nullptr ? convene::word_of(*failure) : std::string_view{}};
}

// -- one call
// --------------------------------------------------------------------------------------------

awaitable<hook_runner::answer> hook_runner::call(shared_hook hook, hook_input input) {
    try {
        answer answered = co_await call_within_deadline(hook, std::move(input));
        co_return answered;
    } catch (const std::exception& thrown) {
        log_exception(*hook, thrown.what());
    } catch (...) {
        log_exception(*hook, "not a std::exception");
    }
    co_return hook_failure::threw;
}

awaitable<hook_runner::answer> hook_runner::call_within_deadline(
    shared_hook hook, hook_input input
) {
    if (find_overdue(hook) != nullptr) {
        co_return hook_failure::stuck;
    }
    const coroutine_context context = co_await this_context();
    const deadline until{context.where->now() + hook->deadline};
    const bool is_plain = std::holds_alternative<plain_hook>(hook->run);
    auto calling = is_plain ? call_plain(std::move(hook), std::move(input), until)
                            : call_coroutine(std::move(hook), std::move(input), until);
    co_return co_await std::move(calling);
}

awaitable<hook_runner::answer> hook_runner::call_coroutine(
    shared_hook hook, hook_input input, deadline until
) {
    auto asked = std::get<coroutine_hook>(hook->run)(std::move(input));
    hook_verdict verdict = co_await with_deadline(until, std::move(asked));
    const coroutine_context context = co_await this_context();
    if (until.has_passed(context.where->now())) {
        co_return hook_failure::timed_out;
    }
    co_return verdict;
}

awaitable<hook_runner::answer> hook_runner::call_plain(
    shared_hook hook, hook_input input, deadline until
) {
    auto call = std::make_shared<pool_call>();
    auto work = [hook, call, input = std::move(input)] {
        if (!call->try_begin()) {
            return hook_verdict{};
        }
        const call_guard<pool_call> ended{*call};
        return std::get<plain_hook>(hook->run)(input);
    };
    auto running = run_on(&pool_, std::move(work));
    result<hook_verdict> returned = co_await with_deadline(until, std::move(running));
    if (returned) {
        co_return std::move(*returned);
    }
    if (call->try_give_up()) {
        co_return hook_failure::overloaded;
    }
    if (!call->has_ended()) {
        leave_behind(std::move(hook), std::move(call));
    }
    co_return hook_failure::timed_out;
}

// -- hooks that hang
// -------------------------------------------------------------------------------------

hook_runner::overdue_call* hook_runner::find_overdue(const shared_hook& hook) {
    std::erase_if(overdue_, [](const overdue_call& one) { return one.call->has_ended(); });
    for (overdue_call& one : overdue_) {
        if (one.hook == hook) {
            return &one;
        }
    }
    return nullptr;
}

void hook_runner::leave_behind(shared_hook hook, std::shared_ptr<pool_call> call) {
    log(log_level::warn, "hook_overdue", {{"hook", hook->id}});
    overdue_.push_back({std::move(hook), std::move(call)});
}

void hook_runner::note_failure(
    const shared_hook& hook,
    const hook_input& input,
    hook_failure failure,
    hook_chain_outcome* chain
) {
    chain->notices.push_back(hook_notice("hook_failed", *hook, input, failure));
    overdue_call* overdue = failure == hook_failure::stuck ? find_overdue(hook) : nullptr;
    if (overdue != nullptr && !std::exchange(overdue->is_reported, true)) {
        log(log_level::error, "hook_stuck", {{"hook", hook->id}});
        chain->notices.push_back(hook_notice("hook_stuck", *hook, input, failure));
    }
}

}  // namespace convene
