// SPDX-License-Identifier: Apache-2.0
// Connection board: one page of counters.
#include "net/connection_board.hpp"

#include <algorithm>
#include <memory>
#include <sys/mman.h>

#include "base/assert.hpp"

namespace convene {

namespace {

/// Differences that are not worth a moment's wait.
constexpr std::uint64_t noticeable = 4;

using counter = std::atomic<std::uint64_t>;

}  // namespace

connection_board::connection_board(std::size_t processes) {
    void* const shared = ::mmap(
        nullptr,
        processes * sizeof(counter),
        PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS,
        -1,
        0
    );
    CONVENE_ASSERT(shared != MAP_FAILED, "a program that begins has a page of memory");
    auto* const first = static_cast<counter*>(shared);
    std::uninitialized_value_construct_n(first, processes);
    counts_ = {first, processes};
}

connection_board::~connection_board() { ::munmap(counts_.data(), counts_.size_bytes()); }

bool connection_board::has_more_than_others(std::size_t process) const noexcept {
    std::uint64_t fewest = UINT64_MAX;
    for (const counter& count : counts_) {
        fewest = std::min(fewest, count.load(std::memory_order_relaxed));
    }
    return counts_[process].load(std::memory_order_relaxed) > fewest + noticeable;
}

}  // namespace convene
