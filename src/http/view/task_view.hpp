// SPDX-License-Identifier: Apache-2.0
// Tasks and observations as JSON.
#pragma once

#include "convene/room.hpp"

#include "base/json_writer.hpp"
#include "http/schema.hpp"

namespace convene {

[[nodiscard]] const schema& task_schema();
[[nodiscard]] const schema& task_status_schema();
[[nodiscard]] const schema& observation_schema();

void write_task(json_writer& out, const room_task& shown);
[[nodiscard]] json_text task_as_json(const room_task& shown);
void write_observation(json_writer& out, const observation& shown);

}  // namespace convene
