// SPDX-License-Identifier: Apache-2.0
// Changing conversations through the engine of this process.
#pragma once

#include "convene/room_kit.hpp"

#include <vector>

#include "app/conversations.hpp"

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: the kit outlives it.
class kit_writer final : public conversation_writer {
   public:
    kit_writer(room_kit& kit, organization_id organization)
        : kit_(kit), organization_(std::move(organization)) {}

    [[nodiscard]] awaitable<outcome<room_context>> create_room(
        room wanted, std::vector<participant> participants
    ) override;
    [[nodiscard]] awaitable<outcome<>> add_participant(participant joining) override;
    [[nodiscard]] awaitable<outcome<send_receipt>> send_event(outgoing_event sent, wait_for until)
        override;
    [[nodiscard]] awaitable<outcome<>> set_room_status(room_id id, room_status to) override;
    [[nodiscard]] std::size_t most_in_flight() const noexcept override;

   private:
    room_kit& kit_;
    const organization_id organization_;
};

}  // namespace convene
