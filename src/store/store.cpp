// SPDX-License-Identifier: Apache-2.0
// The store port's defaults: a room's tenure built from a lock manager and plain operations.
#include "store/store.hpp"

#include "convene/wait.hpp"

namespace convene {

awaitable<result<room_tenure>> conversation_store::enter_room(
    lock_manager* locks, ops::load_room_head head, deadline until
) {
    lease_name name = lease_name::room(head.organization, head.room);
    auto acquired = co_await locks->acquire(std::move(name), until);
    if (!acquired) {
        co_return acquired.error();
    }
    room_tenure tenure;
    tenure.lock = std::move(*acquired);

    // Locks that other processes can see but whose connection can't carry the commit need the fence.
    if (!locks->is_process_local()) {
        ops::raise_lock_epoch fence{head.organization, head.room};
        const auto epoch = co_await with_deadline(until, run(std::move(fence)));
        if (!epoch) {
            co_return epoch.error();
        }
        tenure.lock_epoch = *epoch;
    }

    auto read = co_await with_deadline(until, run(std::move(head)));
    if (!read) {
        const error_code failure = read.error();
        const result<> released = co_await tenure.lock->release();
        static_cast<void>(released);  // nothing was done under it
        co_return failure;
    }
    tenure.head = std::move(*read);
    co_return tenure;
}

awaitable<result<ops::commit::answer>> conversation_store::commit(
    room_tenure* tenure, ops::commit batch, unlock_mode after
) {
    if (tenure->lock->state() != lease_state::held) {
        co_return errc::lease_lost;
    }
    batch.expected_lock_epoch = tenure->lock_epoch;
    auto committed = co_await shielded(run(std::move(batch)));
    if (committed && after == unlock_mode::release) {
        // The commit is visible; an unlock that fails can't take it back, and the lease drops as dirty.
        const result<> released = co_await tenure->lock->release();
        static_cast<void>(released);
        tenure->lock.reset();
    }
    co_return committed;
}

}  // namespace convene

void std::default_delete<convene::conversation_store>::operator()(convene::conversation_store* store
) const noexcept {
    delete store;
}
