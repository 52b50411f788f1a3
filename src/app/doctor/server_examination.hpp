// SPDX-License-Identifier: Apache-2.0
// What `doctor` finds about a server that it asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/doctor/examination.hpp"
#include "app/failure.hpp"

namespace convene {

/// Everything that the verdicts are made from; what could not be asked is unset.
struct server_facts {
    struct lane_totals {
        std::int64_t waiting = 0;  ///< events that are committed and not delivered
        std::int64_t
            unclaimed = 0;  ///< those of rooms that the worker that answered does not deliver
    };

    std::string url;
    std::string own_version;
    std::optional<failure> unreachable;
    bool is_ready = false;
    std::string version;
    std::optional<failure> unknown_token;
    std::string organization;            ///< whose rooms the token leads to
    std::optional<failure> no_operator;  ///< why what follows could not be asked
    std::optional<std::int64_t> live_workers;
    std::optional<lane_totals> lanes;
    std::optional<bool> has_skips;
};

[[nodiscard]] std::vector<check_result> judge(const server_facts& facts);

}  // namespace convene
