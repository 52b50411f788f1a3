// SPDX-License-Identifier: Apache-2.0
// The outbound pump: delivers in the background what was deferred, in order for each destination.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/lease.hpp"
#include "convene/room.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "channel/destination.hpp"
#include "channel/target_runner.hpp"
#include "room/hook_registry.hpp"
#include "store/operations/deliveries.hpp"

namespace convene {

class conversation_store;

/// Works off the store's outbound queue: the first item of each destination that is due, many
/// destinations at the same time.
///
/// One worker at a time does so, under the lease `outbound`; one that meets an item of a newer format than its own
/// gives the lease up for a while, so that a newer worker can have it. Items of channels that are bound to a
/// process are left to the worker that committed their event, and skipped once it is dead. An item
/// leaves the queue when it was delivered, or when its retries are used up, by failures or by
/// workers that died of it: then its row is `failed` and the notice `outbound_dead_letter` is
/// stored. Delivery is at least once, always with
/// the same id.
///
/// *Thread safety*: loop only. *Lifetime*: `start` first, `stop` before destruction; the parts
/// outlive it.
class outbound_pump {
   public:
    struct parts {
        executor* where = nullptr;
        conversation_store* store = nullptr;
        lock_manager* locks = nullptr;
        const channel_registry* channels = nullptr;
        target_runner* runner = nullptr;
        outbound_order* order = nullptr;
        const wall_clock* clock = nullptr;  ///< the store's

        /// Whose room it is. *Errors*: `not_found` if there is no such room any more.
        std::function<awaitable<result<organization_id>>(room_id)> organization_of;

        std::int32_t plan_format = 1;  ///< what was planned in newer ones is left to newer workers

        /// Tells which after-hooks share the budget of what a delivery leads to; unset: deliveries carry no cause.
        const hook_registry* hooks = nullptr;
    };

    explicit outbound_pump(parts given);
    ~outbound_pump();

    outbound_pump(const outbound_pump&) = delete;
    outbound_pump& operator=(const outbound_pump&) = delete;

    /// Reads which destinations have items waiting, then works in the background as `me`.
    /// *Errors*: the store's; nothing runs then.
    [[nodiscard]] awaitable<result<>> start(incarnation_id me);

    /// Begins nothing new, lets running deliveries end until `until`, then cancels them; what is
    /// not recorded by then stays in the queue. Idempotent. Not cancellable.
    [[nodiscard]] awaitable<void> stop(deadline until);

    /// Items were stored: call it with what `finish_set` has committed, before the next set begins. Without any it looks at
    /// the store.
    void notify_deferred(const std::vector<outbound_item>& items);

   private:
    /// What the delivery of an item needs.
    struct loaded_item {
        organization_id organization;
        room_event event;
        std::optional<convene::binding> binding;  ///< unset: the channel was detached since
    };

    enum class ownership { ours, someone_elses, orphaned };

    awaitable<void> keep_leadership();
    awaitable<void> step_down(std::shared_ptr<lease> mine);
    awaitable<void> keep_pumping();
    awaitable<void> look_for_work();
    awaitable<void> wait_for_work();
    [[nodiscard]] bool may_take(const outbound_item& item) const;
    [[nodiscard]] bool is_bound(const channel_id& channel) const;
    [[nodiscard]] bool is_leading() const;

    awaitable<void> handle(outbound_item item);
    awaitable<void> handle_bound(outbound_item item);
    awaitable<void> handle_as_leader(outbound_item item);
    awaitable<result<ownership>> owner_of(outbound_item item);
    awaitable<result<bool>> reads_plans_of(incarnation_id committer);
    awaitable<void> deliver(outbound_item item, std::function<bool()> may_start);
    awaitable<result<std::int32_t>> counted_attempts(outbound_item item);
    awaitable<bool> note(outbound_item* item, std::int32_t attempts, std::string last_error);
    awaitable<result<loaded_item>> load(outbound_item item);
    awaitable<result<std::optional<event_cause>>> cause_of(
        outbound_item item, organization_id organization, room_event event
    );
    awaitable<void> record(
        outbound_item item, organization_id organization, target_outcome outcome
    );
    awaitable<void> skip(outbound_item item, std::string reason);

    template <class Op>
    awaitable<bool> persist(Op request);

    void wake_at(monotonic_time at);
    void rest(const outbound_item& item, std::chrono::milliseconds span);

    // fixed after construction
    const parts parts_;

    // touched on the loop only
    incarnation_id me_;
    std::shared_ptr<lease> leader_;  ///< also held by the deliveries under it; null while another
                                     ///< leads
    std::set<destination> busy_;
    std::map<destination, monotonic_time> resting_;   ///< not looked at before
    std::map<destination, monotonic_time> in_doubt_;  ///< did its worker die? Asked since when
    monotonic_time must_list_at_{};                   ///< what waits is listed then at the latest
    std::multiset<monotonic_time> wake_times_;
    wait_flag wake_;
    std::unordered_map<incarnation_id, std::int32_t>
        formats_;          ///< of the workers seen so far; never change
    wait_flag outranked_;  ///< an item is for a newer worker
    wait_flag idle_;       ///< nothing is under way
    bool is_stepping_down_ = false;
    task_scope deliveries_;
    task_scope loops_;
};

}  // namespace convene
