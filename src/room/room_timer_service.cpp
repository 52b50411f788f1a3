// SPDX-License-Identifier: Apache-2.0
// Room timers: election and rounds.
#include "room/room_timer_service.hpp"

#include "base/log.hpp"

namespace convene {

namespace {

constexpr std::chrono::seconds between_rounds{1};
constexpr std::chrono::seconds between_elections{5};

}  // namespace

awaitable<void> room_timer_service::run() {
    for (;;) {
        lease_name duty = lease_name::leader("room-timers");
        auto elected = co_await core_.locks.try_acquire(std::move(duty));
        if (elected) {
            const std::unique_ptr<lease> leadership = std::move(*elected);
            co_await cancelled_by(&leadership->lost(), lead(leadership.get()));
            const result<> resigned = co_await shielded(leadership->release());
            static_cast<void>(resigned);  // lost or given back: the next election decides
        }
        const result<> slept = co_await sleep_for(between_elections);
        if (!slept) {
            co_return;
        }
    }
}

awaitable<void> room_timer_service::lead(lease* leadership) {
    while (leadership->state() == lease_state::held) {
        ops::apply_due_timers round;
        const auto applied = co_await core_.store.run(std::move(round));
        if (!applied) {
            log(log_level::warn, "room_timers.failed", {{"error", applied.error().message()}});
        } else if (!applied->changed.empty()) {
            core_.notices_stored.set();
        }
        if (applied && applied->has_more) {
            continue;
        }
        const result<> slept = co_await sleep_for(between_rounds);
        if (!slept) {
            co_return;
        }
    }
}

}  // namespace convene
