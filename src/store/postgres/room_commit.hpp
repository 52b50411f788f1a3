// SPDX-License-Identifier: Apache-2.0
// The path that every message takes on PostgreSQL: two round trips on the connection that holds the room's lock
// (engine.md 1).
#pragma once

#include "convene/time.hpp"

#include <optional>
#include <vector>

#include "postgres/request.hpp"
#include "store/store.hpp"

namespace convene::postgres {

/// What is read in the round trip that takes the lock, once it is granted. `now`: unset, the database's.
[[nodiscard]] request head_request(
    const ops::load_room_head& wanted, std::optional<wall_time> now = std::nullopt
);

struct room_head {
    ops::load_room_head::answer head;
    wall_time read_at{};  ///< by the database's clock
};

/// *Errors*: `not_found`, `corrupt_data`, what a statement failed with.
[[nodiscard]] result<room_head> read_head(
    const ops::load_room_head& wanted, std::vector<answer>* answers
);

/// Whether a batch fits together: its indexes follow `expected_next` one after the other, and what stands beside the events
/// belongs to them and to the room. *Errors*: `duplicate_index`, `invalid_argument`.
[[nodiscard]] result<> check_shape(const ops::commit& batch);

/// What a commit sends: one group that stores all of it or nothing.
/// *Requires*: `check_shape` found nothing.
[[nodiscard]] request commit_request(
    const ops::commit& batch, const room& decided_in, wall_time now
);

/// The same, and then, once that is visible, the lock is given back.
void add_unlock(request* sent, std::int64_t key);

/// Why a commit's group was not stored; empty if it was.
[[nodiscard]] error_code refusal_in(const std::vector<answer>& answers);

}  // namespace convene::postgres
