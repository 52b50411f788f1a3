// SPDX-License-Identifier: Apache-2.0
// Framework events as JSON.
#pragma once

#include "convene/delivery.hpp"

#include "base/json_writer.hpp"
#include "http/schema.hpp"

namespace convene {

[[nodiscard]] const schema& framework_event_schema();

void write_framework_event(json_writer& out, const framework_event& shown);

}  // namespace convene
