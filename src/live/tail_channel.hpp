// SPDX-License-Identifier: Apache-2.0
// The channel of people who follow a room live: what is committed is there for them to read.
#pragma once

#include "convene/channel.hpp"

namespace convene {

/// A transport that has nothing to carry: tails read the timeline, on whichever worker they are, and go on where
/// they were. So a delivery is done as soon as the event is committed, and no crash can lose or repeat it.
///
/// *Thread safety*: loop only.
class tail_channel final : public transport_channel {
   public:
    explicit tail_channel(channel_id id) : id_(std::move(id)) {}

    [[nodiscard]] channel_id id() const override { return id_; }

    [[nodiscard]] std::string type() const override { return "websocket"; }

    [[nodiscard]] channel_capabilities capabilities() const override {
        return {content_type_set::all(), 0};
    }

    [[nodiscard]] awaitable<send_result> deliver(delivery_request /*request*/) override {
        co_return send_result::sent();
    }

   private:
    const channel_id id_;
};

}  // namespace convene
