// SPDX-License-Identifier: Apache-2.0
// Holding a room: lock and claim in the order that everybody keeps.
#include "room/room_hold.hpp"

#include "base/log.hpp"

namespace convene {

awaitable<result<room_hold>> hold_room(
    engine_core* core, organization_id organization, room_id room, deadline until
) {
    ops::load_room_head head{organization, room, {}};
    auto tenure = co_await core->store.enter_room(&core->locks, std::move(head), until);
    if (!tenure) {
        co_return tenure.error();
    }
    room_hold held;
    held.lock = std::move(tenure->lock);
    lease_name name = lease_name::delivery(organization, room);
    auto claim = co_await core->claims.acquire(std::move(name), until);
    if (claim) {
        held.claim = std::move(*claim);
        co_return held;
    }
    const error_code failure = claim.error();
    co_await shielded(let_go(std::move(held)));
    co_return failure == errc::timed_out ? make_error_code(errc::process_timeout) : failure;
}

awaitable<void> let_go(room_hold held) {
    for (const std::unique_ptr<lease>* const one : {&held.claim, &held.lock}) {
        if (*one == nullptr) {
            continue;
        }
        const result<> back = co_await (*one)->release();
        if (!back) {
            log(log_level::warn, "room_hold.lease_lost", {{"lease", (*one)->name().display()}});
        }
    }
}

}  // namespace convene
