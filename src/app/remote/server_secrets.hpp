// SPDX-License-Identifier: Apache-2.0
// The secrets that a server's skills name, over its API: never with their values.
#pragma once

#include <string>
#include <vector>

#include "app/remote/server_conversations.hpp"

namespace convene {

struct secret_report {
    std::string name;
    std::string description;
    std::string updated_at;            ///< when its value was given, as the server has it
    std::vector<std::string> used_by;  ///< the names of skills
    std::string json;                  ///< all of it, canonical
};

// *Errors*: those of `api_client::ask`, and how the server refused.

/// By name.
[[nodiscard]] awaitable<outcome<std::vector<secret_report>>> list_secrets(
    server_conversations* asked
);

/// Gives it this value and description, in the place of those before. Where no answer comes it is asked once more, which
/// comes to the same.
[[nodiscard]] awaitable<outcome<secret_report>> set_secret(
    server_conversations* asked, std::string name, std::string value, std::string description
);

[[nodiscard]] awaitable<outcome<>> remove_secret(server_conversations* asked, std::string name);

}  // namespace convene
