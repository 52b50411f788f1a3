// SPDX-License-Identifier: Apache-2.0
// Waits for the cursors of rooms that other workers deliver. However many wait in a room, one read looks for all.
#pragma once

#include "convene/task_scope.hpp"

#include <boost/intrusive/list.hpp>

#include <unordered_map>

#include "room/engine_core.hpp"

namespace convene {

/// A set's results are stored with the step of the cursor (engine.md 5), and a lane goes in index order: a cursor that has
/// not come to an event says of this one and of all behind it that there is nothing to see yet.
///
/// *Thread safety*: loop only. *Lifetime*: outlives the scope that it is given.
class cursor_watch {
   public:
    cursor_watch(engine_core* core, task_scope* scope) : core_(*core), scope_(*scope) {}

    /// Waits until the room's cursor is seen at `index` or beyond; also until it can't be read or the scope is stopping:
    /// the caller looks at its rows in any case.
    /// *Cancellation*: at once; whoever else waits goes on waiting. *Errors*: `cancelled`, `timed_out`.
    [[nodiscard]] awaitable<result<>> wait_until_passed(room_id room, event_index index);

   private:
    /// Where a caller waits: a part of its frame, which takes it out when it goes.
    struct place : boost::intrusive::list_base_hook<
                       boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
        explicit place(event_index awaited) : index(awaited) {}

        event_index index;
        wait_flag reached;
    };

    using places = boost::intrusive::list<place, boost::intrusive::constant_time_size<false>>;

    [[nodiscard]] awaitable<void> watch(room_id room, places* waiting);
    static void wake(places* waiting, event_index through);

    // fixed after construction
    engine_core& core_;
    task_scope& scope_;

    // touched on the loop only
    std::unordered_map<room_id, places> rooms_;  ///< those with a task that looks
};

}  // namespace convene
