// SPDX-License-Identifier: Apache-2.0
// A worker as the cluster tests have several of: a store and locks on one database.
#pragma once

#include "convene/postgres_lock_manager.hpp"
#include "convene/postgres_store.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include "store/store.hpp"
#include "support/postgres_schema.hpp"
#include "support/store_fixtures.hpp"

namespace convene {

/// Of a worker's store: few sessions, and steps that go together.
[[nodiscard]] inline postgres_options store_options(
    loop& where, const postgres_schema& schema, const incarnation_id& self
) {
    postgres_options options;
    options.address = schema.address();
    options.incarnation = self;
    options.sessions = 2;
    options.where = &where;
    return options;
}

/// A worker's store and locks. Sessions are told apart by the worker's name, also from those of other tests.
class cluster_worker {
   public:
    cluster_worker(loop& where, const postgres_schema& schema, const std::string& name)
        : where_(where) {
        incarnation_ = incarnation_id{name + '-' + std::to_string(::getpid())};
        store_ = open_postgres_store(store_options(where, schema, incarnation_)).value();
        locks_ = make_postgres_lock_manager(where, {schema.address(), incarnation_, 4});
    }

    ~cluster_worker() {
        const result<> closed = where_.run_until_done(locks_->close(soon()));
        EXPECT_TRUE(closed) << closed.error();
        where_.run_until_done(store_->close());
    }

    cluster_worker(const cluster_worker&) = delete;
    cluster_worker& operator=(const cluster_worker&) = delete;

    [[nodiscard]] const incarnation_id& incarnation() const { return incarnation_; }

    [[nodiscard]] conversation_store& store() { return *store_; }

    template <class Op>
    typename Op::answer must(Op request) {
        return where_.run_until_done(store_->run(std::move(request))).value();
    }

    result<room_tenure> enter(
        const std::string& room, std::chrono::milliseconds within = std::chrono::seconds{20}
    ) {
        ops::load_room_head head{acme(), room_id{room}, {}};
        const deadline until{where_.now() + within};
        return where_.run_until_done(store_->enter_room(locks_.get(), std::move(head), until));
    }

    result<ops::commit::answer> commit(
        room_tenure& under, const std::string& id, unlock_mode after = unlock_mode::release
    ) {
        ops::commit batch = batch_on{under.head.room}.add(make_message(id)).take();
        return where_.run_until_done(store_->commit(&under, std::move(batch), after));
    }

   private:
    /// Much later than anything in a test takes.
    [[nodiscard]] deadline soon() const {
        return deadline{where_.now() + std::chrono::seconds{20}};
    }

    loop& where_;
    incarnation_id incarnation_;
    std::unique_ptr<conversation_store> store_;
    std::unique_ptr<postgres_lock_manager> locks_;
};

}  // namespace convene
