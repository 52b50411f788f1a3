// SPDX-License-Identifier: Apache-2.0
// Whose turn it is among the sessions of all workers that wait for the same lock: decides who lets whom go first.
#pragma once

#include "convene/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace convene {

/// For each key the sessions that say that they want it, and since when. Who has waited longest goes first.
///
/// The order is a courtesy. The lock alone says who holds it; whoever is not the first tries as well, only later and
/// less often, so nobody waits for a session that does not come. Each worker reckons with its own clock, from how long
/// others say they have waited. A word takes its time to arrive, so others seem to have come a little later than they
/// did: where two disagree, both go first.
///
/// A holder stands in the line until it lets go, or has been silent for long enough. Nothing is remembered of a key of
/// which nobody spoke lately.
///
/// *Thread safety*: loop only. *Complexity*: O(log n) in keys and O(n) in the sessions that wait for the same one.
class waiting_line {
   public:
    /// A waiter says that it waits at least so often.
    static constexpr std::chrono::milliseconds between_words{150};

    struct waiter {
        int session = 0;
        monotonic_time since{};
    };

    /// Somebody says that it wants the key.
    void enter(std::int64_t key, waiter who, monotonic_time now);

    /// The session has had its turn.
    void leave(std::int64_t key, int session) noexcept;

    /// How many others have said lately that they want the key, and have waited for longer.
    [[nodiscard]] std::ptrdiff_t ahead_of(std::int64_t key, waiter who, monotonic_time now) const;

    /// How long it lets others go first, from its last try or from the moment when the lock got free.
    [[nodiscard]] std::chrono::milliseconds courtesy(
        std::int64_t key, waiter who, monotonic_time now
    ) const;

    /// Since when the session has said that it waits; nothing, if it has not said so lately.
    [[nodiscard]] std::optional<monotonic_time> place_of(
        std::int64_t key, int session, monotonic_time now
    ) const;

    /// Whether another session has said lately that it wants the key.
    [[nodiscard]] bool is_wanted_by_others(std::int64_t key, int session, monotonic_time now) const;

    /// How many keys are remembered.
    [[nodiscard]] std::size_t size() const noexcept { return lines_.size(); }

   private:
    struct place {
        waiter who;
        monotonic_time said_at{};

        [[nodiscard]] bool is_taken(monotonic_time now) const noexcept;
    };

    using line = std::vector<place>;

    [[nodiscard]] const line& line_for(std::int64_t key) const;
    void forget_silent(monotonic_time now);

    std::map<std::int64_t, line> lines_;
    monotonic_time next_forgetting_{};
};

}  // namespace convene
