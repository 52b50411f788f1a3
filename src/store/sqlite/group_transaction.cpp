// SPDX-License-Identifier: Apache-2.0
// Runs a group first without savepoints, which cost; again with them when an operation failed after it wrote.
#include "store/sqlite/group_transaction.hpp"

namespace convene::sqlite {

group_transaction::outcome group_transaction::run(operations group, std::chrono::nanoseconds span) {
    if (const result<> begun = begin(); !begun) {
        return {group.size(), begun};
    }
    const auto end = std::chrono::steady_clock::now() + span;
    std::size_t count = 0;
    while (count < group.size()) {
        operation& next = *group[count];
        const std::int64_t written_before = db_.write_count();
        next.apply_to(tables_);
        ++count;
        if (!db_.is_in_transaction()) {
            return {count, abandon()};
        }
        // Operations decide on what is stored, so that running those before it again gives the same.
        if (next.has_failed() && db_.write_count() != written_before) {
            db_.roll_back();
            return run_each_undoable(group.first(count));
        }
        if (std::chrono::steady_clock::now() >= end) {
            break;
        }
    }
    return {count, commit()};
}

group_transaction::outcome group_transaction::run_each_undoable(operations group) {
    if (const result<> begun = begin(); !begun) {
        return {group.size(), begun};
    }
    for (const std::shared_ptr<operation>& next : group) {
        db_.forget_failure();
        db_.run("SAVEPOINT operation");
        next->apply_to(tables_);
        if (next->has_failed()) {
            db_.roll_back_to_savepoint();
        }
        if (!db_.is_in_transaction()) {
            return {group.size(), abandon()};
        }
        db_.forget_failure();
        db_.run("RELEASE operation");
    }
    return {group.size(), commit()};
}

result<> group_transaction::begin() {
    db_.forget_failure();
    db_.run("BEGIN IMMEDIATE");
    return db_.failure() ? result<>{db_.failure()} : result<>{};
}

result<> group_transaction::commit() {
    db_.forget_failure();
    db_.run("COMMIT");
    if (!db_.failure()) {
        return {};
    }
    return abandon();
}

/// The database gave up the whole transaction (a full disk, a failed read): nothing of the group is stored.
error_code group_transaction::abandon() {
    const error_code failure = db_.failure() ? db_.failure() : error_code{errc::io_failed};
    db_.roll_back();
    return failure;
}

}  // namespace convene::sqlite
