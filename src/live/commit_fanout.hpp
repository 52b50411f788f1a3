// SPDX-License-Identifier: Apache-2.0
// Several listeners for the commits of one kit.
#pragma once

#include "convene/room_kit.hpp"

#include <vector>

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: outlives the kit; listeners are added before it starts and outlive it too.
class commit_fanout final : public commit_listener {
   public:
    void add(commit_listener* listener) { listeners_.push_back(listener); }

    void committed(
        const std::shared_ptr<const room_context>& around, const std::vector<room_event>& events
    ) noexcept override {
        for (commit_listener* const listener : listeners_) {
            listener->committed(around, events);
        }
    }

    void erased(const room_id& room, const std::vector<event_id>& events) noexcept override {
        for (commit_listener* const listener : listeners_) {
            listener->erased(room, events);
        }
    }

   private:
    std::vector<commit_listener*> listeners_;
};

}  // namespace convene
