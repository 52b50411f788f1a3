// SPDX-License-Identifier: Apache-2.0
// Remembers for a moment who is behind a credential, so that not every request asks the store.
#pragma once

#include "convene/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "access/signed_in.hpp"

namespace convene {

/// What was read before a change of this process is never remembered after it: whoever reads takes the
/// `generation` first and gives it to `put`.
///
/// *Thread safety*: loop only.
class signed_in_cache {
   public:
    explicit signed_in_cache(std::chrono::nanoseconds lifetime, std::size_t capacity = 10'000)
        : lifetime_(lifetime), capacity_(capacity) {}

    /// Null if it is not known (any more). Valid until the next call that is not const.
    [[nodiscard]] const signed_in* find(const secret_hash& credential, monotonic_time now) const;

    /// Dropped if something was changed since `generation`. `read_at` is from before the store was asked.
    void put(const signed_in& who, std::uint64_t generation, monotonic_time read_at);

    /// Something changed: nothing that was read before counts any more.
    void forget_all() noexcept;

    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

   private:
    struct entry {
        signed_in who;
        monotonic_time until;
    };

    const std::chrono::nanoseconds lifetime_;
    const std::size_t capacity_;

    std::unordered_map<secret_hash, entry> entries_;
    std::uint64_t generation_ = 0;
};

}  // namespace convene
