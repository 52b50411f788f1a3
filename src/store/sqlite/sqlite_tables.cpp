// SPDX-License-Identifier: Apache-2.0
// The SQLite tables: how an operation is run, whatever it is.
#include "store/sqlite/sqlite_tables.hpp"

#include <string_view>

#include "base/log.hpp"

namespace convene::sqlite {

namespace {

/// What is refused for what it says is the caller's to report; the rest is for the operator.
bool is_about_the_request(const error_code& failure) {
    return failure == errc::invalid_argument || failure == errc::duplicate_key ||
           failure == errc::cancelled;
}

/// A failure of the database wins over what the operation made of the rows it did not see.
template <class Answer>
result<Answer> unless_failed(
    const connection& database, std::string_view operation, result<Answer> answer
) {
    if (!database.failure()) {
        return answer;
    }
    if (!is_about_the_request(database.failure())) {
        log(log_level::error,
            "sqlite_operation_failed",
            {{"operation", operation},
             {"error", database.failure()},
             {"detail", database.failure_text()}});
    }
    return database.failure();
}

}  // namespace

#define CONVENE_APPLY(op)                                                  \
    result<ops::op::answer> sqlite_tables::apply(const ops::op& request) { \
        db_.forget_failure();                                              \
        return unless_failed(db_, #op, perform(request));                  \
    }
CONVENE_STORE_OPERATIONS(CONVENE_APPLY)
#undef CONVENE_APPLY

}  // namespace convene::sqlite
