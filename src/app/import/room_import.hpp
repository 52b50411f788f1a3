// SPDX-License-Identifier: Apache-2.0
// The import of one room: what is stored already is compared, the rest is sent in order.
#pragma once

#include "convene/task_scope.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/conversations.hpp"
#include "app/import/file_binder.hpp"
#include "app/import/import_report.hpp"
#include "app/transcript/transcript.hpp"
#include "app/transcript/transcript_reader.hpp"

namespace convene {

/// What all rooms of an import share. *Lifetime*: outlives them.
struct import_target {
    executor* where = nullptr;
    conversation_reader* reader = nullptr;
    conversation_writer* writer = nullptr;
    file_binder* binder = nullptr;  ///< set: each room delivers to its file
    import_report* report = nullptr;
    const cancel_source* stop = nullptr;  ///< requested: send nothing more
};

/// Brings one room to the state of its transcript.
///
/// The events of a room are sent in order, as many at once as keep it, so that they share a commit. The last one is
/// waited for until it was delivered, so a room counts as being imported until nothing of it is on its way. An
/// event that is stored already has to be the same; then nothing is sent, which is what makes a second import
/// change nothing. Where the room holds something else, its import ends, and the report says so.
///
/// *Thread safety*: loop only. *Lifetime*: `run` ends before it is destroyed.
class room_import {
   public:
    /// `line` is where the room begins.
    room_import(const import_target* into, transcript_room room, std::int64_t line);

    /// Hands over the next event. Waits while many are ahead of it. *Errors*: `cancelled`.
    [[nodiscard]] awaitable<result<>> put(transcript_event event, std::int64_t line);

    /// Nothing more comes.
    void end() noexcept;

    /// Imports until the end was said and everything handed over was stored or refused.
    [[nodiscard]] awaitable<void> run();

    [[nodiscard]] const std::string& name() const noexcept { return given_.name; }

   private:
    struct numbered_event {
        transcript_event event;
        std::int64_t line = 0;
    };

    // the room
    [[nodiscard]] awaitable<outcome<>> open();
    [[nodiscard]] awaitable<outcome<room_context>> find_or_create();
    [[nodiscard]] awaitable<void> finish();

    // one event after the other
    [[nodiscard]] awaitable<std::optional<numbered_event>> take();
    [[nodiscard]] awaitable<void> import_next(numbered_event next);
    [[nodiscard]] awaitable<outcome<std::optional<transcript_event>>> next_stored();
    [[nodiscard]] awaitable<outcome<outgoing_event>> make_outgoing(transcript_event event);
    [[nodiscard]] awaitable<void> send(numbered_event next, wait_for until);
    [[nodiscard]] awaitable<void> send_one(outgoing_event sent, std::int64_t line, wait_for until);
    [[nodiscard]] awaitable<void> until_fewer_in_flight_than(std::size_t count);

    void give_up(import_problem why);
    void give_up(std::int64_t line, const failure& what);
    void fail_send(std::int64_t line, const failure& what);

    // fixed after construction
    const import_target& into_;
    const transcript_room given_;
    const std::int64_t line_;

    // touched on the loop only
    std::deque<numbered_event> queue_;
    bool has_ended_ = false;
    bool has_given_up_ = false;     ///< nothing more is taken
    bool has_failed_send_ = false;  ///< nothing more is sent
    bool is_new_ = false;
    wait_flag changed_;  ///< notified when anything above or in flight changes
    std::optional<room_context> context_;
    std::optional<transcript_reader> stored_;
    std::deque<transcript_event> stored_page_;
    bool is_past_stored_ = false;
    event_index expected_{0};                  ///< position of the next event
    std::optional<numbered_event> held_back_;  ///< perhaps the last one
    std::size_t in_flight_ = 0;

    task_scope sends_;  // last: its tasks use the members above
};

}  // namespace convene
