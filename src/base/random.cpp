// SPDX-License-Identifier: Apache-2.0
// The random port: the kernel's generator, and unbiased numbers from any source.
#include "convene/random.hpp"

#include <array>
#include <cerrno>
#include <sys/random.h>

#include "base/assert.hpp"

namespace convene {

namespace {

class kernel_random final : public random_source {
   public:
    void fill(std::span<std::uint8_t> bytes) override {
        while (!bytes.empty()) {
            const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
            // Long requests can be cut by a signal. Nothing else fails on a kernel that runs us,
            // and without randomness ids would repeat.
            CONVENE_ASSERT(got > 0 || errno == EINTR, "getrandom failed");
            if (got > 0) {
                bytes = bytes.subspan(static_cast<std::size_t>(got));
            }
        }
    }
};

/// Big endian, so that a recorded seed gives the same numbers on every machine.
std::uint64_t draw(random_source& source) {
    std::array<std::uint8_t, 8> bytes{};
    source.fill(bytes);
    std::uint64_t value = 0;
    for (const std::uint8_t byte : bytes) {
        value = (value << 8U) | byte;
    }
    return value;
}

}  // namespace

std::uint64_t random_source::below(std::uint64_t bound) {
    CONVENE_ASSERT(bound >= 1, "random_source::below needs a bound of at least 1");
    // The lowest 2^64 mod bound draws would make small results likelier: they are drawn again. Each
    // try succeeds with a chance above one half; the limit is for test sources that repeat one
    // value.
    constexpr int max_tries = 64;
    const std::uint64_t biased = (std::uint64_t{0} - bound) % bound;
    std::uint64_t value = draw(*this);
    for (int tries = 1; value < biased && tries < max_tries; ++tries) {
        value = draw(*this);
    }
    return value % bound;
}

random_source& system_random() {
    static kernel_random source;
    return source;
}

}  // namespace convene
