// SPDX-License-Identifier: Apache-2.0
// Notice pump: reading, calling and remembering the position.
#include "room/notice_pump.hpp"

#include "base/log.hpp"

namespace convene {

namespace {

constexpr std::size_t page = 100;
constexpr std::chrono::seconds between_looks{1};

awaitable<result<>> wait_until_set(wait_flag* flag) {
    const result<> waited = co_await flag->wait();
    co_return waited;
}

}  // namespace

result<> notice_pump::subscribe(task_scope* scope, std::string name, framework_callback callback) {
    if (!names_.insert(name).second) {
        return errc::already_exists;
    }
    const std::string task = "notices " + name;
    scope->spawn(task, run(std::move(name), std::move(callback)));
    return {};
}

awaitable<void> notice_pump::run(std::string name, framework_callback callback) {
    const coroutine_context context = co_await this_context();
    std::int64_t position = -1;
    while (context.cancel == nullptr || !context.cancel->is_requested()) {
        if (position < 0) {
            ops::get_subscription request{name};
            const auto known = co_await core_.store.run(std::move(request));
            if (known) {
                position = *known;
            }
        }
        if (position >= 0) {
            const auto reached = co_await hand_out(name, callback, position);
            if (reached && *reached > position) {
                position = *reached;
                continue;
            }
        }
        core_.notices_stored.reset();
        const deadline until{core_.where.now() + between_looks};
        const result<> woken = co_await with_deadline(until, wait_until_set(&core_.notices_stored));
        static_cast<void>(woken);  // woken or timed out: look; stopping is seen by the loop
    }
}

/// Calls the subscriber for one page. The position is stored after the calls, so a crash repeats them.
awaitable<result<std::int64_t>> notice_pump::hand_out(
    std::string name, framework_callback callback, std::int64_t after
) {
    ops::list_notices request{after, page};
    auto found = co_await core_.store.run(std::move(request));
    if (!found) {
        co_return found.error();
    }
    std::int64_t reached = after;
    for (framework_event& notice : *found) {
        const std::int64_t sequence = notice.sequence;
        const result<> taken = co_await callback(std::move(notice));
        if (!taken) {
            log(log_level::warn,
                "notices.subscriber_failed",
                {{"subscriber", name}, {"error", taken.error().message()}});
            break;
        }
        reached = sequence;
    }
    if (reached == after) {
        co_return after;
    }
    ops::put_subscription moved{name, reached};
    const auto stored = co_await shielded(core_.store.run(std::move(moved)));
    if (!stored) {
        co_return stored.error();
    }
    co_return reached;
}

}  // namespace convene
