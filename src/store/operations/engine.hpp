// SPDX-License-Identifier: Apache-2.0
// Store operations on the engine's own records: workers, framework events, figures.
#pragma once

#include "convene/delivery.hpp"
#include "convene/ids.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace convene::ops {

enum class worker_state : std::uint8_t { live = 1, draining = 2, dead = 3 };

struct worker_row {
    incarnation_id incarnation;
    worker_state state = worker_state::live;
    std::string host;
    std::string version;
    std::int32_t format = 1;  ///< of the plans that it writes, and the newest that it reads
    wall_time started_at{};

    friend bool operator==(const worker_row&, const worker_row&) = default;
};

/// *Errors*: `already_exists`.
struct register_worker {
    using answer = worker_row;
    worker_row worker;
};

/// *Errors*: `not_found`. A dead worker stays dead: `invalid_argument`.
struct set_worker_state {
    using answer = std::monostate;
    incarnation_id incarnation;
    worker_state state = worker_state::live;
};

struct list_workers {
    using answer = std::vector<worker_row>;
};

/// Stores notices outside a commit. Answers the last sequence.
struct append_notices {
    using answer = std::int64_t;
    std::vector<framework_event> notices;
};

/// Framework events after `after`, ascending.
struct list_notices {
    using answer = std::vector<framework_event>;
    std::int64_t after = 0;
    std::size_t limit = 100;
};

/// How far a named subscriber has got; 0 for a new one.
struct get_subscription {
    using answer = std::int64_t;
    std::string name;
};

/// Moves a subscriber forward, never back.
struct put_subscription {
    using answer = std::monostate;
    std::string name;
    std::int64_t sequence = 0;
};

struct store_figures {
    std::int64_t rooms = 0;
    std::int64_t events = 0;
    std::int64_t pending_deliveries = 0;
    std::int64_t outbound_waiting = 0;
    std::int64_t skips = 0;
    std::int64_t duplicate_rows = 0;
    bool index_is_unique = true;
    std::int32_t schema_version = 0;
};

/// Figures for `doctor` and metrics; may scan.
struct read_figures {
    using answer = store_figures;
};

}  // namespace convene::ops
