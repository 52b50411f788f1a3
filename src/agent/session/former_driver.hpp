// SPDX-License-Identifier: Apache-2.0
// What a driver has left behind that died, or was cut off: it is closed and kept, in the run's stream and in the room.
#pragma once

#include "agent/session/run_scribe.hpp"
#include "store/operations/sessions.hpp"

namespace convene {

/// Used by the driver that has the session now.
///
/// *Thread safety*: loop only. *Lifetime*: the scribe outlives it.
class former_driver {
   public:
    former_driver(driver_parts with, agent_run_record run, run_scribe* scribe)
        : with_(with), run_(std::move(run)), scribe_(*scribe) {}

    /// This run was begun by another driver, that has shown more than it stored: the rest is stored now, under the ids that
    /// were shown.
    [[nodiscard]] awaitable<result<>> settle();

    /// What was shown and is not stored yet: a message that was cut off is kept as far as it came, a call that has no result
    /// gets one that says so.
    [[nodiscard]] awaitable<result<>> settle_open();

    /// Other runs that nobody goes on with, and whose streams nobody came to close: what they had shown is kept, and each
    /// stream gets an end.
    [[nodiscard]] awaitable<result<>> close_all_interrupted();

   private:
    [[nodiscard]] awaitable<result<>> settle_messages();
    [[nodiscard]] awaitable<result<>> settle_calls();
    [[nodiscard]] awaitable<result<>> close_cut_off(told_call call);
    [[nodiscard]] awaitable<result<>> keep_shown(told_call call);

    // fixed after construction
    const driver_parts with_;
    const agent_run_record run_;

    // touched on the loop only
    run_scribe& scribe_;
};

}  // namespace convene
