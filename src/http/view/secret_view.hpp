// SPDX-License-Identifier: Apache-2.0
// Secrets that skills name as JSON: never their values.
#pragma once

#include "base/json_writer.hpp"
#include "http/schema.hpp"
#include "store/secret_values.hpp"

namespace convene {

[[nodiscard]] const schema& secret_schema();

void write_secret(json_writer& out, const listed_secret& shown);

}  // namespace convene
