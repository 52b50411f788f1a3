// SPDX-License-Identifier: Apache-2.0
// A SQLite file and its writer's connection without threads, for tests of what happens inside a
// transaction.
#pragma once

#include "convene/sqlite_store.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "store/sqlite/connection.hpp"
#include "store/sqlite/group_transaction.hpp"
#include "store/sqlite/opening.hpp"
#include "store/store.hpp"
#include "support/manual_wall_clock.hpp"
#include "support/store_fixtures.hpp"
#include "support/temporary_folder.hpp"

namespace convene::sqlite {

/// An operation that can be looked at after its group has run.
template <class Op>
[[nodiscard]] std::shared_ptr<detail::typed_operation<Op>> typed(Op request) {
    return std::make_shared<detail::typed_operation<Op>>(std::move(request));
}

/// The file, its connection and the transactions on it.
class sqlite_database {
   public:
    sqlite_database() { open(); }

    void reopen() {
        transaction_.reset();
        connection_.reset();
        open();
    }

    [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "rooms.db"; }

    [[nodiscard]] connection& db() { return *connection_; }

    [[nodiscard]] manual_wall_clock& clock() { return clock_; }

    [[nodiscard]] group_transaction::outcome run_group(
        const std::vector<std::shared_ptr<operation>>& group
    ) {
        return transaction_->run(group, std::chrono::hours{1});
    }

    /// One operation in a transaction of its own.
    template <class Op>
    [[nodiscard]] result<typename Op::answer> run(Op request) {
        const auto one = typed(std::move(request));
        const group_transaction::outcome outcome = run_group({one});
        if (!outcome.committed) {
            return outcome.committed.error();
        }
        return one->take();
    }

    /// Statements of the test's own.
    void sql(const std::string& statements) {
        db().forget_failure();
        db().run_script(statements);
        if (db().failure()) {
            throw std::runtime_error{db().failure_text()};
        }
    }

    template <class... T>
    [[nodiscard]] std::int64_t number(const std::string& query, const T&... arguments) {
        db().forget_failure();
        return db().value_of<std::int64_t>(query, arguments...).value();
    }

    // -- short forms
    // -------------------------------------------------------------------------------

    [[nodiscard]] room get(const std::string& id) {
        return run(ops::get_room{acme(), room_id{id}}).value();
    }

    [[nodiscard]] batch_on batch(const std::string& id) { return batch_on{get(id)}; }

    void create(const std::string& id) { run(ops::create_room{make_room(id), {}, {}}).value(); }

    void commit_messages(const std::string& room, const std::vector<std::string>& ids) {
        for (const std::string& id : ids) {
            run(batch(room).add(make_message(id)).take()).value();
        }
    }

    [[nodiscard]] std::vector<std::string> ids_of(const std::string& room) {
        ops::list_events all;
        all.organization = acme();
        all.room = room_id{room};
        all.limit = 10'000;
        std::vector<std::string> ids;
        for (const room_event& event : run(std::move(all)).value()) {
            ids.push_back(event.id.str());
        }
        return ids;
    }

   private:
    void open() {
        sqlite_options options;
        options.path = path();
        connection_ = open_for_writing(options, clock_, incarnation_id{}).value();
        transaction_ = std::make_unique<group_transaction>(*connection_, clock_);
    }

    temporary_folder folder_;
    manual_wall_clock clock_;
    std::unique_ptr<connection> connection_;
    std::unique_ptr<group_transaction> transaction_;
};

}  // namespace convene::sqlite
