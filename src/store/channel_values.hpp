// SPDX-License-Identifier: Apache-2.0
// Channels that were registered over the API, subscriptions to framework events, receipts: as they are stored.
#pragma once

#include "convene/delivery.hpp"
#include "convene/ids.hpp"
#include "convene/json_text.hpp"
#include "convene/room.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene {

using subscription_id = text_id<struct subscription_tag>;

/// The secrets of a webhook, sealed (`base/secret_box.hpp`). While it is replaced the one before is good too.
struct sealed_secrets {
    std::string current;
    std::string previous;  ///< empty: none
    wall_time previous_until{};

    friend bool operator==(const sealed_secrets&, const sealed_secrets&) = default;
};

/// A channel as an admin registered it; the object of a worker is made from it.
struct registered_channel {
    channel_id id;
    organization_id organization;
    std::int64_t version = 0;  ///< raised by every change; 0: not stored yet
    std::string type;          ///< `webhook`, `agent`
    std::string name;
    std::string url;
    sealed_secrets secrets;             ///< of an agent: the key of its provider, or none
    std::optional<retry_policy> retry;  ///< of bindings that have none
    std::optional<rate_limit> limit;    ///< of all bindings together that have none
    milliseconds attempt_deadline{5'000};
    bool is_enabled = true;
    std::string disabled_reason;  ///< a stable word; empty while it is enabled
    json_text metadata;
    wall_time created_at{};  ///< the store's clock, as the next
    wall_time updated_at{};

    friend bool operator==(const registered_channel&, const registered_channel&) = default;
};

/// Somebody outside who is told of framework events, in order, at least once.
struct webhook_subscription {
    subscription_id id;
    organization_id organization;
    std::int64_t
        version = 0;  ///< raised by every change but that of the position; 0: not stored yet
    std::string url;
    sealed_secrets secrets;
    std::vector<std::string> event_types;  ///< empty: all
    bool is_enabled = true;
    std::string disabled_reason;  ///< a stable word; empty while it is enabled
    std::int64_t position = 0;    ///< the last sequence that was delivered or passed over
    std::optional<wall_time> failing_since;  ///< the first failure since the last success
    std::string last_error;                  ///< a stable word; empty after a success
    wall_time created_at{};                  ///< the store's clock, as the next
    wall_time updated_at{};

    friend bool operator==(const webhook_subscription&, const webhook_subscription&) = default;
};

/// What a provider told about a message after it took it. Each later one says more: they only move forward.
enum class receipt_status : std::uint8_t {
    failed = 1,  ///< gave up, though a provider may find a way after all
    delivered = 2,
    read = 3,
};

[[nodiscard]] std::string_view word_of(receipt_status status) noexcept;
[[nodiscard]] std::optional<receipt_status> receipt_status_from(std::string_view word) noexcept;

struct delivery_receipt {
    delivery_id delivery;
    receipt_status status = receipt_status::delivered;
    std::string error_code;  ///< the provider's; empty: none
    std::string error_message;
    wall_time at{};  ///< the store's clock

    friend bool operator==(const delivery_receipt&, const delivery_receipt&) = default;
};

}  // namespace convene
