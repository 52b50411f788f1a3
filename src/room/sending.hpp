// SPDX-License-Identifier: Apache-2.0
// Sending into a known room: submits a proposal, then waits for what the caller asked for.
#pragma once

#include <memory>
#include <vector>

#include "room/cascade.hpp"
#include "room/cursor_watch.hpp"
#include "room/engine_core.hpp"
#include "room/proposal.hpp"
#include "room/room_slot.hpp"

namespace convene {

/// The end of every way into a room (R7, D10). *Thread safety*: loop only.
class sending {
   public:
    sending(engine_core* core, cursor_watch* watch) : core_(*core), watch_(*watch) {}

    /// Commits `proposed` before `until`, then waits for its deliveries if asked to.
    ///
    /// Called from inside the room's own lock it commits on that lock; from inside another room's lock it
    /// waits only briefly (`would_deadlock`); from inside the room's lane, or in a circle of rooms, it returns
    /// at the commit. What is sent because of a call that the room itself waits for (`proposal::chain`) is staged:
    /// queued behind the event that the call is about, and the answer comes at once.
    [[nodiscard]] awaitable<result<send_receipt>> send(
        organization_id organization, proposal proposed, deadline until, wait_for what
    );

    /// The receipt of an event that is stored already.
    [[nodiscard]] awaitable<result<send_receipt>> replay(room_event stored, wait_for what);

   private:
    [[nodiscard]] awaitable<result<committed_event>> commit(
        std::shared_ptr<room_slot> slot,
        proposal proposed,
        std::shared_ptr<cascade> caused,
        deadline until
    );
    [[nodiscard]] awaitable<void> commit_staged(
        room_slot* slot, organization_id organization, proposal proposed, deadline until
    );
    [[nodiscard]] awaitable<void> note_timeout(organization_id organization, room_event tried);
    [[nodiscard]] awaitable<void> await_cascade(
        std::shared_ptr<cascade> caused, send_receipt* receipt
    );
    [[nodiscard]] deadline wait_end() const;
    [[nodiscard]] awaitable<void> await_other_worker(send_receipt* receipt);
    [[nodiscard]] awaitable<void> await_stored_rows(send_receipt* receipt, deadline until);
    [[nodiscard]] awaitable<void> await_turn(handed_over_event of, deadline until);
    [[nodiscard]] awaitable<bool> await_rows(
        handed_over_event of, deadline until, std::vector<target_result>* targets
    );
    [[nodiscard]] awaitable<result<bool>> look_at_rows(
        handed_over_event of, std::vector<target_result>* targets
    );

    engine_core& core_;
    cursor_watch& watch_;
};

}  // namespace convene
