// SPDX-License-Identifier: Apache-2.0
// Deliveries and skips as JSON.
#pragma once

#include "convene/delivery.hpp"

#include "base/json_writer.hpp"
#include "http/schema.hpp"
#include "store/channel_values.hpp"

namespace convene {

[[nodiscard]] const schema& delivery_schema();
[[nodiscard]] const schema& skip_schema();
[[nodiscard]] const schema& target_kind_schema();
[[nodiscard]] const schema& delivery_state_schema();
[[nodiscard]] const schema& receipt_status_schema();

/// Whether a reader may know the address, which can be a phone number.
enum class address_view : std::uint8_t { hidden, shown };

/// `receipt` is null where the provider told nothing.
void write_delivery(
    json_writer& out,
    const delivery_row& shown,
    address_view addresses,
    const delivery_receipt* receipt
);
void write_skip(json_writer& out, const delivery_skip& shown);

}  // namespace convene
