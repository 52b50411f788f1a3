// SPDX-License-Identifier: Apache-2.0
// Counts the allocations of a benchmark: include it in exactly one source file of the program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace convene {

inline std::atomic<std::uint64_t> allocations_so_far{0};

[[nodiscard]] inline std::uint64_t allocation_count() noexcept {
    return allocations_so_far.load(std::memory_order_relaxed);
}

}  // namespace convene

void* operator new(std::size_t size) {
    convene::allocations_so_far.fetch_add(1, std::memory_order_relaxed);
    if (void* got = std::malloc(size)) {
        return got;
    }
    throw std::bad_alloc{};
}

void operator delete(void* given) noexcept { std::free(given); }

void operator delete(void* given, std::size_t) noexcept { std::free(given); }
