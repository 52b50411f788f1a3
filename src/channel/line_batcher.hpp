// SPDX-License-Identifier: Apache-2.0
// The line batcher: lines that arrive while others are being written share the next write.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/wait.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace convene {

/// One write at a time, in the order in which lines came.
///
/// Whoever adds the first line of a batch also writes it, after the batch before; the others wait
/// for that. So nothing runs in the background. *Thread safety*: loop only. *Lifetime*: outlives
/// its `add` calls.
class line_batcher {
   public:
    /// Writes whole lines durably.
    using write_function = std::function<awaitable<result<>>(std::string lines)>;

    line_batcher(write_function write, std::size_t most_lines)
        : write_(std::move(write)), most_lines_(most_lines) {}

    line_batcher(const line_batcher&) = delete;
    line_batcher& operator=(const line_batcher&) = delete;

    /// Returns when the line was written. *Errors*: those of the write, which hold for its whole
    /// batch; `overloaded` when 16 MiB are waiting. *Cancellation*: stops waiting; the line is
    /// written all the same. Not for the line that leads its batch, because others depend on it.
    [[nodiscard]] awaitable<result<>> add(std::string line);

   private:
    struct batch {
        std::string bytes;
        std::size_t lines = 0;
        wait_flag done;
        result<> outcome;
    };

    awaitable<void> write_in_turn(std::shared_ptr<batch> mine);

    static constexpr std::size_t most_waiting_bytes = std::size_t{16} << 20U;

    // fixed after construction
    const write_function write_;
    const std::size_t most_lines_;

    // touched on the loop only
    std::deque<std::shared_ptr<batch>> waiting_;  ///< shared with the coroutines that added to it
    std::size_t waiting_bytes_ = 0;
    bool is_writing_ = false;
    wait_flag turn_;
};

}  // namespace convene
