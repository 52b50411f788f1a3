// SPDX-License-Identifier: Apache-2.0
// What a session's driver adds to a room's commit: statements of the same transaction, in the same round trip.
#pragma once

#include "convene/error.hpp"
#include "convene/time.hpp"

#include "postgres/request.hpp"
#include "store/operations/timeline.hpp"

namespace convene::postgres {

/// What can be seen without the database. *Errors*: `invalid_argument` (a delta that is no object), `driver_fenced` (of
/// two epochs one is another's).
[[nodiscard]] result<> check_driver(const ops::commit& batch);

/// Compares the epoch and moves sequence and state. *Requires*: `check_driver`; nothing was added before: the session's
/// row is locked before everything else, shared state behind it and only where it changes.
void add_driver(request* sent, const ops::commit& batch, wall_time now);

/// To be added behind the write.
void add_consumed_turns(request* sent, const ops::commit& batch);

}  // namespace convene::postgres
