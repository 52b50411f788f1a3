// SPDX-License-Identifier: Apache-2.0
// Recovery sweep.
#include "room/recovery.hpp"

#include "base/log.hpp"
#include "base/mutant.hpp"
#include "room/room_directory.hpp"

namespace convene {

namespace {

constexpr std::chrono::milliseconds between_sweeps{500};
constexpr std::size_t rooms_at_once = 64;

/// Every so many sweeps also what is this worker's own to do: it, or the one that it left something to, was not told.
constexpr int sweeps_for_own = 10;

}  // namespace

awaitable<void> recovery::run() {
    for (int i = 0;; i = (i + 1) % sweeps_for_own) {
        std::optional<incarnation_id> also_of;
        if (i == sweeps_for_own - 1 && !CONVENE_MUTANT("bell_is_trusted")) {
            also_of = core_.me;
        }
        const result<> swept = co_await sweep(std::move(also_of));
        if (!swept && swept.error() == errc::incarnation_dead) {
            log(log_level::error, "worker.buried", {{"incarnation", core_.me.str()}});
            core_.buried.set();
            co_return;
        }
        // Alone on its store, nobody else's death can leave anything.
        if (swept && !core_.store.is_shared_between_processes()) {
            co_return;
        }
        const result<> slept = co_await sleep_for(between_sweeps);
        if (!slept) {
            co_return;
        }
    }
}

/// Wakes all lanes that have something, in pages, so that thousands of rooms flow again at once.
awaitable<result<>> recovery::sweep(std::optional<incarnation_id> also_of) {
    room_id after;
    for (;;) {
        ops::find_orphaned_rooms request{after, rooms_at_once, also_of};
        const auto found = co_await core_.store.run(std::move(request));
        if (!found) {
            co_return found.error();
        }
        for (const ops::find_orphaned_rooms::item& orphaned : *found) {
            core_.rooms->open(orphaned.organization, orphaned.room)->deliveries.look_at_store();
        }
        if (found->size() < rooms_at_once) {
            co_return result<>{};
        }
        after = found->back().room;
    }
}

}  // namespace convene
