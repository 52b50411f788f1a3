// SPDX-License-Identifier: Apache-2.0
// The commands: what each gets, and what it answers.
#pragma once

#include <optional>

#include "app/console.hpp"
#include "app/database_place.hpp"
#include "app/failure.hpp"
#include "app/options.hpp"
#include "app/remote/server_address.hpp"

namespace convene {

/// What every command works with. *Lifetime*: outlives the command.
struct command_context {
    const configuration* settings = nullptr;
    database_place database;               ///< from DB_URL
    std::optional<server_address> server;  ///< set: it is asked, and the database is not touched
    organization_id organization;
    console* terminal = nullptr;
};

[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const import_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const export_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const send_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const tail_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const rooms_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const dedupe_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const lanes_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const leases_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const turns_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const wakes_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const skills_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const secrets_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const approvals_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const executions_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const run_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const doctor_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const serve_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const migrate_options& options
);
[[nodiscard]] outcome<exit_code> run_command(
    const command_context& with, const version_options& options
);

}  // namespace convene
