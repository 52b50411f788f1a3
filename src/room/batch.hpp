// SPDX-License-Identifier: Apache-2.0
// A batch: what a writer decides under one tenure of the room lock, and the commit made of it.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "room/gates.hpp"
#include "room/submission.hpp"
#include "store/store.hpp"

namespace convene {

/// An event that was decided, on its way into the commit and then into the lane.
struct decided_event {
    room_event event;
    std::vector<delivery_row> rows;
    origin from = origin::sent;
    std::shared_ptr<submission> asked_by;  ///< the trigger's submission; null for injected events
    std::shared_ptr<cascade> caused;
    std::vector<room_id> chain;
    bool is_left_to_other = false;  ///< the rows are of the worker that delivers the room now
};

/// A sender whose event has the key of one that is decided and not committed yet.
struct repeated_event {
    std::shared_ptr<submission> asked_by;
    event_id first;
};

/// One tenure's work. Events before `flushed` are committed.
class batch {
   public:
    explicit batch(room_tenure entered) : tenure(std::move(entered)) {}

    room_tenure tenure;
    std::vector<std::shared_ptr<submission>> submissions;
    std::vector<room_event> referenced;  ///< thread parents and edit targets that exist
    std::vector<room_event>
        decided;  ///< all events of this tenure, committed or not, in index order
    std::vector<framework_event> refusals;  ///< notices of what stored nothing
    std::vector<repeated_event> repeats;    ///< answered once their firsts are stored, never before

    /// The index the next decided event gets.
    [[nodiscard]] event_index next_index() const noexcept {
        return event_index{
            tenure.head.room.next_index.value() + static_cast<std::int64_t>(pending_.size())
        };
    }

    /// The members that are not answered are decided later: the remote hooks must be asked about the first of them,
    /// or a serial hook has held the lock long enough.
    bool is_cut_short = false;

    [[nodiscard]] bool has_pending() const noexcept { return !pending_.empty(); }

    [[nodiscard]] std::vector<decided_event>& pending() noexcept { return pending_; }

    [[nodiscard]] bool is_pending(const event_id& id) const noexcept;

    /// Adds an event with its index set and all that is stored beside it.
    void add(decided_event next, conclusion concluded, const proposal& proposed);

    /// True if a sender left meanwhile: the indexes behind it would shift, so the batch is decided again.
    [[nodiscard]] bool has_withdrawn() const noexcept;

    /// The commit of everything pending.
    [[nodiscard]] ops::commit make_commit(const room_context& context) const;

    /// The commit is visible: the room row is brought up to date and nothing is pending any more.
    [[nodiscard]] std::vector<decided_event> take_committed(wall_time committed_at);

   private:
    std::vector<decided_event> pending_;
    ops::commit
        extras_;  ///< what is stored beside the events: changes, keys, tasks, notices, guards
};

}  // namespace convene
