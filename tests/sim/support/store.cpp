// SPDX-License-Identifier: Apache-2.0
// Sending operations and commits to the simulated database.
#include "sim/support/store.hpp"

#include "convene/wait.hpp"

#include <utility>

namespace convene {

namespace {

constexpr std::size_t query_connections = 4;

/// Counts what runs, also when its coroutine is dropped.
class running_operation {
   public:
    running_operation(std::size_t& count, wait_flag& ended) : count_(count), ended_(ended) {
        ++count_;
    }

    running_operation(const running_operation&) = delete;
    running_operation& operator=(const running_operation&) = delete;

    ~running_operation() {
        --count_;
        ended_.notify_all();
    }

   private:
    std::size_t& count_;
    wait_flag& ended_;
};

sim_lease& session_lease(lease& held) { return dynamic_cast<sim_lease&>(held); }

}  // namespace

sim_store::sim_store(sim_database& database, sim_host& host, commit_fence fence)
    : database_(database),
      fence_(fence),
      queries_(database, host, connection_use::query, query_connections) {}

server_action sim_store::apply(std::shared_ptr<operation> request) {
    return [&database = database_, request = std::move(request)](const answer_function& answer) {
        database.run(*request, answer);
    };
}

awaitable<result<>> sim_store::execute(std::shared_ptr<operation> request) {
    if (is_closed_) {
        co_return errc::unavailable;
    }
    const running_operation running(running_, ended_);
    auto connection = co_await queries_.take();
    if (!connection) {
        co_return connection.error();
    }
    server_action action = apply(request);
    if (request->is_read_only()) {
        const result<> read = co_await (*connection)->call(request_kind::read, std::move(action));
        co_return read;
    }
    const result<> written = co_await shielded(
        (*connection)->call(request_kind::write, std::move(action))
    );
    co_return written;
}

awaitable<result<room_tenure>> sim_store::enter_room(
    lock_manager* locks, ops::load_room_head head, deadline until
) {
    if (fence_ == commit_fence::lock_epoch) {
        auto fenced = co_await conversation_store::enter_room(locks, std::move(head), until);
        co_return fenced;
    }
    lease_name name = lease_name::room(head.organization, head.room);
    auto acquired = co_await locks->acquire(std::move(name), until);
    if (!acquired) {
        co_return acquired.error();
    }
    room_tenure tenure;
    tenure.lock = std::move(*acquired);

    // Read after the lock was granted, on its own session.
    auto read = std::make_shared<detail::typed_operation<ops::load_room_head>>(std::move(head));
    const auto session = session_lease(*tenure.lock).session();
    const result<> answered = co_await with_deadline(
        until, session->call(request_kind::read, apply(read))
    );
    if (!answered) {
        co_return answered.error();
    }
    auto loaded = read->take();
    if (!loaded) {
        const error_code failure = loaded.error();
        const result<> released = co_await tenure.lock->release();
        static_cast<void>(released);  // nothing was done under it
        co_return failure;
    }
    tenure.head = std::move(*loaded);
    co_return tenure;
}

awaitable<result<ops::commit::answer>> sim_store::commit(
    room_tenure* tenure, ops::commit batch, unlock_mode after
) {
    if (fence_ == commit_fence::lock_epoch) {
        auto fenced = co_await conversation_store::commit(tenure, std::move(batch), after);
        co_return fenced;
    }
    sim_lease& lock = session_lease(*tenure->lock);
    if (lock.state() != lease_state::held) {
        co_return errc::lease_lost;
    }
    const auto session = lock.session();
    auto request = std::make_shared<detail::typed_operation<ops::commit>>(std::move(batch));
    server_action action = [&database = database_, session, request, room = lock.name(), after](
                               const answer_function& answer
                           ) { database.commit(session, request, room, after, answer); };
    const result<> answered = co_await shielded(
        session->call(request_kind::write, std::move(action))
    );
    if (!answered) {
        co_return answered.error();
    }
    auto committed = request->take();
    if (committed && after == unlock_mode::release) {
        lock.note_released();
        tenure->lock.reset();
    }
    co_return committed;
}

awaitable<void> sim_store::close() {
    is_closed_ = true;
    while (running_ != 0) {
        const result<> ended = co_await shielded(until_set(&ended_));
        static_cast<void>(ended);  // shielded: it can only be the flag itself
    }
    queries_.close();
}

}  // namespace convene
