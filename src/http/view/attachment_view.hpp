// SPDX-License-Identifier: Apache-2.0
// Attachments as JSON. The key that signs links is not among what is shown.
#pragma once

#include "base/json_writer.hpp"
#include "http/schema.hpp"
#include "store/operations/attachments.hpp"

namespace convene {

[[nodiscard]] const schema& attachment_schema();

void write_attachment(json_writer& out, const attachment& shown);
[[nodiscard]] json_text attachment_as_json(const attachment& shown);

}  // namespace convene
