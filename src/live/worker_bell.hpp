// SPDX-License-Identifier: Apache-2.0
// The bell of lanes, over the bus between workers.
#pragma once

#include "convene/room_kit.hpp"

#include "live/worker_bus.hpp"

namespace convene {

/// Silent until it is connected: a kit is made before its bus is.
///
/// *Thread safety*: loop only. *Lifetime*: outlives the kit; the bus outlives what is rung.
class worker_bell final : public lane_bell {
   public:
    void connect(worker_bus* bus) noexcept { bus_ = bus; }

    [[nodiscard]] bool is_connected() const noexcept override {
        return bus_ != nullptr && bus_->is_connected();
    }

    void ring(
        const organization_id& organization, const room_id& room, const incarnation_id& worker
    ) noexcept override {
        if (bus_ != nullptr) {
            bus_->publish({room_news_kind::deliveries, organization, room, {worker.str()}});
        }
    }

   private:
    worker_bus* bus_ = nullptr;
};

}  // namespace convene
