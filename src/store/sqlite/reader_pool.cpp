// SPDX-License-Identifier: Apache-2.0
// Hands reading operations to the pool's threads and lends each a connection.
#include "store/sqlite/reader_pool.hpp"

#include <utility>

namespace convene::sqlite {

reader_pool::reader_pool(
    std::vector<std::unique_ptr<connection>> databases, const wall_clock& clock
) {
    for (std::unique_ptr<connection>& opened : databases) {
        readers_.push_back(std::make_unique<reader>(std::move(opened), clock));
        free_.push_back(readers_.back().get());
    }
    threads_ = std::make_unique<blocking_pool>(readers_.size());
}

awaitable<result<>> reader_pool::read(std::shared_ptr<operation> work) {
    if (is_closing_) {
        co_return errc::unavailable;
    }
    const calls_under_way::one counted{calls_};
    auto on_thread = [this, work = std::move(work)] { return run(*work); };
    const result<result<>> ran = co_await run_on(threads_.get(), std::move(on_thread));
    if (!ran) {
        co_return ran.error();
    }
    co_return *ran;
}

awaitable<void> reader_pool::close() {
    is_closing_ = true;
    co_await shielded(calls_.until_none());
    // What still runs was cancelled: nobody wants its answer.
    for (const std::unique_ptr<reader>& one : readers_) {
        one->database->interrupt();
    }
    threads_.reset();
    readers_.clear();
}

// -- on a thread of the pool -------------------------------------------------------------------------

result<> reader_pool::run(operation& work) {
    reader& borrowed = borrow();
    connection& database = *borrowed.database;
    // One transaction, so that all statements of the operation see the same state.
    database.forget_failure();
    database.run("BEGIN");
    const error_code refused = database.failure();
    if (!refused) {
        work.apply_to(borrowed.tables);
    }
    database.roll_back();
    give_back(borrowed);
    return refused ? result<>{refused} : result<>{};
}

reader_pool::reader& reader_pool::borrow() {
    const std::scoped_lock lock{mutex_};
    // There are as many as threads.
    reader& borrowed = *free_.back();
    free_.pop_back();
    return borrowed;
}

void reader_pool::give_back(reader& borrowed) {
    const std::scoped_lock lock{mutex_};
    free_.push_back(&borrowed);
}

}  // namespace convene::sqlite
