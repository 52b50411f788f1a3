// SPDX-License-Identifier: Apache-2.0
// What a worker shows the others of its leases: decides what has to be written, and reads all boards as one list.
#pragma once

#include "convene/lease.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace convene {

/// A name as one worker sees it: it holds it, or waits until another worker gives it back.
struct shown_lease {
    lease_name name;
    bool is_held = true;
    monotonic_time since{};   ///< when it got the name, or began to wait
    std::size_t waiters = 0;  ///< in that worker
};

/// Compares what a worker holds with what it has written, every half second, and tells the difference. What is younger
/// than that is left out: most locks are held for the time of a commit, and are gone before anybody could read of
/// them. A worker whose leases stay as they are writes nothing.
///
/// *Thread safety*: loop only. *Complexity*: of a look, O(n log n) in names.
class lease_board {
   public:
    /// What is to be written, together.
    struct changes {
        bool starts_over = false;           ///< first whatever is there of this worker goes
        std::vector<std::int64_t> removed;  ///< keys
        std::vector<shown_lease> written;   ///< new ones and changed ones, by key at most one

        [[nodiscard]] bool is_empty() const noexcept {
            return !starts_over && removed.empty() && written.empty();
        }
    };

    /// Whether what began then is shown by now.
    [[nodiscard]] static bool is_shown(monotonic_time since, monotonic_time now) noexcept;

    /// When to look next.
    [[nodiscard]] monotonic_time next_look() const noexcept { return next_look_; }

    /// `names`: all that the worker holds or waits for. The answer counts as written.
    [[nodiscard]] changes look(const std::vector<shown_lease>& names, monotonic_time now);

    /// What was written may be gone, or was not written after all: the next look begins from nothing.
    void start_over() noexcept;

    /// Whether something of this worker may stand on the board.
    [[nodiscard]] bool has_written() const noexcept { return has_written_; }

   private:
    struct entry {
        bool is_held = false;
        monotonic_time since{};
        std::size_t waiters = 0;

        friend bool operator==(const entry&, const entry&) = default;
    };

    std::map<std::int64_t, entry> written_;
    monotonic_time next_look_{};
    bool starts_over_ = true;
    bool has_written_ = false;
};

/// A line of another worker's board.
struct board_line {
    shown_lease shown;
    incarnation_id worker;
    std::string host;
};

/// What all workers hold, with the waiters of all of them. What this one holds and shows is newer than its board, which
/// is not among the others.
[[nodiscard]] std::vector<worker_lease> leases_on(
    std::vector<worker_lease> held_here,
    const std::vector<shown_lease>& shown_here,
    const std::vector<board_line>& others
);

}  // namespace convene
