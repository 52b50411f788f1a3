// SPDX-License-Identifier: Apache-2.0
// The cache of credentials: short-lived, bounded, and emptied by every change.
#include "access/signed_in_cache.hpp"

namespace convene {

const signed_in* signed_in_cache::find(const secret_hash& credential, monotonic_time now) const {
    const auto known = entries_.find(credential);
    const bool is_fresh = known != entries_.end() && now < known->second.until;
    return is_fresh ? &known->second.who : nullptr;
}

void signed_in_cache::put(const signed_in& who, std::uint64_t generation, monotonic_time read_at) {
    if (generation != generation_) {
        return;
    }
    if (entries_.size() >= capacity_) {
        std::erase_if(entries_, [read_at](const auto& item) {
            return item.second.until <= read_at;
        });
    }
    if (entries_.size() >= capacity_) {
        entries_.clear();
    }
    entries_.insert_or_assign(who.credential, entry{who, read_at + lifetime_});
}

void signed_in_cache::forget_all() noexcept {
    ++generation_;
    entries_.clear();
}

}  // namespace convene
