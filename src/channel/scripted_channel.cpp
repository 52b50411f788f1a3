// SPDX-License-Identifier: Apache-2.0
// Scripted channel: plays one entry of its script for each attempt.
#include "convene/channels/scripted_channel.hpp"

#include "convene/wait.hpp"

#include <stdexcept>
#include <utility>

namespace convene {

namespace {

constexpr std::size_t most_remembered = 10'000;

void remember(std::deque<delivery_request>& log, delivery_request request) {
    log.push_back(std::move(request));
    if (log.size() > most_remembered) {
        log.pop_front();
    }
}

scripted_attempt ends_with(scripted_attempt::ending end) {
    scripted_attempt attempt;
    attempt.end = end;
    return attempt;
}

}  // namespace

scripted_attempt scripted_attempt::sends() { return ends_with(ending::sent); }

scripted_attempt scripted_attempt::sends_after(std::chrono::milliseconds delay) {
    scripted_attempt attempt = sends();
    attempt.after = delay;
    return attempt;
}

scripted_attempt scripted_attempt::fails_for_now() { return ends_with(ending::failed_for_now); }

scripted_attempt scripted_attempt::fails_for_good() { return ends_with(ending::failed_for_good); }

scripted_attempt scripted_attempt::asks_to_wait(std::chrono::milliseconds retry_after) {
    scripted_attempt attempt = fails_for_now();
    attempt.retry_after = retry_after;
    return attempt;
}

scripted_attempt scripted_attempt::hangs() { return ends_with(ending::hung); }

scripted_attempt scripted_attempt::throws() { return ends_with(ending::thrown); }

scripted_channel::scripted_channel(channel_id id, scripted_channel_settings with)
    : id_(std::move(id)), with_(with) {}

scripted_channel& scripted_channel::then(scripted_attempt next) {
    script_.push_back(next);
    return *this;
}

scripted_channel& scripted_channel::otherwise(scripted_attempt always) {
    otherwise_ = always;
    return *this;
}

scripted_attempt scripted_channel::next_attempt() {
    if (script_.empty()) {
        return otherwise_;
    }
    const scripted_attempt next = script_.front();
    script_.pop_front();
    return next;
}

awaitable<send_result> scripted_channel::deliver(delivery_request request) {
    const scripted_attempt attempt = next_attempt();
    remember(attempts_, request);
    const send_result cancelled = send_result::failed_for_now(
        "cancelled", "the attempt was cancelled"
    );

    if (attempt.after.count() > 0) {
        const result<> passed = co_await sleep_for(attempt.after);
        if (!passed) {
            co_return cancelled;
        }
    }
    send_result answer = cancelled;
    switch (attempt.end) {
        case scripted_attempt::ending::sent:
            answer = send_result::sent("scripted-" + request.id.str());
            remember(sent_, std::move(request));
            break;
        case scripted_attempt::ending::failed_for_now:
            answer = send_result::failed_for_now("scripted_failure", "the script says so");
            answer.retry_after = attempt.retry_after;
            break;
        case scripted_attempt::ending::failed_for_good:
            answer = send_result::failed_for_good("scripted_refusal", "the script says so");
            break;
        case scripted_attempt::ending::hung: {
            const result<> ended = co_await sleep_until(deadline::never());
            static_cast<void>(ended);  // only a cancellation ends it
            break;
        }
        case scripted_attempt::ending::thrown:
            throw std::runtime_error("the script says so");
    }
    co_return answer;
}

}  // namespace convene
