// SPDX-License-Identifier: Apache-2.0
// How many connections each of several processes has that share one listening socket, so that none takes most of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace convene {

/// In memory that processes share which are forked after it was made. A process that died leaves its last count, which
/// the one in its place overwrites.
///
/// *Thread safety*: any thread, any of the processes.
class connection_board {
   public:
    /// *Errors*: no memory ends the program: it has just begun.
    explicit connection_board(std::size_t processes);
    ~connection_board();

    connection_board(const connection_board&) = delete;
    connection_board& operator=(const connection_board&) = delete;

    void note(std::size_t process, std::uint64_t open) noexcept {
        counts_[process].store(open, std::memory_order_relaxed);
    }

    /// True where some other process has clearly fewer connections: it should have the first try at the next one.
    [[nodiscard]] bool has_more_than_others(std::size_t process) const noexcept;

   private:
    std::span<std::atomic<std::uint64_t>> counts_;
};

}  // namespace convene
