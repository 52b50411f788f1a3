// SPDX-License-Identifier: Apache-2.0
// A channel that hands each delivery to a function of this process.
#pragma once

#include "convene/channel.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace convene {

/// Makes one attempt; see `transport_channel::deliver`. An exception is a failed attempt.
using delivery_callback = std::function<awaitable<send_result>(delivery_request)>;

struct callback_channel_settings {
    channel_capabilities capabilities{content_type_set::all()};
    std::chrono::milliseconds attempt_deadline{5'000};
};

/// A transport whose other end lives in this process: a window, a test, a socket of the
/// application.
///
/// It is bound to the process: what a dead worker did not deliver is skipped, and the reader
/// catches up from the timeline.
///
///     awaitable<send_result> show(delivery_request request) {
///         std::puts(readable_text(request.event.content).c_str());
///         co_return send_result::sent();
///     }
///     kit.register_channel(std::make_shared<callback_channel>(channel_id{"screen"}, show));
class callback_channel final : public transport_channel {
   public:
    /// *Requires*: `called` is not empty. What it uses outlives the channel.
    callback_channel(channel_id id, delivery_callback called, callback_channel_settings with = {});

    [[nodiscard]] channel_id id() const override { return id_; }

    [[nodiscard]] std::string type() const override { return "callback"; }

    [[nodiscard]] channel_capabilities capabilities() const override { return with_.capabilities; }

    [[nodiscard]] bool is_bound_to_process() const override { return true; }

    [[nodiscard]] std::chrono::milliseconds attempt_deadline() const override {
        return with_.attempt_deadline;
    }

    [[nodiscard]] awaitable<send_result> deliver(delivery_request request) override;

   private:
    const channel_id id_;
    const delivery_callback called_;
    const callback_channel_settings with_;
};

}  // namespace convene
