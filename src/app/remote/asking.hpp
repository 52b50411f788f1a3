// SPDX-License-Identifier: Apache-2.0
// The frame of a command that only a server can answer.
#pragma once

#include <memory>
#include <utility>

#include "app/reading.hpp"
#include "app/remote/server_conversations.hpp"

namespace convene {

/// `run_asking` with the server that the command line names. *Errors*: `without`, if it names none.
template <class Work>
[[nodiscard]] outcome<exit_code> run_asking_server(
    const command_context& with, failure without, Work work
) {
    if (!with.server) {
        return without;
    }
    const auto open = [&with](loop& where) -> outcome<std::unique_ptr<server_conversations>> {
        return std::make_unique<server_conversations>(where, *with.server);
    };
    return run_asking(open, std::move(work));
}

}  // namespace convene
