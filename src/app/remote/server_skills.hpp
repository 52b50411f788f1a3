// SPDX-License-Identifier: Apache-2.0
// What operators ask of a server about its skills.
#pragma once

#include <string>
#include <vector>

#include "app/options.hpp"
#include "app/remote/server_conversations.hpp"

namespace convene {

struct skill_report {
    std::string id;
    std::string name;
    std::string state;
    std::string revision;      ///< empty: none was pulled yet
    std::string error;         ///< empty: none
    std::string error_detail;  ///< for people
    std::string url;
    std::string json;  ///< all of it, canonical
};

/// By id. *Errors*: those of `api_client::ask`, and how the server refused.
[[nodiscard]] awaitable<outcome<std::vector<skill_report>>> list_skills(server_conversations* asked
);

/// The skill as the server has it from then on. *Errors*: as `list_skills`. *Requires*: `how` adds one.
[[nodiscard]] awaitable<outcome<skill_report>> add_skill(
    server_conversations* asked, skills_options how, std::string password
);

/// *Errors*: as `list_skills`.
[[nodiscard]] awaitable<outcome<skill_report>> pull_skill(
    server_conversations* asked, std::string id, pull_patience waits
);
[[nodiscard]] awaitable<outcome<>> remove_skill(server_conversations* asked, std::string id);

}  // namespace convene
