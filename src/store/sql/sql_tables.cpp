// SPDX-License-Identifier: Apache-2.0
// The SQL tables: how an operation is run, whatever it is.
#include "store/sql/sql_tables.hpp"

#include <string_view>

#include "base/log.hpp"

namespace convene::sql {

namespace {

/// What is refused for what it says is the caller's to report, and what others stood in the way of is tried again; the
/// rest is for the operator.
bool is_reported_elsewhere(const error_code& failure) {
    return failure == errc::invalid_argument || failure == errc::duplicate_key ||
           failure == errc::store_busy || failure == errc::cancelled;
}

/// A failure of the database wins over what the operation made of the rows it did not see.
template <class Answer>
result<Answer> unless_failed(
    const session& database, std::string_view operation, result<Answer> answer
) {
    if (!database.failure()) {
        return answer;
    }
    if (!is_reported_elsewhere(database.failure())) {
        log(log_level::error,
            "sql_operation_failed",
            {{"operation", operation},
             {"error", database.failure()},
             {"detail", database.failure_text()}});
    }
    return database.failure();
}

}  // namespace

#define CONVENE_APPLY(op)                                               \
    result<ops::op::answer> sql_tables::apply(const ops::op& request) { \
        db_.forget_failure();                                           \
        return unless_failed(db_, #op, perform(request));               \
    }
CONVENE_STORE_OPERATIONS(CONVENE_APPLY)
#undef CONVENE_APPLY

}  // namespace convene::sql
