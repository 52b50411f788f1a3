// SPDX-License-Identifier: Apache-2.0
// What the simulated database does in the groups of a request.
#include "sim/support/database.hpp"

#include "convene/wait.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "base/mutant.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr auto connect_timeout = 2s;
constexpr auto settling_time = 10s;

/// Between the end of a transaction and that of the next statement on its session.
constexpr auto next_statement = 1ms;
constexpr auto longest_stall = 2s;

bool unlocks_in_the_commits_group() { return CONVENE_MUTANT("unlock_before_visible"); }

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

void sim_database::run_group(
    const std::shared_ptr<sim_connection>& session,
    std::chrono::nanoseconds at_most,
    std::function<void()> work,
    const answer_function& answer
) {
    if (random_.happens(manners_.is_busy)) {
        answer(errc::store_busy);
        return;
    }
    enum class end : std::uint8_t { orderly, before_commit, before_answer };
    end how = end::orderly;
    if (random_.happens(manners_.breaks_off)) {
        how = random_.happens(per_mille{500}) ? end::before_commit : end::before_answer;
    }
    auto finish = [this, session, work = std::move(work), answer, how] {
        if (!session->has_session()) {
            return;  // rolled back
        }
        if (how == end::before_commit) {
            break_off(*session, "before a commit");
            return;
        }
        work();
        if (how == end::before_answer) {
            break_off(*session, "between a commit and its answer");
            return;
        }
        answer(result<>{});
    };
    const bool stalls = random_.happens(manners_.stalls);
    const std::chrono::nanoseconds span = stalls ? random_.between(0ms, longest_stall)
                                                 : random_.skewed(0ms, at_most);
    if (span == 0ms) {
        finish();
    } else {
        world_.after(span, std::move(finish));
    }
}

void sim_database::break_off(sim_connection& session, const char* when) {
    world_.note("FAULT: a session of {} ends {}", session.host().name(), when);
    const bool is_told = random_.happens(per_mille{500});
    session.end_session(is_told ? session_end::told : session_end::reset);
}

server_action sim_database::run(std::shared_ptr<operation> request) {
    return
        [this, request = std::move(request)](const auto& session, const answer_function& answer) {
            run_group(session, 0ms, [this, request] { apply(*request); }, answer);
        };
}

server_action sim_database::commit(
    std::shared_ptr<detail::typed_operation<ops::commit>> request, lease_name room
) {
    return [this, request = std::move(request), room = std::move(room)](
               const std::shared_ptr<sim_connection>& session, const answer_function& answer
           ) {
        // An unlock takes effect at once, wherever it stands.
        if (unlocks_in_the_commits_group()) {
            locks_.unlock(*session, room.encoded());
        }
        auto work = [this, session, request, room] {
            const sim_connection* const holder = locks_.holder(room.encoded());
            const bool is_protected = holder == session.get() ||
                                      (unlocks_in_the_commits_group() && holder == nullptr);
            if (!is_protected) {
                world_.fail(
                    "a commit becomes visible while its session does not hold " + room.display()
                );
            }
            apply(*request);
        };
        run_group(session, next_statement, std::move(work), answer);
    };
}

server_action sim_database::unlock(server_action action) {
    return [this, action = std::move(action)](const auto& session, const answer_function& answer) {
        world_.after(random_.skewed(0ms, next_statement), [session, action, answer] {
            if (session->has_session()) {
                action(session, answer);
            }
        });
    };
}

server_action sim_database::write_steps(std::vector<std::shared_ptr<step>> steps) {
    return [this, steps = std::move(steps)](const auto& session, const answer_function& answer) {
        const bool is_refused = steps.size() > 1 &&
                                std::ranges::any_of(steps, [this](const auto& one) {
                                    return manners_.sulky_rooms.contains(one->request().room);
                                });
        if (is_refused) {
            answer(errc::io_failed);
            return;
        }
        auto work = [this, steps] {
            world_.note("db: {} steps together", steps.size());
            for (const auto& one : steps) {
                apply(*one);
            }
        };
        run_group(session, next_statement, std::move(work), answer);
    };
}

// -- faults --------------------------------------------------------------------------------------------

void sim_database::restart(const std::vector<sim_host*>& hosts, std::chrono::nanoseconds down_for) {
    was_restarted_ = true;
    up_again_ = world_.now() + down_for;
    const auto how = random_.happens(per_mille{500}) ? session_end::told : session_end::reset;
    for (const sim_host* const host : hosts) {
        for (const auto& connection : host->connections()) {
            connection->end_session(how);
        }
    }
}

bool sim_database::is_settled() const noexcept {
    return !was_restarted_ || world_.now() >= up_again_ + settling_time;
}

}  // namespace convene
