// SPDX-License-Identifier: Apache-2.0
// What operators ask of a server: its lanes, its leases, its turns, and what its agents ask.
#pragma once

#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.hpp"
#include "app/remote/server_conversations.hpp"

namespace convene {

/// The body of an answer, or how the server refused while it was `doing` something.
[[nodiscard]] outcome<std::string> body_in(outcome<api_answer> answer, std::string_view doing);

/// A lane, of a server or of a database.
struct lane_report {
    room_id room;
    event_index delivered;
    event_index latest;
    std::optional<wall_time> paused_at;
};

/// Those that are stopped, or behind. *Errors*: those of `api_client::ask`, and how the server refused.
[[nodiscard]] awaitable<outcome<std::vector<lane_report>>> list_lanes(server_conversations* asked);

/// What a lane came to, as the server says it: canonical JSON. Not sent a second time where no answer comes.
/// *Errors*: as `list_lanes`.
[[nodiscard]] awaitable<outcome<std::string>> operate_lane(
    server_conversations* asked, room_id room, lanes_options how
);

struct lease_report {
    std::string name;
    std::string kind;
    std::string holder;  ///< the incarnation of the worker
    std::string host;    ///< of that worker
    bool is_of_answerer = false;
    std::string state;
    std::string purpose;
    double age_seconds = 0;
    std::int64_t waiters = 0;
};

/// *Errors*: as `list_lanes`.
[[nodiscard]] awaitable<outcome<std::vector<lease_report>>> list_leases(
    server_conversations* asked, lease_view view
);

/// What became of a release, as the server says it: canonical JSON. *Errors*: as `list_lanes`.
[[nodiscard]] awaitable<outcome<std::string>> release_lease(
    server_conversations* asked, leases_options how
);

/// A turn, of a server or of a database.
struct turn_report {
    std::string id;
    std::string session;  ///< its room
    std::string status;
    std::string reason;
    std::string worker;
    std::int64_t attempts = 0;
    double age_seconds = 0;
    std::string json;  ///< all of it, canonical
};

/// Nothing if it is none.
[[nodiscard]] std::optional<turn_report> read_turn(std::string json);

/// Newest first. An empty status: all. *Errors*: as `list_lanes`.
[[nodiscard]] awaitable<outcome<std::vector<turn_report>>> list_turns(
    server_conversations* asked, std::string status
);

/// The turn, as the server says it: canonical JSON. *Errors*: as `list_lanes`.
[[nodiscard]] awaitable<outcome<std::string>> retry_turn(
    server_conversations* asked, turns_options how
);

struct approval_report {
    std::string id;
    std::string room;
    std::string kind;
    std::string title;
    std::string description;
    std::string status;
    std::optional<wall_time> expires_at;
    std::string as_told;  ///< canonical JSON, as the server has it
};

/// Which approvals are listed; what is empty does not matter.
struct approval_filter {
    std::string status;
    std::string room;
};

/// All of them, the last one first. *Errors*: as `list_lanes`.
[[nodiscard]] awaitable<outcome<std::vector<approval_report>>> list_approvals(
    server_conversations* asked, approval_filter which
);

/// The approval as it is from then on: canonical JSON. Not sent a second time where no answer comes: somebody may have decided
/// meanwhile. *Errors*: as `list_lanes`.
[[nodiscard]] awaitable<outcome<std::string>> decide_approval(
    server_conversations* asked, approvals_options how
);

}  // namespace convene
