// SPDX-License-Identifier: Apache-2.0
// The figures of agent sessions for `/metrics`: docs/operating.md.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/room_kit.hpp"

#include "agent/session/run_feed.hpp"
#include "agent/session/run_log.hpp"
#include "agent/session/session_service.hpp"
#include "http/request_metrics.hpp"

namespace convene {

/// Owns none of them; they outlive the call.
struct session_figure_sources {
    room_kit* kit = nullptr;
    const session_service* sessions = nullptr;
    const run_log* streams = nullptr;
    const run_feeds* feeds = nullptr;
};

/// What only the store knows is left out where it does not answer in time.
[[nodiscard]] awaitable<void> write_session_figures(metrics_text* out, session_figure_sources from);

}  // namespace convene
