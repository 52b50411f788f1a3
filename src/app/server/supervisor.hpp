// SPDX-License-Identifier: Apache-2.0
// Several workers as processes of one command: started, replaced when they end, and stopped together.
#pragma once

#include <cstddef>
#include <functional>

#include "app/failure.hpp"

namespace convene {

/// Which start of which worker this is.
struct worker_start {
    std::size_t number = 0;   ///< of the worker, from 0
    std::size_t attempt = 0;  ///< how often it was started before
};

/// Runs `work` in a process of its own and waits for its end, so that what it opens leaves nothing here.
/// *Requires*: as `supervise`.
[[nodiscard]] exit_code run_apart(const std::function<exit_code()>& work);

/// Forks `workers` processes that each run `work` and end with what it answers. One that ends although nobody stopped
/// it is started again, after a pause that doubles from 0.2 s to 30 s while it does not live for 10 s.
///
/// A worker that ends by itself before it served, because of its settings or of the database, ends all: the others would
/// meet the same. SIGINT and SIGTERM are passed on to all; this process ends when they have.
/// *Requires*: no thread, loop or connection exists yet. In each worker the signals are as before the call.
[[nodiscard]] exit_code supervise(
    std::size_t workers, const std::function<exit_code(worker_start)>& work
);

}  // namespace convene
