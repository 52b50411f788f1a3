// SPDX-License-Identifier: Apache-2.0
// The subscription pump: tells each webhook subscription of its organisation's framework events.
#pragma once

#include "convene/lease.hpp"
#include "convene/random.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/secret_box.hpp"
#include "integration/webhook_reply.hpp"
#include "live/notice_feed.hpp"
#include "net/http_sender.hpp"
#include "store/channel_values.hpp"

namespace convene {

class conversation_store;

struct subscription_pump_settings {
    std::chrono::milliseconds attempt_deadline{10'000};
    std::chrono::milliseconds first_delay{1'000};  ///< doubles with each failure
    std::chrono::milliseconds longest_delay{3'600'000};
    std::chrono::hours give_up_after{72};  ///< of failures alone: then it is disabled
    std::chrono::milliseconds list_interval{5'000
    };  ///< changes by other workers show at the latest then
};

/// One worker of a deployment does it, under the lease `subscriptions`: each subscription has a task of its own, so
/// that one that is down delays no other. Each event is told in order and at least once, with the same
/// `webhook-id` at every attempt; the position is stored after it was taken.
///
/// *Thread safety*: loop only. *Lifetime*: `start` first, `stop` before destruction; the parts outlive it.
class subscription_pump {
   public:
    struct parts {
        executor* where = nullptr;
        conversation_store* store = nullptr;
        lock_manager* locks = nullptr;
        notice_feed* notices = nullptr;
        const wall_clock* clock = nullptr;
        random_source* random = nullptr;
        const secret_box* secrets = nullptr;
        http_sender send;
    };

    struct figures {
        std::size_t served = 0;   ///< subscriptions that this worker tells
        std::size_t failing = 0;  ///< of those, whose last attempt failed
        std::uint64_t told = 0;
        std::uint64_t failures = 0;
    };

    subscription_pump(parts given, subscription_pump_settings with);
    ~subscription_pump();

    subscription_pump(const subscription_pump&) = delete;
    subscription_pump& operator=(const subscription_pump&) = delete;

    void start();

    /// Ends attempts that are under way; whoever leads next makes them again. Idempotent. Not cancellable.
    [[nodiscard]] awaitable<void> stop();

    /// A subscription was made, changed or removed.
    void look_again() noexcept { changed_.set(); }

    [[nodiscard]] figures count() const;

   private:
    /// A subscription that is being served, in the version that was read.
    struct server {
        server(executor& where, webhook_subscription read)
            : subscription(std::move(read)), tasks(where) {}

        webhook_subscription subscription;
        std::int32_t failures = 0;  ///< in a row
        bool is_over = false;       ///< disabled or gone
        task_scope tasks;
    };

    awaitable<void> keep_leadership();
    awaitable<void> serve_all();
    awaitable<void> match(std::vector<webhook_subscription> wanted);
    awaitable<void> end(std::vector<subscription_id> gone);
    awaitable<void> serve(server* one);
    [[nodiscard]] awaitable<result<>> tell_page(server* one, std::vector<framework_event> page);
    [[nodiscard]] awaitable<result<>> tell(server* one, framework_event notice);
    [[nodiscard]] awaitable<webhook_reply> attempt(server* one, framework_event notice);
    [[nodiscard]] awaitable<result<bool>> note_failure(server* one, webhook_reply reply);
    [[nodiscard]] awaitable<result<>> note_position(server* one, std::int64_t position);
    [[nodiscard]] std::chrono::milliseconds delay_after(
        std::int32_t failures, const webhook_reply& reply
    );

    // fixed after construction
    const parts parts_;
    const subscription_pump_settings settings_;

    // touched on the loop only
    std::map<subscription_id, std::unique_ptr<server>> servers_;
    std::uint64_t told_ = 0;
    std::uint64_t failures_ = 0;
    wait_flag changed_;
    task_scope loops_;
};

}  // namespace convene
