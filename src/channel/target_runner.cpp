// SPDX-License-Identifier: Apache-2.0
// Target runner: the gates before an attempt, the attempt, and what follows from its answer.
#include "channel/target_runner.hpp"

#include "convene/wait.hpp"

#include <exception>
#include <string>
#include <utility>

#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "channel/channel_registry.hpp"
#include "channel/outbound_order.hpp"
#include "channel/retry_schedule.hpp"

namespace convene {

namespace {

/// How often a suspect lease is looked at again. It is either held or lost within seconds.
constexpr std::chrono::milliseconds lease_check_interval{50};

/// Calls a channel, which is somebody else's code: whatever it throws ends here, as a failed
/// attempt.
awaitable<send_result> call_channel(
    std::shared_ptr<transport_channel> to, delivery_request request
) {
    const delivery_id id = request.id;
    std::string thrown;
    try {
        co_return co_await to->deliver(std::move(request));
    } catch (const std::exception& error) {
        thrown = error.what();
    } catch (...) {
        thrown = "something that is no std::exception";
    }
    log(log_level::error,
        "channel_failed",
        {{"channel", to->id()}, {"delivery", id}, {"thrown", thrown}});
    co_return send_result::failed_for_now("channel_failed", "the channel failed");
}

bool may_start(const delivery_target& target) { return !target.may_start || target.may_start(); }

/// The failure of the last attempt, which says more than what is waited for now; before any, that.
delivery_outcome last_or(const delivery_row& row, const char* reason) {
    if (!row.outcome.error_code.empty()) {
        return row.outcome;
    }
    return send_result::failed_for_now(reason, "waits in the outbound queue").outcome;
}

framework_event notice_of(breaker_edge edge, const delivery_row& row) {
    json_writer data;
    data.begin_object();
    data.key("channel").string(row.channel.str());
    data.key("address").string(row.address);
    data.end_object();

    framework_event notice;
    notice.type = edge == breaker_edge::opened ? "circuit_breaker_opened"
                                               : "circuit_breaker_closed";
    notice.room = row.room;
    notice.event = row.event;
    notice.data = data.take();
    return notice;
}

}  // namespace

awaitable<result<target_outcome>> target_runner::run(delivery_target target) {
    if (parts_.order->is_waiting(destination_of(target.row))) {
        co_return deferred(
            target.row, last_or(target.row, "queued_behind"), std::chrono::nanoseconds{0}
        );
    }
    co_return co_await run_head(std::move(target));
}

awaitable<result<target_outcome>> target_runner::run_head(delivery_target target) {
    const auto known = co_await parts_.channels->look_up(target.row.channel);
    if (!known) {
        co_return known.error();
    }
    auto to = std::dynamic_pointer_cast<transport_channel>(*known);
    if (to == nullptr) {
        co_return failed(target.row, "channel_not_registered", "no such transport in this process");
    }
    if (!to->is_enabled()) {
        co_return failed(target.row, "channel_disabled", "the channel is disabled");
    }
    const result<content> fitting = transcode(target.event.content, to->capabilities());
    if (!fitting) {
        co_return failed(target.row, "transcoding_failed", "the channel can't show this content");
    }
    target.event.content = *fitting;
    co_return co_await run_attempts(std::move(target), std::move(to));
}

awaitable<result<target_outcome>> target_runner::run_attempts(
    delivery_target target, std::shared_ptr<transport_channel> to
) {
    const retry_policy policy = retry_of(target.binding);
    delivery_row& row = target.row;
    // Ends: each turn makes an attempt, and the policy bounds those.
    for (;;) {
        auto admitted = co_await admit(&target, to);
        if (!admitted) {
            co_return admitted.error();
        }
        if (!admitted->permit) {
            co_return deferred(row, last_or(row, admitted->reason), admitted->too_long);
        }

        ++row.attempts;
        delivery_request request{row.id, row.attempts, target.event, target.binding, target.cause};
        auto sent = co_await attempt(to, std::move(request));
        if (!sent) {
            co_return sent.error();
        }
        row.outcome = sent->outcome;
        if (sent->what == send_result::verdict::sent) {
            admitted->permit->succeeded();
            co_return outcome_of(delivery_state::done, row, std::move(row.outcome));
        }
        admitted->permit->failed(parts_.where->now());

        const auto delay = delay_before_retry(policy, row.attempts, *sent, *parts_.random);
        if (!delay) {
            co_return outcome_of(delivery_state::failed, row, std::move(row.outcome));
        }
        const deadline retry_at{parts_.where->now() + *delay};
        if (retry_at > target.wait_until) {
            co_return deferred(row, std::move(row.outcome), *delay);
        }
        const result<> waited = co_await sleep_until(retry_at);
        if (!waited) {
            co_return waited.error();
        }
    }
}

retry_policy target_runner::retry_of(const binding& to) const {
    if (to.retry) {
        return *to.retry;
    }
    const auto channel = std::dynamic_pointer_cast<transport_channel>(
        parts_.channels->find(to.channel)
    );
    return channel == nullptr ? retry_policy{} : channel->default_retry();
}

awaitable<result<target_runner::admission>> target_runner::admit(
    const delivery_target* target, std::shared_ptr<transport_channel> through
) {
    const destination to = destination_of(target->row);
    // A limit of the channel's own is one for all its addresses.
    const auto& own = target->binding.limit;
    const destination limited = own ? to : destination{to.channel, {}};
    const auto windows = windows_of(own ? *own : through->shared_limit());
    // Ends: a turn that does not return has waited, and nothing is waited for beyond `wait_until`.
    for (;;) {
        const result<> started = co_await until_may_start(target);
        if (!started) {
            co_return started.error();
        }
        monotonic_time now = parts_.where->now();
        rate_limiter& limiter = limiters_.at(limited, now);
        const monotonic_time passing_at = breakers_.at(to, now).ready_at(now);
        const bool is_passing = passing_at <= now;
        const monotonic_time at = is_passing ? limiter.next_free(windows, now) : passing_at;
        if (at > now && deadline{at} > target->wait_until) {
            const char* reason = is_passing ? "rate_limited" : "circuit_breaker_open";
            co_return admission{std::nullopt, at - now, reason};
        }

        // No slot while the breaker is open: one that is not used at its own time breaks the limit.
        std::optional<rate_limiter::slot> slot;
        if (is_passing) {
            slot.emplace(limiter.take(windows, now));
        }
        const deadline ready{at};
        const result<> waited = co_await wait_if_ahead(ready);
        if (!waited) {
            co_return waited.error();
        }

        // Lease and breaker may have changed meanwhile; the slot is then given back.
        now = parts_.where->now();
        circuit_breaker& breaker = breakers_.at(to, now);
        if (slot && may_start(*target) && breaker.ready_at(now) <= now) {
            slot->use();
            co_return admission{breaker.admit(now)};
        }
    }
}

awaitable<result<send_result>> target_runner::attempt(
    std::shared_ptr<transport_channel> to, delivery_request request
) {
    const deadline end{parts_.where->now() + to->attempt_deadline()};
    auto call = call_channel(std::move(to), std::move(request));
    send_result answer = co_await with_deadline(end, std::move(call));
    if (answer.what == send_result::verdict::sent) {
        co_return send_result::sent(std::move(answer.outcome.provider_message_id));
    }
    // A cancelled channel answers with some failure of its own; it is not one.
    const coroutine_context context = co_await this_context();
    const result<> wanted = context.check_cancelled();
    if (!wanted) {
        co_return wanted.error();
    }
    if (end.has_passed(parts_.where->now())) {
        co_return send_result::failed_for_now("delivery_timeout", "the attempt took too long");
    }
    if (answer.outcome.error_code.empty()) {
        answer.outcome.error_code = "channel_failed";
    }
    co_return answer;
}

awaitable<result<>> target_runner::until_may_start(const delivery_target* target) {
    const coroutine_context context = co_await this_context();
    const result<> wanted = context.check_cancelled();
    if (!wanted) {
        co_return wanted.error();
    }
    // Ends: a suspect lease is held again or lost, and its loss cancels this.
    while (!may_start(*target)) {
        const result<> waited = co_await sleep_for(lease_check_interval);
        if (!waited) {
            co_return waited.error();
        }
    }
    co_return result<>{};
}

awaitable<result<>> target_runner::wait_if_ahead(deadline at) {
    if (at.has_passed(parts_.where->now())) {
        co_return result<>{};
    }
    co_return co_await sleep_until(at);
}

target_outcome target_runner::outcome_of(
    delivery_state state, const delivery_row& row, delivery_outcome last
) {
    target_outcome outcome;
    outcome.state = state;
    outcome.attempts = row.attempts;
    outcome.outcome = std::move(last);
    circuit_breaker& breaker = breakers_.at(destination_of(row), parts_.where->now());
    for (const breaker_edge edge : breaker.take_edges()) {
        outcome.notices.push_back(notice_of(edge, row));
    }
    return outcome;
}

target_outcome target_runner::failed(
    const delivery_row& row, const char* code, const char* message
) {
    return outcome_of(
        delivery_state::failed, row, send_result::failed_for_good(code, message).outcome
    );
}

target_outcome target_runner::deferred(
    const delivery_row& row, delivery_outcome last, std::chrono::nanoseconds wait
) {
    target_outcome outcome = outcome_of(delivery_state::deferred, row, std::move(last));
    // Rounded up: whoever comes back after it is not too early.
    outcome.defer_for = std::chrono::ceil<std::chrono::milliseconds>(wait);
    return outcome;
}

}  // namespace convene
