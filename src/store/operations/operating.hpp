// SPDX-License-Identifier: Apache-2.0
// Store operations for operators: whether the store answers, replaying a skip; and changing an identity.
#pragma once

#include "convene/delivery.hpp"
#include "convene/room.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convene::ops {

/// The cheapest thing that shows that the store answers.
struct probe_store {
    struct found {
        std::int32_t schema_version = 0;  ///< of the layout; 0 for a store that has none
    };

    using answer = found;
};

/// Delivers after all what a skip passed over (D8): its rows for channels wait in the outbound queue, in the order of
/// indexes, those of agents and after-hooks are open again and nobody's, all under their delivery ids. What was
/// reachable only through a process that is gone stays skipped, and so does what was deleted for good. Once.
/// Call it under the room's lock and delivery claim. *Errors*: `not_found` (also for a room of another organisation).
struct replay_skip {
    struct outcome {
        bool is_replayed_before = false;  ///< nothing was done
        room_id room;
        std::vector<outbound_item> queued;
        std::int64_t reopened = 0;  ///< rows that are nobody's now
        std::int64_t left = 0;      ///< rows that stay skipped
    };

    using answer = outcome;
    organization_id organization;
    std::int64_t id = 0;
};

/// Changes what is set; metadata as in `update_room`. *Errors*: `not_found`, `invalid_argument` (a patch that is no
/// object).
struct update_identity {
    using answer = identity;
    organization_id organization;
    identity_id id;
    std::optional<std::string> display_name;
    std::optional<json_text> metadata_patch;
    std::vector<std::string> metadata_unset;
};

}  // namespace convene::ops
