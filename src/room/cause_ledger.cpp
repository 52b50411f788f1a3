// SPDX-License-Identifier: Apache-2.0
// Cause ledger: half of what is left, each time.
#include "room/cause_ledger.hpp"

namespace convene {

std::int32_t cause_ledger::take(const event_cause& cause) {
    const auto [known, is_new] = left_.try_emplace(cause.call, cause.budget);
    std::int32_t& left = known->second;
    if (is_new) {
        oldest_first_.push_back(cause.call);
    }
    std::int32_t part = -1;
    if (left >= 1) {
        part = (left - 1) / 2;
        left -= part + 1;
    }
    if (oldest_first_.size() > max_calls) {
        left_.erase(oldest_first_.front());
        oldest_first_.pop_front();
    }
    return part;
}

}  // namespace convene
