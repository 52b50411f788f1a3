// SPDX-License-Identifier: Apache-2.0
// Cursor watch: one task a room, as long as somebody waits there.
#include "room/cursor_watch.hpp"

#include <algorithm>

#include "room/look_pace.hpp"

namespace convene {

awaitable<result<>> cursor_watch::wait_until_passed(room_id room, event_index index) {
    place mine{index};
    const auto [found, is_new] = rooms_.try_emplace(room);
    found->second.push_back(mine);
    if (is_new) {
        scope_.spawn("cursor watch " + room.str(), watch(room, &found->second));
    }
    const result<> waited = co_await mine.reached.wait();
    co_return waited;
}

/// `waiting` stays where it is until this task takes it out of the map: nobody else does.
awaitable<void> cursor_watch::watch(room_id room, places* waiting) {
    look_pace pace{core_.where.now()};
    std::chrono::milliseconds next_look = look_pace::quickest;
    while (!waiting->empty()) {
        const result<> slept = co_await sleep_for(next_look);
        if (!slept || waiting->empty()) {
            break;
        }
        ops::get_cursor request{room};
        const auto cursor = co_await core_.store.run(std::move(request));
        if (!cursor) {
            break;
        }
        wake(waiting, cursor->delivered);
        if (!waiting->empty()) {
            const auto nearest = std::ranges::min_element(*waiting, {}, &place::index);
            next_look = pace.after(cursor->delivered, nearest->index, core_.where.now());
        }
    }
    // Stopping, a store that does not answer, or a room that is gone: each sees in its rows what there is.
    waiting->clear_and_dispose([](place* left) { left->reached.set(); });
    rooms_.erase(room);
}

void cursor_watch::wake(places* waiting, event_index through) {
    waiting->remove_and_dispose_if(
        [through](const place& one) { return one.index <= through; },
        [](place* reached) { reached->reached.set(); }
    );
}

}  // namespace convene
