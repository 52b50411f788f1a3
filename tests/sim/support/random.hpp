// SPDX-License-Identifier: Apache-2.0
// The randomness of a simulation: one seed, from which everything that differs between runs is drawn.
#pragma once

#include "convene/random.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace convene {

/// How often something happens.
struct per_mille {
    std::uint32_t value = 0;
};

/// A small generator (SplitMix64). Equal seeds give equal numbers on every machine.
class sim_random final : public random_source {
   public:
    explicit sim_random(std::uint64_t seed) noexcept : state_(seed) {}

    void fill(std::span<std::uint8_t> bytes) override;

    [[nodiscard]] std::uint64_t next() noexcept;

    [[nodiscard]] bool happens(per_mille often) noexcept { return next() % 1000 < often.value; }

    /// Uniform in [0, size). *Requires*: `size` is not 0.
    [[nodiscard]] std::size_t index(std::size_t size) noexcept { return next() % size; }

    /// Uniform in [low, high].
    [[nodiscard]] int between(int low, int high) noexcept;
    [[nodiscard]] std::chrono::nanoseconds between(
        std::chrono::nanoseconds low, std::chrono::nanoseconds high
    ) noexcept;

    /// In [low, high], mostly near `low`: latencies and pauses are like that.
    [[nodiscard]] std::chrono::nanoseconds skewed(
        std::chrono::nanoseconds low, std::chrono::nanoseconds high
    ) noexcept;

    /// An independent generator, so that what one part draws does not shift what another part gets.
    [[nodiscard]] sim_random fork() noexcept { return sim_random{next()}; }

   private:
    std::uint64_t state_;
};

}  // namespace convene
