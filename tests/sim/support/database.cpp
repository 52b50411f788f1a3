// SPDX-License-Identifier: Apache-2.0
// What the simulated database does with a request that arrived.
#include "sim/support/database.hpp"

#include "convene/wait.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "base/assert.hpp"
#include "base/mutant.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr auto connect_timeout = 2s;
constexpr auto settling_time = 10s;

/// Between the end of a transaction and that of the next statement on its session.
constexpr auto next_statement = 1ms;

}  // namespace

sim_database::sim_database(sim_world& world, tables& data)
    : world_(world), data_(data), random_(world.random().fork()), locks_(world) {}

// -- sessions ------------------------------------------------------------------------------------------

awaitable<result<std::shared_ptr<sim_connection>>> sim_database::connect(
    sim_host* host, connection_use use
) {
    std::shared_ptr<sim_connection> connection = host->make_connection(use);
    const deadline until{world_.now() + connect_timeout};
    std::function<result<>()> at_server = [this, connection] { return accept(*connection); };
    const result<> opened = co_await with_deadline(until, connection->open(std::move(at_server)));
    if (opened) {
        co_return connection;
    }
    connection->close();
    const bool gave_up = opened.error() == errc::timed_out && world_.now() >= until.at();
    if (gave_up) {
        co_return errc::connection_lost;
    }
    co_return opened.error();
}

result<> sim_database::accept(sim_connection& connection) {
    if (!is_up()) {
        return errc::connection_lost;
    }
    // Who was buried may not come back under the same name: its work has new owners.
    if (is_recorded_dead(connection.host().incarnation)) {
        world_.note("{} is refused: it is recorded as dead", connection.host().name());
        return errc::incarnation_dead;
    }
    connection.open_session([this](sim_connection& ended) { locks_.free_all(ended); });
    return {};
}

bool sim_database::is_recorded_dead(const incarnation_id& incarnation) {
    const auto workers = data_.apply(ops::list_workers{});
    return std::ranges::any_of(*workers, [&](const ops::worker_row& row) {
        return row.incarnation == incarnation && row.state == ops::worker_state::dead;
    });
}

// -- operations ----------------------------------------------------------------------------------------

void sim_database::apply(operation& request) {
    world_.mix(std::hash<std::string_view>{}(request.name()));
    request.apply_to(data_);
}

void sim_database::run(operation& request, const answer_function& answer) {
    if (random_.happens(busy_)) {
        answer(errc::store_busy);
        return;
    }
    apply(request);
    answer(result<>{});
}

void sim_database::commit(
    const std::shared_ptr<sim_connection>& session,
    const std::shared_ptr<operation>& request,
    const lease_name& room,
    unlock_mode after,
    const answer_function& answer
) {
    const std::string name = room.encoded();
    if (random_.happens(busy_)) {
        answer(errc::store_busy);
        return;
    }
    const bool unlocks_first = CONVENE_MUTANT("unlock_before_visible") &&
                               after == unlock_mode::release;
    if (unlocks_first) {
        locks_.unlock(*session, name);
    }
    world_.after(random_.skewed(0ms, next_statement), [=, this] {
        if (!session->has_session()) {
            return;  // rolled back
        }
        const sim_connection* const holder = locks_.holder(name);
        const bool is_protected = holder == session.get() || (unlocks_first && holder == nullptr);
        if (!is_protected) {
            world_.fail(
                "a commit becomes visible while its session does not hold " + room.display()
            );
        }
        apply(*request);
        if (request->has_failed() || after == unlock_mode::keep) {
            answer(result<>{});
        } else {
            unlock_later(session, name, answer);
        }
    });
}

void sim_database::unlock_later(
    const std::shared_ptr<sim_connection>& session,
    const std::string& name,
    const answer_function& answer
) {
    // A statement of its own: who gets the lock sees the commit.
    world_.after(random_.skewed(0ms, next_statement), [=, this] {
        if (session->has_session()) {
            locks_.unlock(*session, name);
            answer(result<>{});
        }
    });
}

// -- faults --------------------------------------------------------------------------------------------

void sim_database::restart(
    const std::vector<std::unique_ptr<sim_host>>& hosts, std::chrono::nanoseconds down_for
) {
    was_restarted_ = true;
    up_again_ = world_.now() + down_for;
    const auto how = random_.happens(per_mille{500}) ? session_end::told : session_end::reset;
    for (const auto& host : hosts) {
        for (const auto& connection : host->connections()) {
            connection->end_session(how);
        }
    }
}

bool sim_database::is_settled() const noexcept {
    return !was_restarted_ || world_.now() >= up_again_ + settling_time;
}

}  // namespace convene
