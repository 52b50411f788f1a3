// SPDX-License-Identifier: Apache-2.0
// A destination: what circuit breakers, rate limits and the outbound queue keep apart.
#pragma once

#include "convene/delivery.hpp"
#include "convene/time.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

namespace convene {

/// Where deliveries go: an address of a channel, or the channel itself.
struct destination {
    channel_id channel;
    std::string address;

    friend auto operator<=>(const destination&, const destination&) = default;
};

[[nodiscard]] inline destination destination_of(const delivery_row& row) {
    return {row.channel, row.address};
}

/// What is remembered about destinations. An entry that says it is idle is dropped sooner or later,
/// so the size follows what is in use, not what was ever used. Entries stay where they are until
/// then.
///
/// *Thread safety*: loop only. *Complexity*: logarithmic, amortised.
template <class Entry>
class destination_map {
   public:
    /// Null if nothing is remembered.
    [[nodiscard]] const Entry* find(const destination& to) const {
        const auto found = entries_.find(to);
        return found == entries_.end() ? nullptr : &found->second;
    }

    /// The entry, made if need be. Idle ones may be dropped here, never the one that is asked for.
    [[nodiscard]] Entry& at(const destination& to, monotonic_time now) {
        if (entries_.size() >= sweep_size_) {
            drop_idle(now);
        }
        return entries_[to];
    }

    [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

    [[nodiscard]] auto begin() const noexcept { return entries_.begin(); }

    [[nodiscard]] auto end() const noexcept { return entries_.end(); }

   private:
    void drop_idle(monotonic_time now) {
        std::erase_if(entries_, [now](const auto& entry) { return entry.second.is_idle(now); });
        // Sweeping again only after the map has doubled spreads the cost over what was added.
        sweep_size_ = std::max(smallest_sweep, 2 * entries_.size());
    }

    static constexpr std::size_t smallest_sweep = 64;

    std::map<destination, Entry> entries_;
    std::size_t sweep_size_ = smallest_sweep;
};

}  // namespace convene
