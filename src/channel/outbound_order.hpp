// SPDX-License-Identifier: Apache-2.0
// The destinations that have items in the outbound queue: a later delivery queues behind them.
#pragma once

#include "convene/awaitable.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "channel/destination.hpp"
#include "store/operations/deliveries.hpp"

namespace convene {

class conversation_store;

/// What this process knows about the queue. It may list a destination that is drained already,
/// which costs a detour; after `refresh` it does not miss one that was there when `refresh` was
/// called.
///
/// Only the store's list takes a destination out. Nobody can count that here: the items that leave
/// may be other workers', of which this one was never told, and its own still wait behind them.
///
/// Refresh it at the start, and learn of a room before its next set where that is in doubt: when the room
/// comes from another worker, whose items are not known here, and when items of it may have been stored
/// without an answer. *Thread safety*: loop only. *Lifetime*: the store outlives it.
class outbound_order {
   public:
    explicit outbound_order(conversation_store& store) : store_(store) {}

    outbound_order(const outbound_order&) = delete;
    outbound_order& operator=(const outbound_order&) = delete;

    /// Reads the queue's destinations. What is added here meanwhile is kept.
    /// *Errors*: the store's; nothing was changed.
    [[nodiscard]] awaitable<result<>> refresh();

    /// Reads those where items of one room wait, however many others do. *Errors*: as `refresh`.
    [[nodiscard]] awaitable<result<>> learn(room_id room);

    [[nodiscard]] bool is_waiting(const destination& to) const { return lines_.contains(to); }

    /// There may be items of a room that nobody told it of; `learn` settles it.
    void doubt(const room_id& room) { doubted_[room] = ++moments_; }

    [[nodiscard]] bool is_in_doubt(const room_id& room) const { return doubted_.contains(room); }

    /// An item was stored for `to`.
    void added(const destination& to);

    /// The destinations in order, with how many items wait for each at most.
    [[nodiscard]] std::vector<std::pair<destination, std::int64_t>> waiting() const;

    [[nodiscard]] std::size_t size() const noexcept { return lines_.size(); }

   private:
    void take(const ops::list_outbound_addresses::answer& listed, std::uint64_t asked_at);

    struct line {
        std::int64_t waiting = 0;
        std::uint64_t
            known_at = 0;  ///< when its last item was added, or the list with it asked for
    };

    // fixed after construction
    conversation_store& store_;

    // touched on the loop only
    std::map<destination, line> lines_;
    std::uint64_t moments_ = 0;  ///< orders what is added, asked and doubted
    std::map<room_id, std::uint64_t> doubted_;
};

}  // namespace convene
