// SPDX-License-Identifier: Apache-2.0
// Remote hook runner: limits, deadlines, breakers; what an answer means is decided in hook_verdict.
#include "room/remote_hook_runner.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "base/uuid.hpp"

namespace convene {

namespace {

// What hangs holds a connection and some memory, so it is bounded: a hook that does not answer takes nothing from
// other hooks, and all of them together not everything.
constexpr std::size_t max_calls_of_a_hook = 64;
constexpr std::size_t max_calls = 1024;

/// Hooks that are remembered; beyond it those that make no difference are forgotten.
constexpr std::size_t max_known_hooks = 1024;

template <class T>
bool admits(const std::vector<T>& filter, const T& value) {
    return filter.empty() || std::ranges::find(filter, value) != filter.end();
}

/// Why an attempt came to nothing. What the caller of the hook names is an answer; all else is silence.
hook_failure failure_of(error_code error) {
    if (error == errc::timed_out || error == errc::cancelled) {
        return hook_failure::timed_out;
    }
    if (error == errc::invalid_argument || error == errc::payload_too_large) {
        return hook_failure::bad_verdict;
    }
    return error == errc::hook_failed ? hook_failure::rejected : hook_failure::unreachable;
}

framework_event notice_of(breaker_edge edge, const remote_hook& hook) {
    framework_event notice;
    notice.type = edge == breaker_edge::opened ? "circuit_breaker_opened"
                                               : "circuit_breaker_closed";
    notice.organization = hook.organization;
    notice.room = hook.room;
    json_writer out;
    out.begin_object();
    out.key("hook").string(hook.id.str());
    out.end_object();
    notice.data = out.take();
    return notice;
}

}  // namespace

/// A place among the calls that are under way.
class remote_hook_runner::slot {
   public:
    explicit slot(gate* in) : in_(*in) { ++in_.asking; }

    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;

    ~slot() {
        --in_.asking;
        in_.left.notify_all();
    }

