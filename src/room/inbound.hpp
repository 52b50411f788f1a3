// SPDX-License-Identifier: Apache-2.0
// The way of an inbound message before the room lock: known key, route, membership, sender (R6, R8).
#pragma once

#include "room/engine_core.hpp"
#include "room/sending.hpp"

namespace convene {

/// *Thread safety*: loop only.
class inbound {
   public:
    inbound(engine_core* core, sending* out) : core_(*core), out_(*out) {}

    /// All before the commit is bounded by `process_timeout`, and leaves no event behind when it is cut off.
    [[nodiscard]] awaitable<result<send_receipt>> process(inbound_message message, wait_for what);

   private:
    [[nodiscard]] awaitable<result<std::optional<room_event>>> find_known(
        inbound_message message, std::string hash
    );
    [[nodiscard]] awaitable<result<room_id>> route(inbound_message message);
    [[nodiscard]] awaitable<result<room_id>> make_room(inbound_message message);
    [[nodiscard]] awaitable<result<participant_id>> join_room(
        inbound_message message, room_id room
    );
    [[nodiscard]] awaitable<result<participant_id>> identify(
        inbound_message message, room_context around
    );
    [[nodiscard]] awaitable<result<proposal>> prepare(inbound_message message);

    engine_core& core_;
    sending& out_;
};

}  // namespace convene
