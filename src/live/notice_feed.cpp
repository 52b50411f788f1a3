// SPDX-License-Identifier: Apache-2.0
// Notice feed: whoever finds the last look too old makes the next one, for all.
#include "live/notice_feed.hpp"

#include <utility>

#include "store/operations/subscriptions.hpp"
#include "store/store.hpp"

namespace convene {

awaitable<result<std::int64_t>> notice_feed::beyond(std::int64_t after, deadline until) {
    const coroutine_context context = co_await this_context();
    for (;;) {
        const result<> looked = co_await look();
        if (!looked) {
            co_return looked.error();
        }
        if (newest_ > after || has_ended_ || until.has_passed(context.where->now())) {
            co_return newest_;
        }
        const deadline next_look{looked_at_ + settings_.look_interval};
        const result<> woken = co_await with_deadline(
            until.sooner(next_look), until_set(&changed_)
        );
        static_cast<void>(woken);  // due or woken: it looks
        const result<> wanted = context.check_cancelled();
        if (!wanted) {
            co_return wanted.error();
        }
    }
}

awaitable<result<>> notice_feed::look() {
    const coroutine_context context = co_await this_context();
    const monotonic_time now = context.where->now();
    if (newest_ >= 0 && now < looked_at_ + settings_.look_interval) {
        co_return result<>{};
    }
    // Set first: those who come meanwhile wait for this look instead of making their own.
    looked_at_ = now;
    ops::get_last_notice request;
    const auto newest = co_await store_.run(std::move(request));
    if (!newest) {
        co_return newest.error();
    }
    if (*newest > newest_) {
        newest_ = *newest;
        changed_.notify_all();
    }
    co_return result<>{};
}

void notice_feed::end_all() noexcept {
    has_ended_ = true;
    changed_.notify_all();
}

}  // namespace convene
