// SPDX-License-Identifier: Apache-2.0
// Participants and identities as JSON.
#pragma once

#include "convene/room.hpp"

#include "base/json_writer.hpp"
#include "http/schema.hpp"

namespace convene {

[[nodiscard]] const schema& participant_schema();
[[nodiscard]] const schema& participant_role_schema();
[[nodiscard]] const schema& participant_status_schema();
[[nodiscard]] const schema& identity_schema();

void write_participant(json_writer& out, const participant& shown);
[[nodiscard]] json_text participant_as_json(const participant& shown);
[[nodiscard]] json_text identity_as_json(const identity& shown);

}  // namespace convene
