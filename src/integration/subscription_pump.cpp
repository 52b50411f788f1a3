// SPDX-License-Identifier: Apache-2.0
// Subscription pump: who leads, whom it serves, and what becomes of each event.
#include "integration/subscription_pump.hpp"

#include <algorithm>
#include <utility>

#include "base/json_writer.hpp"
#include "base/log.hpp"
#include "channel/retry_schedule.hpp"
#include "integration/secret_rotation.hpp"
#include "integration/subscription_service.hpp"
#include "integration/webhook_body.hpp"
#include "store/operations/subscriptions.hpp"
#include "store/store.hpp"

namespace convene {

namespace {

constexpr std::size_t page = 100;
constexpr std::chrono::milliseconds leadership_retry{1'000};
constexpr std::chrono::milliseconds rest_after_error{1'000};
constexpr std::chrono::seconds longest_wait{10};

bool is_wanted(const webhook_subscription& by, const framework_event& notice) {
    return by.event_types.empty() ||
           std::ranges::find(by.event_types, notice.type) != by.event_types.end();
}

framework_event disabled_notice(const webhook_subscription& disabled, const std::string& reason) {
    json_writer data;
    data.begin_object();
    data.key("subscription_id").string(disabled.id.str());
    data.key("reason").string(reason);
    data.end_object();
    framework_event notice;
    notice.type = "webhook_subscription_disabled";
    notice.organization = disabled.organization;
    notice.data = data.take();
    return notice;
}

}  // namespace

subscription_pump::subscription_pump(parts given, subscription_pump_settings with)
    : parts_(std::move(given)), settings_(with), loops_(*parts_.where) {}

subscription_pump::~subscription_pump() = default;

void subscription_pump::start() { loops_.spawn("subscriptions.lead", keep_leadership()); }

awaitable<void> subscription_pump::stop() {
    loops_.request_stop();
    co_await shielded(loops_.join());
}

subscription_pump::figures subscription_pump::count() const {
    figures counted;
    counted.served = servers_.size();
    for (const auto& [id, one] : servers_) {
        counted.failing += one->failures != 0 ? 1 : 0;
    }
    counted.told = told_;
    counted.failures = failures_;
    return counted;
}

// ---- whom it serves --------------------------------------------------------------------------------------

awaitable<void> subscription_pump::keep_leadership() {
    while (!loops_.is_stopping()) {
        auto acquired = co_await parts_.locks->acquire(
            lease_name::leader("subscriptions"), deadline::never()
        );
        if (!acquired) {
            const result<> waited = co_await sleep_for(leadership_retry);
            static_cast<void>(waited);  // cancelled: the loop ends
            continue;
        }
        const std::shared_ptr<lease> mine = std::move(*acquired);
        co_await cancelled_by(&mine->lost(), serve_all());
        std::vector<subscription_id> all;
        for (const auto& [id, one] : servers_) {
            all.push_back(id);
        }
        co_await shielded(end(std::move(all)));
        const result<> released = co_await mine->release();
        if (!released) {
            log(log_level::warn, "subscriptions_leadership_lost");
        }
    }
}

/// Until the lease is lost or this worker stops.
awaitable<void> subscription_pump::serve_all() {
    const coroutine_context context = co_await this_context();
    while (context.check_cancelled()) {
        changed_.reset();
        ops::list_webhook_subscriptions all;
        auto listed = co_await parts_.store->run(std::move(all));
        if (listed) {
            std::erase_if(*listed, [](const webhook_subscription& one) { return !one.is_enabled; });
            co_await match(*std::move(listed));
        }
        const deadline next{parts_.where->now() + settings_.list_interval};
        const result<> woken = co_await with_deadline(next, until_set(&changed_));
        static_cast<void>(woken);  // changed, due or cancelled: the loop looks
    }
}

/// Ends the tasks of what is gone or has changed, and starts those of what is there as it is now.
awaitable<void> subscription_pump::match(std::vector<webhook_subscription> wanted) {
    std::vector<subscription_id> gone;
    for (const auto& [id, one] : servers_) {
        const auto still = std::ranges::find(wanted, id, &webhook_subscription::id);
        const bool is_same = still != wanted.end() && still->version == one->subscription.version;
        if (!is_same) {
            gone.push_back(id);
        }
    }
    co_await end(std::move(gone));
    for (webhook_subscription& subscription : wanted) {
        subscription_id id = subscription.id;
        auto [place, is_new] = servers_.try_emplace(std::move(id), nullptr);
        if (!is_new) {
            continue;
        }
        place->second = std::make_unique<server>(*parts_.where, std::move(subscription));
        server* const one = place->second.get();
        one->tasks.spawn("subscription " + place->first.str(), serve(one));
    }
}

awaitable<void> subscription_pump::end(std::vector<subscription_id> gone) {
    for (const subscription_id& id : gone) {
        servers_.at(id)->tasks.request_stop();
    }
    for (const subscription_id& id : gone) {
        co_await servers_.at(id)->tasks.join();
        servers_.erase(id);
    }
}

// ---- one subscription ------------------------------------------------------------------------------------

awaitable<void> subscription_pump::serve(server* one) {
    const coroutine_context context = co_await this_context();
    std::int64_t seen = -1;
    while (!one->is_over && context.check_cancelled()) {
        const deadline until{parts_.where->now() + longest_wait};
        const auto newest = co_await parts_.notices->beyond(seen, until);
        if (newest && *newest <= seen) {
            if (parts_.notices->has_ended()) {
                co_return;
            }
            continue;
        }
        result<> told;
        bool is_whole = false;
        if (newest) {
            ops::list_notices_of request{
                one->subscription.organization, one->subscription.position, page
            };
            auto found = co_await parts_.store->run(std::move(request));
            is_whole = found && found->size() < page;
            told = found ? result<>{} : result<>{found.error()};
            if (found) {
                told = co_await tell_page(one, *std::move(found));
            }
        }
        const bool is_stuck = !newest || !told;
        if (is_stuck && !one->is_over) {
            // The store is away, or it was asked to stop: then the loop ends.
            const result<> rested = co_await sleep_for(rest_after_error);
            static_cast<void>(rested);
        } else if (is_whole) {
            seen = *newest;
        }
    }
}

/// In order. *Errors*: the store's, and of a cancellation; what was told is noted.
awaitable<result<>> subscription_pump::tell_page(
    server* one, std::vector<framework_event> page_of_events
) {
    std::int64_t passed = one->subscription.position;
    for (framework_event& notice : page_of_events) {
        passed = notice.sequence;
        if (!is_wanted(one->subscription, notice)) {
            continue;
        }
        const result<> told = co_await tell(one, std::move(notice));
        if (!told) {
            co_return told;
        }
    }
    if (passed > one->subscription.position) {
        co_return co_await note_position(one, passed);
    }
    co_return result<>{};
}

/// Tries until it is taken, or until the subscription is disabled, which ends this task.
awaitable<result<>> subscription_pump::tell(server* one, framework_event notice) {
    // Ends: by a success, by disabling after `give_up_after`, or by a stop.
    for (;;) {
        const webhook_reply reply = co_await attempt(one, notice);
        const coroutine_context context = co_await this_context();
        if (reply.what == webhook_verdict::taken) {
            ++told_;
            one->failures = 0;
            co_return co_await note_position(one, notice.sequence);
        }
        const result<> wanted = context.check_cancelled();
        if (!wanted) {
            co_return wanted;
        }
        ++failures_;
        ++one->failures;
        const result<bool> goes_on = co_await note_failure(one, reply);
        if (!goes_on) {
            co_return goes_on.error();
        }
        if (!*goes_on) {
            one->is_over = true;
            changed_.set();
            co_return errc::cancelled;
        }
        const result<> waited = co_await sleep_for(delay_after(one->failures, reply));
        if (!waited) {
            co_return waited;
        }
    }
}

awaitable<webhook_reply> subscription_pump::attempt(server* one, framework_event notice) {
    const webhook_subscription& to = one->subscription;
    const wall_time now = parts_.clock->now();
    const auto secrets = open_secrets(*parts_.secrets, secret_place_of(to.id), to.secrets, now);
    if (!secrets) {
        log(log_level::error, "subscription_secret_unreadable", {{"subscription", to.id}});
        co_return webhook_reply{
            webhook_verdict::failed,
            "secret_unreadable",
            "its secret was sealed under another key",
            std::nullopt
        };
    }
    http_call call = make_webhook_call(
        to.url,
        to.id.str() + "-" + std::to_string(notice.sequence),
        webhook_body_of(notice),
        *secrets,
        now
    );
    const deadline until{parts_.where->now() + settings_.attempt_deadline};
    const result<http_reply> replied = co_await parts_.send(std::move(call), until);
    co_return read_webhook_reply(replied, parts_.clock->now());
}

/// False: it was disabled, or is gone.
awaitable<result<bool>> subscription_pump::note_failure(server* one, webhook_reply reply) {
    webhook_subscription& to = one->subscription;
    const wall_time now = parts_.clock->now();
    to.failing_since = to.failing_since.value_or(now);
    ops::note_subscription_progress failed;
    failed.id = to.id;
    failed.position = to.position;
    failed.error = reply.code;
    if (reply.what == webhook_verdict::gone) {
        failed.disable_reason = "receiver_gone";
    } else if (now - *to.failing_since >= settings_.give_up_after) {
        failed.disable_reason = "failed_for_too_long";
    }
    const bool is_disabled = !failed.disable_reason.empty();
    if (is_disabled) {
        failed.notice = disabled_notice(to, failed.disable_reason);
        log(log_level::warn,
            "subscription_disabled",
            {{"subscription", to.id}, {"reason", failed.disable_reason}});
    }
    const auto noted = co_await shielded(parts_.store->run(std::move(failed)));
    if (!noted) {
        co_return noted.error();
    }
    co_return *noted && !is_disabled;
}

awaitable<result<>> subscription_pump::note_position(server* one, std::int64_t position) {
    webhook_subscription& to = one->subscription;
    ops::note_subscription_progress told;
    told.id = to.id;
    told.position = position;
    const auto noted = co_await shielded(parts_.store->run(std::move(told)));
    if (!noted) {
        co_return noted.error();
    }
    to.position = position;
    to.failing_since.reset();
    co_return result<>{};
}

std::chrono::milliseconds subscription_pump::delay_after(
    std::int32_t failures, const webhook_reply& reply
) {
    retry_policy policy;
    policy.max_retries = failures;  // it is not what ends this
    policy.base_delay = settings_.first_delay;
    policy.max_delay = settings_.longest_delay;
    send_result failed = send_result::failed_for_now(reply.code, reply.message);
    failed.retry_after = reply.retry_after;
    return delay_before_retry(policy, failures, failed, *parts_.random)
        .value_or(settings_.longest_delay);
}

}  // namespace convene
