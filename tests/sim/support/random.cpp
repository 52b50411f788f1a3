// SPDX-License-Identifier: Apache-2.0
// The generator of a simulation.
#include "sim/support/random.hpp"

namespace convene {

void sim_random::fill(std::span<std::uint8_t> bytes) {
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(next() >> 56U);
    }
}

std::uint64_t sim_random::next() noexcept {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
}

int sim_random::between(int low, int high) noexcept {
    const auto width = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<int>(next() % width);
}

std::chrono::nanoseconds sim_random::between(
    std::chrono::nanoseconds low, std::chrono::nanoseconds high
) noexcept {
    const auto width = static_cast<std::uint64_t>((high - low).count()) + 1;
    return low + std::chrono::nanoseconds{static_cast<std::int64_t>(next() % width)};
}

std::chrono::nanoseconds sim_random::skewed(
    std::chrono::nanoseconds low, std::chrono::nanoseconds high
) noexcept {
    // The smallest of three draws.
    const std::chrono::nanoseconds first = between(low, high);
    const std::chrono::nanoseconds second = between(low, first);
    return between(low, second);
}

}  // namespace convene
