// SPDX-License-Identifier: Apache-2.0
// The tool with which a session's agent has itself woken later (N1).
#pragma once

#include "convene/ids.hpp"
#include "convene/tool.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace convene {

class room_kit;

/// How far ahead: a year. The schema of the tool says the same.
inline constexpr std::int64_t longest_wake_seconds = std::int64_t{365} * 24 * 3600;

/// Wakes that follow each other while nobody says anything: an agent that only talks to itself comes to an end.
inline constexpr std::int32_t most_wakes_in_a_row = 100;

/// Which run the tool is of.
struct wake_place {
    room_kit* kit = nullptr;  ///< outlives the tool
    organization_id organization;
    room_id room;
    std::int64_t epoch = 0;           ///< a driver that was fenced schedules nothing
    std::string acting_for;           ///< by whose right the run acts, and the one that is woken
    std::int32_t wakes_in_a_row = 0;  ///< as of `turn_order`
};

/// `wake_me`. What it schedules stays, whatever becomes of the run.
[[nodiscard]] std::shared_ptr<tool> make_wake_tool(wake_place of);

}  // namespace convene
