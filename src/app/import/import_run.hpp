// SPDX-License-Identifier: Apache-2.0
// An import: reads lines, and has many rooms imported at once.
#pragma once

#include "convene/blocking_pool.hpp"
#include "convene/task_scope.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "app/import/import_report.hpp"
#include "app/import/line_reader.hpp"
#include "app/import/room_import.hpp"
#include "app/transcript/transcript.hpp"

namespace convene {

/// Rooms are independent of each other: at most `concurrency` are worked on at a time, whatever the input's
/// size, and no two of one name. Lines that are no good are reported and passed over.
///
/// *Thread safety*: loop only. *Lifetime*: `run` ends before it is destroyed; everything it was given outlives it.
class import_run {
   public:
    import_run(
        const import_target* into,
        std::unique_ptr<line_reader> lines,
        blocking_pool* pool,
        std::size_t concurrency
    );

    /// Reads to the end, and returns when every room is done.
    /// *Cancellation*: reads no further, finishes what was sent, and answers a failure.
    [[nodiscard]] awaitable<outcome<>> run();

   private:
    struct parsed_line {
        std::int64_t number = 0;
        checked<transcript_line> value;
    };

    struct parsed_batch {
        std::vector<parsed_line> lines;
        bool is_last = false;
        std::int64_t bytes_read = 0;
    };

    [[nodiscard]] static result<parsed_batch> read_and_parse(line_reader* lines);

    [[nodiscard]] awaitable<outcome<>> read_all();
    [[nodiscard]] awaitable<result<>> take(parsed_line line);
    [[nodiscard]] awaitable<result<>> take_entry(transcript_entry entry, std::int64_t line);
    [[nodiscard]] awaitable<result<>> take_transcript(transcript whole, std::int64_t line);
    [[nodiscard]] awaitable<result<>> begin_room(transcript_room room, std::int64_t line);
    [[nodiscard]] awaitable<void> import_room(std::shared_ptr<room_import> importing);
    void end_room();

    [[nodiscard]] awaitable<void> show_progress(cancel_source* until);

    // fixed after construction
    const import_target& into_;
    const std::shared_ptr<line_reader>
        lines_;  ///< shared with a read on the pool that a cancelled run left
    blocking_pool& pool_;
    const std::size_t concurrency_;

    // touched on the loop only
    monotonic_time started_at_{};
    std::int64_t bytes_read_ = 0;
    std::unordered_set<std::string> active_;  ///< names of the rooms being imported
    wait_flag room_ended_;                    ///< notified
    std::shared_ptr<room_import> current_;    ///< the room whose events come line by line

    task_scope rooms_;  // last: its tasks use the members above
};

}  // namespace convene
