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

}  // namespace

// -- steps ---------------------------------------------------------------------------------------------

awaitable<sent_steps> sim_step_sender::send(step_batch steps) {
    auto connection = co_await connections_.take();
    if (!connection) {
        sent_steps nothing;
        nothing.failure = connection.error();
        co_return nothing;
    }
    std::vector<std::shared_ptr<sim_database::step>> requests;
    for (const std::shared_ptr<const ops::finish_set>& step : steps) {
        requests.push_back(std::make_shared<sim_database::step>(*step));
    }
    server_action group = database_.write_steps(requests);
    const result<> written = co_await (*connection)->call(request_kind::write, std::move(group));
    sent_steps outcome;
    if (!written) {
        outcome.failure = written.error();
        outcome.has_offender = written.error() == errc::io_failed;
        co_return outcome;
    }
    for (const auto& request : requests) {
        outcome.answers.push_back(request->take());
    }
    co_return outcome;
}

// -- the store -----------------------------------------------------------------------------------------

sim_store::sim_store(sim_database& database, sim_host& host, commit_fence fence, step_writing steps)
    : database_(database),
      fence_(fence),
      steps_(steps),
      sender_(database, host),
      batches_(sender_),
      queries_(database, host, connection_use::query, query_connections) {}

awaitable<result<>> sim_store::execute(std::shared_ptr<operation> request) {
    auto* const step = dynamic_cast<sim_database::step*>(request.get());
    const bool goes_with_others = step != nullptr && steps_ == step_writing::together &&
                                  step_batches::can_write(step->request());
    if (goes_with_others) {
        auto written = co_await batches_.write(step->request());
        step->answer(std::move(written));
        co_return result<>{};
    }
    if (is_closed_) {
        co_return errc::unavailable;
    }
    const running_operation running(running_, ended_);
    auto connection = co_await queries_.take();
    if (!connection) {
        co_return connection.error();
    }
    server_action group = database_.run(request);
    if (request->is_read_only()) {
        const result<> read = co_await (*connection)->call(request_kind::read, std::move(group));
        co_return read;
    }
    const result<> written = co_await shielded(
        (*connection)->call(request_kind::write, std::move(group))
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
    auto& lender = dynamic_cast<sim_lock_manager&>(*locks);
    lease_name name = lease_name::room(head.organization, head.room);
    auto read = std::make_shared<detail::typed_operation<ops::load_room_head>>(std::move(head));
    std::vector<server_action> reads;
    reads.push_back(database_.run(read));
    auto inside = co_await lender.enter(std::move(name), std::move(reads), until);
    if (!inside) {
        co_return inside.error();
    }
    room_tenure tenure;
    tenure.lock = std::move(inside->held);
    const result<> was_read = inside->answers.front();
    auto loaded = was_read ? read->take() : was_read.error();
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
    auto& lock = dynamic_cast<sim_lease&>(*tenure->lock);
    if (lock.state() == lease_state::lost) {
        co_return errc::lease_lost;
    }
    auto request = std::make_shared<detail::typed_operation<ops::commit>>(std::move(batch));
    const auto session = lock.session();
    const bool unlocks = after == unlock_mode::release;
    std::vector<server_action> groups;
    groups.push_back(database_.commit(request, lock.name()));
    if (unlocks) {
        groups.push_back(database_.unlock(lock.unlock()));
    }
    auto answers = co_await shielded(session->exchange(request_kind::write, std::move(groups)));
    if (!answers) {
        co_return errc::outcome_unknown;
    }
    if (unlocks) {
        lock.released_by(answers->back());
        tenure->lock.reset();
    }
    if (!answers->front()) {
        co_return answers->front().error();
    }
    co_return request->take();
}

awaitable<void> sim_store::close() {
    is_closed_ = true;
    co_await batches_.close();
    sender_.close();
    while (running_ != 0) {
        const result<> ended = co_await shielded(until_set(&ended_));
        static_cast<void>(ended);  // shielded: it can only be the flag itself
    }
    queries_.close();
}

}  // namespace convene
