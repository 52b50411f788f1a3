// SPDX-License-Identifier: Apache-2.0
// The executions of a server's workflows, over its API.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/remote/server_conversations.hpp"

namespace convene {

/// An execution as the server shows it.
struct execution_report {
    std::string id;
    std::string name;
    std::string status;
    std::string initiator;
    std::string created_at;
    std::string document;  ///< all of it: canonical JSON
};

struct task_report {
    std::string key;
    std::string title;
    std::string status;
    std::string outcome;   ///< its result, or why it failed or was skipped
    std::string document;  ///< all of it: canonical JSON
};

// *Errors*: those of `api_client::ask`, and how the server refused.

/// Newest first, the first 50.
[[nodiscard]] awaitable<outcome<std::vector<execution_report>>> list_executions(
    server_conversations* asked
);

/// Nothing: there is none.
[[nodiscard]] awaitable<outcome<std::optional<execution_report>>> find_execution(
    server_conversations* asked, std::string id
);

[[nodiscard]] awaitable<outcome<std::vector<task_report>>> list_tasks(
    server_conversations* asked, std::string execution
);

[[nodiscard]] awaitable<outcome<execution_report>> cancel_execution(
    server_conversations* asked, std::string id
);

/// Starts one, once: where no answer comes it is asked for again under the same key.
[[nodiscard]] awaitable<outcome<execution_report>> start_execution(
    server_conversations* asked, std::string workflow, bool is_draft, std::string key
);

/// What its session is doing: `idle`, `running`, ...
[[nodiscard]] awaitable<outcome<std::string>> session_status_of(
    server_conversations* asked, std::string execution
);

}  // namespace convene
