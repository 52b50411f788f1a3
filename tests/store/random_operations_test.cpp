// SPDX-License-Identifier: Apache-2.0
// Every persistent store answers random operations, with restarts in between, as the memory store
// does.
#include "store/random_operations.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "store/memory_harness.hpp"
#include "store/store_harness.hpp"

namespace convene {

namespace {

constexpr int blocks = 8;
constexpr std::uint64_t sequences_per_block = 25;
constexpr int operations_per_sequence = 60;

class RandomOperations : public testing::TestWithParam<std::tuple<store_kind, int>> {
   protected:
    /// The seeds of this block; or the one in `CONVENE_SEED`, in the first block, to repeat a
    /// failure.
    static std::vector<std::uint64_t> seeds_of(int block) {
        std::vector<std::uint64_t> seeds;
        // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes the environment
        if (const char* const wanted = std::getenv("CONVENE_SEED")) {
            if (block == 0) {
                seeds.push_back(std::strtoull(wanted, nullptr, 10));
            }
            return seeds;
        }
        const std::uint64_t first = static_cast<std::uint64_t>(block) * sequences_per_block + 1;
        for (std::uint64_t i = 0; i < sequences_per_block; ++i) {
            seeds.push_back(first + i);
        }
        return seeds;
    }

    /// How the stores differed; empty if they agreed to the end.
    static std::string difference_under(std::uint64_t seed, const store_kind& kind) {
        memory_harness oracle;
        const std::unique_ptr<store_harness> tested = kind.open();
        random_operations operations{oracle, *tested, seed};
        for (int i = 0; i < operations_per_sequence && operations.difference().empty(); ++i) {
            operations.step();
        }
        operations.compare_dumps();
        return operations.difference();
    }
};

INSTANTIATE_TEST_SUITE_P(
    Persistent,
    RandomOperations,
    testing::Combine(testing::ValuesIn(persistent_stores()), testing::Range(0, blocks)),
    [](const testing::TestParamInfo<RandomOperations::ParamType>& info) {
        return std::get<0>(info.param).name + std::to_string(std::get<1>(info.param));
    }
);

// Whatever is asked in whatever order, wrongly or rightly, before and after restarts: all answers
// are the memory store's, and at the end both hold the same.
// Proves: S1, R1, R2, R3, R8, D3
TEST_P(RandomOperations, AreAnsweredAsByTheMemoryStore) {
    const auto& [kind, block] = GetParam();
    for (const std::uint64_t seed : seeds_of(block)) {
        const std::string difference = difference_under(seed, kind);
        ASSERT_TRUE(difference.empty()) << "repeat with CONVENE_SEED=" << seed << "\n"
                                        << difference;
    }
}

}  // namespace

}  // namespace convene
