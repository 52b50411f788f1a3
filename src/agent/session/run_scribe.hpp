// SPDX-License-Identifier: Apache-2.0
// What a run says: to the readers of its stream, and into the room.
#pragma once

#include "convene/room_kit.hpp"

#include <memory>
#include <string>
#include <vector>

#include "agent/room_tools.hpp"
#include "agent/session/run_log.hpp"
#include "agent/session/run_transcript.hpp"
#include "agent/session/told_run.hpp"
#include "base/uuid.hpp"
#include "store/session_values.hpp"

namespace convene {

/// Owned by the session service, as the rest of it.
struct driver_parts {
    executor* where = nullptr;
    room_kit* kit = nullptr;
    run_log* streams = nullptr;
    id_generator* ids = nullptr;
    const wall_clock* clock = nullptr;
};

/// Another driver has the session, or will have it: this one may say nothing more.
[[nodiscard]] bool is_fenced(error_code failure);

/// The same driver can try it again.
[[nodiscard]] bool may_pass(error_code failure);

/// What came of a call, as it is kept.
void set_result(tool_call_fields* call, tool_call_status how, std::string text);

/// Readers see every piece before the event with the whole of it is committed, under the same id: what they put together
/// is what is stored. Every write has the run's epoch.
///
/// *Thread safety*: loop only. *Lifetime*: its driver's; its parts outlive it.
class run_scribe {
   public:
    /// `leaving`: the tools whose calls leave something in the room.
    run_scribe(
        driver_parts with, channel_id agent, std::vector<room_tool> leaving, agent_run_record run
    )
        : with_(with),
          agent_(std::move(agent)),
          leaving_(std::move(leaving)),
          run_(std::move(run)) {}

    /// Before anything is said. `before` is what is stored of the stream.
    void open(told_run before);

    /// Null before it is open.
    [[nodiscard]] run_stream* stream() const noexcept { return stream_.get(); }

    /// Of the whole run: what others have said of it as well.
    [[nodiscard]] const run_transcript& told() const noexcept { return told_; }

    /// *Errors*: as `run_stream::say`.
    [[nodiscard]] awaitable<result<>> say(run_event event);

    /// Stores a message once all of it was shown. `finish_reason` is empty for one that came to its end.
    [[nodiscard]] awaitable<result<>> append_text(
        std::string id, std::string text, std::string finish_reason
    );

    /// Stores a call's result, under the id that it was shown with.
    [[nodiscard]] awaitable<result<>> append_shown_call(tool_call_fields call, std::string id);

    /// Again, where it may pass, for as long as the driver could still have its lease. *Errors*: `driver_fenced`, those of an append.
    [[nodiscard]] awaitable<result<>> append(outgoing_event sent, driver_append with);

    /// Of the agent.
    [[nodiscard]] outgoing_event own_event() const;
    [[nodiscard]] driver_append own_append() const;

    /// Looks which of these ids are events by now.
    [[nodiscard]] awaitable<result<>> find_stored(std::vector<std::string> ids);

    /// As far as it was looked for, or was stored here.
    [[nodiscard]] bool is_stored(const std::string& id) const;

   private:
    // fixed after construction
    const driver_parts with_;
    const channel_id agent_;
    const std::vector<room_tool> leaving_;
    const agent_run_record run_;

    // touched on the loop only
    std::shared_ptr<run_stream> stream_;
    run_transcript told_;
    std::vector<std::string> stored_;  ///< messages of this run that are events
};

}  // namespace convene
