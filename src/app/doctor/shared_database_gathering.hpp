// SPDX-License-Identifier: Apache-2.0
// Asking a PostgreSQL server what the doctor wants to know.
#pragma once

#include "app/doctor/shared_database_examination.hpp"

namespace convene {

/// Everything but what is stored. Blocks for some seconds at most.
[[nodiscard]] shared_database_facts ask_database_server(
    const std::string& address, const configuration& settings
);

}  // namespace convene
