// SPDX-License-Identifier: Apache-2.0
// Statements in PostgreSQL's words.
#pragma once

#include <string>
#include <string_view>

namespace convene::postgres {

/// A statement that was written for every database, as PostgreSQL reads it: `$1` for `?1`, and without what only
/// SQLite's planner is told (`CROSS JOIN` for the order of tables, `INDEXED BY`). Quoted text stays as it is.
struct statement_text {
    explicit statement_text(std::string_view sql);

    std::string text;
    int parameters = 0;  ///< the highest number
};

}  // namespace convene::postgres
