// SPDX-License-Identifier: Apache-2.0
// Refusals that are stored: every rule of the engine that blocks an event, and how the event shows
// it.
#pragma once

#include "convene/event.hpp"

#include <string>
#include <string_view>

namespace convene {

/// A rule of the engine. Both words are frozen: they are stored.
struct block_rule {
    std::string_view name;    ///< `blocked_by`
    std::string_view reason;  ///< `block_reason`
};

namespace block_rules {

// R10, write permission of the source's binding.
inline constexpr block_rule source_not_bound{"write_permission", "source_not_bound"};
inline constexpr block_rule source_muted{"write_permission", "source_muted"};
inline constexpr block_rule source_read_only{"write_permission", "source_read_only"};

// R11, limits of what one event may cause.
inline constexpr block_rule chain_depth{"chain_depth", "chain_depth_limit"};
inline constexpr block_rule cascade_budget{"cascade_budget", "cascade_budget_exceeded"};

}  // namespace block_rules

/// Reasons of blocks by a hook, whose id is then `blocked_by`.
namespace hook_block_reasons {

inline constexpr std::string_view unnamed = "blocked_by_hook";  ///< it gave no usable word of its
                                                                ///< own
inline constexpr std::string_view failed = "hook_failed";       ///< it failed closed
inline constexpr std::string_view crashed = "hook_crashed";  ///< it killed its worker three times

}  // namespace hook_block_reasons

/// Takes the event out of the conversation. It is stored with the reason and never shown.
inline void block(room_event* event, std::string_view by, std::string_view reason) {
    event->status = event_status::blocked;
    event->blocked_by = std::string{by};
    event->block_reason = std::string{reason};
}

inline void block(room_event* event, const block_rule& rule) {
    block(event, rule.name, rule.reason);
}

}  // namespace convene
