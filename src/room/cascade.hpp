// SPDX-License-Identifier: Apache-2.0
// A cascade: all that one caller's event causes in this process, counted so that the caller can wait for it.
#pragma once

#include "convene/room_kit.hpp"
#include "convene/wait.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace convene {

struct handed_over_event {
    room_id room;
    event_id id;
    event_index index;
};

/// Counts the work units of a cascade. A child is retained before its parent is released, so the count reaches
/// zero exactly once: when everything has run.
///
/// *Lifetime*: shared by the caller and by every entry and answer that belongs to it.
class cascade {
   public:
    /// One unit of work, released when it is destroyed.
    class unit {
       public:
        unit() = default;

        explicit unit(std::shared_ptr<cascade> of) : of_(std::move(of)) {
            if (of_) {
                ++of_->running_;
            }
        }

        unit(unit&& other) noexcept : of_(std::move(other.of_)) {}

        unit& operator=(unit&& other) noexcept {
            std::swap(of_, other.of_);
            return *this;
        }

        ~unit() {
            if (of_ && --of_->running_ == 0) {
                of_->done_.set();
            }
        }

        [[nodiscard]] const std::shared_ptr<cascade>& owner() const noexcept { return of_; }

       private:
        std::shared_ptr<cascade> of_;
    };

    [[nodiscard]] wait_flag& done() noexcept { return done_; }

    [[nodiscard]] std::size_t running() const noexcept { return running_; }

    /// What became of the targets of the caller's own event.
    std::vector<target_result> targets;

    /// The rest of the event's targets is not this worker's, or no longer: it goes on elsewhere or later, or another worker
    /// has made it.
    void hand_over(const room_event& event) {
        handed_over_.push_back({event.room, event.id, event.index});
    }

    [[nodiscard]] const std::vector<handed_over_event>& handed_over() const noexcept {
        return handed_over_;
    }

   private:
    std::size_t running_ = 0;
    wait_flag done_;
    std::vector<handed_over_event> handed_over_;
};

}  // namespace convene
