// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as a request to stop: the first one is obeyed in order, the second at once.
#pragma once

#include "convene/cancellation.hpp"
#include "convene/loop.hpp"

#include <memory>
#include <optional>

#include "app/exit_code.hpp"

namespace convene {

/// Receives the signals on a thread of its own, since a handler may do next to nothing.
///
/// *Lifetime*: made before any other thread, so that all of them leave the signals alone; ends after them and
/// before the loop.
class interrupts {
   public:
    explicit interrupts(loop& where);
    ~interrupts();
    interrupts(const interrupts&) = delete;
    interrupts& operator=(const interrupts&) = delete;

    /// Requested by the first signal. *Thread safety*: loop only.
    [[nodiscard]] cancel_source& stop() noexcept;

    /// How a program ends that was stopped; unset while it was not. *Thread safety*: loop only.
    [[nodiscard]] std::optional<exit_code> stopped_by() const noexcept;

   private:
    class implementation;
    std::unique_ptr<implementation> impl_;
};

}  // namespace convene
