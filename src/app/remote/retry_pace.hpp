// SPDX-License-Identifier: Apache-2.0
// How long to wait before a server is asked again, and when to give up.
#pragma once

#include "convene/random.hpp"
#include "convene/time.hpp"

#include <optional>

namespace convene {

/// Waits double from one failure to the next, up to a limit, and each is drawn from its upper half, so that those
/// who were cut off together do not come back together. The patience begins with the first failure after a success.
class retry_pace {
   public:
    explicit retry_pace(milliseconds patience) : patience_(patience) {}

    void succeeded() noexcept;

    /// A try failed; `at_least` is what the server asks for. Answers how long to wait, or nothing when the patience
    /// would be over by then.
    [[nodiscard]] std::optional<milliseconds> failed(
        monotonic_time now, milliseconds at_least, random_source& random
    );

   private:
    milliseconds patience_;
    std::optional<monotonic_time> first_failure_;
    int failures_ = 0;
};

}  // namespace convene
