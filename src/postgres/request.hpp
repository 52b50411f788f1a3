// SPDX-License-Identifier: Apache-2.0
// What goes to a server in one round trip, and what comes back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/handle.hpp"
#include "postgres/statement_text.hpp"

namespace convene::postgres {

/// Statements that are sent together, in groups. The statements of one group are one transaction: after a failure
/// the rest of the group is not run and nothing of it is stored. The next group runs whatever became of this one.
class request {
   public:
    /// Appends a statement to the group.
    template <class... T>
    void add(std::string_view sql, const T&... values) {
        statement& added = append_statement(sql);
        sql::binder::bind_all(added.values, sql::text_lifetime::copies, values...);
    }

    /// Appends a statement whose arguments the caller binds, before anything else is appended.
    [[nodiscard]] arguments& add_unbound(std::string_view sql) {
        return append_statement(sql).values;
    }

    /// Appends the statements of another request, with their groups.
    void append(const request& other);

    /// Ends the group: its transaction commits before the next statement runs.
    void end_group();

    struct statement {
        statement(std::string_view written, int parameters) : sql(written), values(parameters) {}

        std::string sql;  ///< as it was written; the key of what a connection has prepared
        arguments values;
        bool ends_group = false;
    };

    [[nodiscard]] const std::vector<statement>& statements() const noexcept { return statements_; }

   private:
    statement& append_statement(std::string_view sql);

    std::vector<statement> statements_;
};

/// What became of one statement.
struct answer {
    result_rows rows;
    std::optional<server_error>
        error;  ///< set too where an earlier one of its group failed: `cancelled`

    [[nodiscard]] bool is_good() const noexcept { return !error; }
};

}  // namespace convene::postgres
