// SPDX-License-Identifier: Apache-2.0
// What an execution asks people while `convene run` follows it: shown once, and decided by who types at the terminal.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "app/console.hpp"
#include "app/options.hpp"
#include "app/remote/server_operation.hpp"
#include "app/typed_lines.hpp"

namespace convene {

/// What somebody typed at a question. Unset: nothing that is understood.
[[nodiscard]] std::optional<approvals_options> read_typed_decision(
    const approval_report& asked, std::string_view typed
);

/// *Thread safety*: loop only. *Lifetime*: all outlive it.
class run_questions {
   public:
    run_questions(
        server_conversations* asked,
        std::string execution,
        output_form form,
        output_stream* out,
        typed_lines* typed
    );

    /// Shows what is open and was not shown yet, and decides the oldest of it by what has been typed meanwhile. To be called
    /// again as long as something is open. *Errors*: those of `api_client::ask`, and how the server refused to show it; a
    /// decision that it refuses is shown, and that is all.
    [[nodiscard]] awaitable<outcome<>> look();

    /// Something else is written from here on: what was asked has been decided by somebody else.
    void close_prompt();

   private:
    void show(const approval_report& open);
    void prompt(const approval_report& open);
    [[nodiscard]] awaitable<void> decide(approval_report open, std::string typed);

    // fixed after construction
    server_conversations& asked_;
    const std::string execution_;
    const output_form form_;
    output_stream& out_;
    typed_lines& typed_;

    // touched on the loop only
    std::set<std::string> shown_;
    std::string prompted_;  ///< the one that the prompt is about
};

}  // namespace convene
