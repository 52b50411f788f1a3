// SPDX-License-Identifier: Apache-2.0
// The frame of a command that only asks: loop, signals, and what it asks, opened and closed around its work.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "app/command.hpp"
#include "app/interrupts.hpp"
#include "app/opening.hpp"

namespace convene {

/// Runs `work(opened)` on a loop until it ends or a signal asks it to; then closes what `open(loop)` gave.
/// `when_stopped` is how the program ends that was asked to; unset: as the signal says.
template <class Open, class Work>
[[nodiscard]] outcome<exit_code> run_asking(
    Open open, Work work, std::optional<exit_code> when_stopped = std::nullopt
) {
    loop where;
    interrupts signals{where};
    auto opened = open(where);
    if (!opened) {
        return opened.error();
    }
    auto* const asked = opened->get();
    outcome<exit_code> ended = where.run_until_done(cancelled_by(&signals.stop(), work(asked)));
    where.run_until_done(asked->close());
    if (const auto stopped = signals.stopped_by()) {
        return when_stopped.value_or(*stopped);
    }
    return ended;
}

/// The same with the conversations of the command's database or server.
template <class Work>
[[nodiscard]] outcome<exit_code> run_reading(
    const command_context& with, Work work, std::optional<exit_code> when_stopped = std::nullopt
) {
    const auto open = [&with](loop& where) { return open_reader(where, with); };
    return run_asking(open, std::move(work), when_stopped);
}

}  // namespace convene
