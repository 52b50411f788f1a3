// SPDX-License-Identifier: Apache-2.0
// The webhook channel: an event leaves as a signed POST to the URL of a registered channel.
#pragma once

#include "convene/channel.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret_box.hpp"
#include "net/http_sender.hpp"
#include "store/channel_values.hpp"
#include "webhook/signature.hpp"

namespace convene {

inline constexpr std::string_view webhook_channel_type = "webhook";

/// One stored version of a channel; a change makes another object. `webhook-id` is the delivery's id: a receiver
/// that has seen it drops the repeat.
class webhook_channel final : public transport_channel {
   public:
    struct parts {
        http_sender send;
        const wall_clock* clock = nullptr;
        const secret_box* box = nullptr;  ///< signs the causes that go with deliveries

        /// The receiver said that it is gone for good.
        std::function<awaitable<void>(channel_id)> on_gone;
    };

    /// The channel's secrets, as `open_secrets` gives them: what may be signed with, newest first.
    webhook_channel(registered_channel record, std::vector<webhook_secret> secrets, parts given);

    [[nodiscard]] channel_id id() const override { return record_.id; }

    [[nodiscard]] std::string type() const override { return record_.type; }

    [[nodiscard]] organization_id organization() const override { return record_.organization; }

    [[nodiscard]] channel_capabilities capabilities() const override;

    [[nodiscard]] std::chrono::milliseconds attempt_deadline() const override {
        return record_.attempt_deadline;
    }

    [[nodiscard]] bool carries_causes() const override { return true; }

    [[nodiscard]] bool is_enabled() const override { return record_.is_enabled; }

    [[nodiscard]] retry_policy default_retry() const override {
        return record_.retry.value_or(retry_policy{});
    }

    [[nodiscard]] rate_limit shared_limit() const override {
        return record_.limit.value_or(rate_limit{});
    }

    [[nodiscard]] awaitable<send_result> deliver(delivery_request request) override;

    /// Those that are good now.
    [[nodiscard]] std::span<const webhook_secret> secrets(wall_time now) const;

    [[nodiscard]] const registered_channel& record() const noexcept { return record_; }

   private:
    const registered_channel record_;
    const std::vector<webhook_secret> secrets_;
    const parts parts_;
};

}  // namespace convene
