// SPDX-License-Identifier: Apache-2.0
// Skills and their revisions as JSON.
#pragma once

#include "base/json_writer.hpp"
#include "http/schema.hpp"
#include "skill/skill_folder.hpp"
#include "store/skill_values.hpp"

namespace convene {

[[nodiscard]] const schema& skill_schema();
[[nodiscard]] const schema& skill_files_schema();

void write_skill(json_writer& out, const skill& shown);
[[nodiscard]] json_text skill_as_json(const skill& shown);
[[nodiscard]] json_text skill_files_as_json(const loaded_skill& shown);

}  // namespace convene
