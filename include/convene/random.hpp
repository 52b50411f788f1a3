// SPDX-License-Identifier: Apache-2.0
// The random port: ids and jitter come from here, so that a simulation can replay them.
#pragma once

#include <cstdint>
#include <span>

namespace convene {

/// A source of random bytes. *Thread safety*: loop only, except `system_random()`, which any thread may use.
class random_source {
   public:
    virtual ~random_source() = default;
    virtual void fill(std::span<std::uint8_t> bytes) = 0;

    /// Uniform in [0, bound); `bound` is at least 1.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound);
};

/// `getrandom(2)`. The object lives for the whole process.
[[nodiscard]] random_source& system_random();

}  // namespace convene