   private:
    gate& in_;
};

std::vector<shared_remote_hook> match_remote_hooks(
    const std::vector<shared_remote_hook>& hooks, hook_mode mode, const room_event& event
) {
    std::vector<shared_remote_hook> met;
    std::ranges::copy_if(hooks, std::back_inserter(met), [&](const shared_remote_hook& hook) {
        return hook->mode == mode && admits(hook->channel_types, event.source.channel_type) &&
               admits(hook->event_types, event.type);
    });
    return met;
}

remote_hook_runner::remote_hook_runner(
    executor* where, remote_hook_caller* caller, std::size_t commit_slots
)
    : where_(*where), caller_(caller), serial_limit_(std::max(commit_slots / 4, std::size_t{1})) {}

room_kit::hook_figures remote_hook_runner::figures() const {
    room_kit::hook_figures seen;
    seen.asking = all_.asking;
    seen.asking_in_lock = serial_.asking;
    seen.kept_out = static_cast<std::size_t>(std::ranges::count_if(known_, [](const auto& one) {
        return one.second->breaker.is_open();
    }));
    seen.asked = asked_;
    seen.failed = failed_;
    return seen;
}

// -- chains ----------------------------------------------------------------------------------------------

awaitable<result<hook_chain_outcome>> remote_hook_runner::ask(
    remote_question question, std::vector<shared_remote_hook> hooks
) {
    hook_chain_outcome chain;
    for (const shared_remote_hook& hook : hooks) {
        answer answered = co_await call(hook, question, question.until);
        const coroutine_context context = co_await this_context();
        const result<> wanted = context.check_cancelled();
        if (!wanted) {
            co_return wanted.error();
        }
        if (question.until.has_passed(where_.now())) {
            co_return errc::timed_out;
        }

        std::ranges::move(take_edges(*hook), std::back_inserter(chain.notices));
        if (auto* verdict = std::get_if<hook_verdict>(&answered)) {
            apply_verdict(hook->id, std::move(*verdict), &chain);
        } else {
            const auto failure = std::get<hook_failure>(answered);
            chain.notices.push_back(
                make_hook_notice("hook_failed", hook->id, hook->on_failure, question.input, failure)
            );
            apply_failure(hook->id, hook->on_failure, &chain);
        }
        if (chain.blocked) {
            break;
        }
        apply_changes(chain, &question.input.event);
    }
    co_return chain;
}

awaitable<result<told_hook>> remote_hook_runner::tell(
    remote_question question, shared_remote_hook hook
) {
    const deadline until = question.until;
    const answer answered = co_await call(hook, std::move(question), until);
    const coroutine_context context = co_await this_context();
    const result<> wanted = context.check_cancelled();
    if (!wanted) {
        co_return wanted.error();
    }
    told_hook told;
    const auto* failure = std::get_if<hook_failure>(&answered);
    told.failure = failure != nullptr ? word_of(*failure) : std::string_view{};
    told.notices = take_edges(*hook);
    co_return told;
}

/// Told by the first answer that somebody looks at; until then the breaker remembers them.
std::vector<framework_event> remote_hook_runner::take_edges(const remote_hook& hook) {
    std::vector<framework_event> notices;
    const auto known = known_.find(hook.id);
    if (known == known_.end()) {
        return notices;
    }
    for (const breaker_edge edge : known->second->breaker.take_edges()) {
        const bool is_opened = edge == breaker_edge::opened;
        log(log_level::warn,
            is_opened ? "remote_hook_kept_out" : "remote_hook_asked_again",
            {{"hook", hook.id}});
        notices.push_back(notice_of(edge, hook));
    }
    return notices;
}

// -- one call --------------------------------------------------------------------------------------------

awaitable<remote_hook_runner::answer> remote_hook_runner::call(
    shared_remote_hook hook, remote_question question, deadline until
) {
    ++asked_;
    const deadline own = until.sooner(deadline{where_.now() + hook->deadline});
    answer answered = co_await call_counted(hook, std::move(question), own);
    if (const auto* failure = std::get_if<hook_failure>(&answered)) {
        ++failed_;
        log(log_level::warn,
            "remote_hook_failed",
            {{"hook", hook->id}, {"failure", word_of(*failure)}});
    }
    co_return answered;
}

/// In its turn among the calls of this hook, all of them within one deadline.
awaitable<remote_hook_runner::answer> remote_hook_runner::call_counted(
    shared_remote_hook hook, remote_question question, deadline until
) {
    const std::shared_ptr<known_hook> known = find(hook->id);
    if (caller_ == nullptr) {
        co_return hook_failure::unreachable;
    }
    if (all_.asking >= max_calls) {
        co_return hook_failure::overloaded;
    }
    const result<> entered = co_await enter(&known->calls, max_calls_of_a_hook, until);
    if (!entered) {
        co_return hook_failure::overloaded;
    }
    const slot of_hook{&known->calls};
    std::optional<slot> in_lock;
    if (hook->mode == hook_mode::serial) {
        const result<> allowed = co_await enter(&serial_, serial_limit_, until);
        if (!allowed) {
            co_return hook_failure::overloaded;
        }
        in_lock.emplace(&serial_);
    }
    const slot of_all{&all_};

    const monotonic_time now = where_.now();
    if (known->breaker.ready_at(now) > now) {
        co_return hook_failure::kept_out;
    }
    circuit_breaker::permit permit = known->breaker.admit(now);
    remote_hook_call asked;
    asked.id = make_delivery_id(question.input.event.id, "hook:" + hook->id.str()).str();
    asked.hook = hook;
    asked.attempt = question.attempt;
    asked.input = std::move(question.input);
    asked.cause = std::move(question.cause);
    asked.cause.call = asked.id;
    const room_event seen = asked.input.event;
    auto calling = caller_->call(std::move(asked), until);
    result<hook_verdict> verdict = co_await with_deadline(until, std::move(calling));
    const coroutine_context context = co_await this_context();
    if (!context.check_cancelled()) {
        co_return hook_failure::
            timed_out;  // nobody looks at it, and it says nothing about the hook
    }
    if (!verdict) {
        permit.failed(where_.now());
        co_return failure_of(verdict.error());
    }
    permit.succeeded();
    if (const auto impossible = find_impossible(seen, *verdict)) {
        log(log_level::warn, "hook_answered_nonsense", {{"hook", hook->id}, {"field", *impossible}}
        );
        co_return hook_failure::bad_verdict;
    }
    co_return std::move(*verdict);
}

/// Waits until fewer than `limit` are inside. *Errors*: `timed_out`, `cancelled`.
awaitable<result<>> remote_hook_runner::enter(gate* into, std::size_t limit, deadline until) {
    while (into->asking >= limit) {
        const result<> left = co_await with_deadline(until, until_set(&into->left));
        if (!left) {
            co_return left;
        }
    }
    co_return result<>{};
}

std::shared_ptr<remote_hook_runner::known_hook> remote_hook_runner::find(const hook_id& id) {
    if (known_.size() >= max_known_hooks && !known_.contains(id)) {
        const monotonic_time now = where_.now();
        std::erase_if(known_, [now](const auto& one) {
            return one.second->calls.asking == 0 && one.second->breaker.is_idle(now);
        });
    }
    std::shared_ptr<known_hook>& known = known_[id];
    if (known == nullptr) {
        known = std::make_shared<known_hook>();
    }
    return known;
}

}  // namespace convene
