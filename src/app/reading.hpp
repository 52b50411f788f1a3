// SPDX-License-Identifier: Apache-2.0
// The frame of a command that only reads: loop, signals, a store opened beside the writer.
#pragma once

#include <memory>
#include <utility>

#include "app/command.hpp"
#include "app/database.hpp"
#include "app/interrupts.hpp"

namespace convene {

/// Runs `work(store)` on a loop until it ends or a signal asks it to; then closes the store.
/// `when_stopped` is how the program ends that was asked to; unset: as the signal says.
template <class Work>
[[nodiscard]] outcome<exit_code> run_reading(
    const command_context& with, Work work, std::optional<exit_code> when_stopped = std::nullopt
) {
    loop where;
    interrupts signals{where};
    auto store = open_for_reading(where, with.database);
    if (!store) {
        return store.error();
    }
    conversation_store* const open = store->get();
    outcome<exit_code> ended = where.run_until_done(cancelled_by(&signals.stop(), work(open)));
    where.run_until_done(open->close());
    if (const auto stopped = signals.stopped_by()) {
        return when_stopped.value_or(*stopped);
    }
    return ended;
}

}  // namespace convene
