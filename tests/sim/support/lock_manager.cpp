// SPDX-License-Identifier: Apache-2.0
// Acquiring, losing and giving back leases on simulated sessions.
#include "sim/support/lock_manager.hpp"

#include "convene/wait.hpp"

#include <algorithm>
#include <utility>

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t commit_connections = 8;
constexpr auto pause_after_lost_connection = 20ms;

/// A request for a lock on its way. Whoever drops it before it was granted gives the lock up.
class lock_request {
   public:
    lock_request(
        sim_lock_service& service,
        std::shared_ptr<sim_connection> session,
        std::string key,
        server_action action
    )
        : service_(service),
          session_(std::move(session)),
          key_(std::move(key)),
          call_(session_->start(request_kind::read, std::move(action))) {}

    lock_request(const lock_request&) = delete;
    lock_request& operator=(const lock_request&) = delete;

    ~lock_request() {
        if (!is_settled_) {
            session_->tell([&service = service_, session = session_, key = key_] {
                service.give_up(*session, key);
            });
        }
    }

    awaitable<result<>> wait() {
        const result<> waited = co_await call_->answered.wait();
        if (!waited) {
            co_return waited.error();
        }
        is_settled_ = true;
        co_return call_->outcome;
    }

   private:
    sim_lock_service& service_;
    const std::shared_ptr<sim_connection> session_;
    const std::string key_;
    const std::shared_ptr<sim_call> call_;
    bool is_settled_ = false;
};

}  // namespace

// -- turns ---------------------------------------------------------------------------------------------

sim_local_turns::turn::turn(sim_local_turns& turns, const lease_name& name)
    : turns_(turns), name_(name) {
    std::deque<turn*>& line = turns_.lines_[name_];
    line.push_back(this);
    if (line.front() == this) {
        came_.set();
    }
}

sim_local_turns::turn::~turn() {
    const auto line = turns_.lines_.find(name_);
    std::erase(line->second, this);
    if (line->second.empty()) {
        turns_.lines_.erase(line);
    } else {
        line->second.front()->came_.set();
    }
    turns_.left_.notify_all();
}

bool sim_local_turns::turn::is_awaited_by_others() const {
    return turns_.lines_.at(name_).size() > 1;
}

// -- leases --------------------------------------------------------------------------------------------

sim_lease::sim_lease(
    std::unique_ptr<sim_local_turns::turn> turn,
    sim_lock_service& service,
    std::shared_ptr<sim_connection> session,
    std::optional<sim_connection_pool::lent> own
)
    : name_(turn->name()),
      key_(name_.encoded()),
      service_(service),
      session_(std::move(session)),
      turn_(std::move(turn)),
      own_(std::move(own)),
      lost_(&session_->broken()) {}

sim_lease::~sim_lease() {
    if (is_released_) {
        return;
    }
    if (own_) {
        session_->close();
    } else {
        session_->tell([&service = service_, session = session_, key = key_] {
            service.give_up(*session, key);
        });
    }
}

lease_state sim_lease::state() const noexcept {
    if (lost_.is_requested()) {
        return lease_state::lost;
    }
    const sim_host& host = session_->host();
    const auto silence = host.process().now() - host.last_heard();
    return silence < silence_limits{}.suspect ? lease_state::held : lease_state::suspect;
}

bool sim_lease::is_wanted() const noexcept {
    const bool is_wanted_here = turn_ && turn_->is_awaited_by_others();
    return is_wanted_here || session_->wanted.contains(key_);
}

awaitable<result<>> sim_lease::release() {
    if (is_released_) {
        co_return result<>{};
    }
    is_released_ = true;
    server_action unlock =
        [this_service = &service_, session = session_, key = key_](const answer_function& answer) {
            const bool was_held = this_service->unlock(*session, key);
            answer(was_held ? result<>{} : result<>{errc::lease_lost});
        };
    const result<> unlocked = co_await shielded(
        session_->call(request_kind::write, std::move(unlock))
    );
    give_back();
    if (!unlocked) {
        co_return errc::lease_lost;
    }
    co_return result<>{};
}

void sim_lease::note_released() noexcept {
    is_released_ = true;
    give_back();
}

void sim_lease::give_back() noexcept {
    session_->wanted.erase(key_);
    own_.reset();
    turn_.reset();
}

// -- the manager ---------------------------------------------------------------------------------------

sim_lock_manager::sim_lock_manager(sim_database& database, sim_host& host)
    : database_(database),
      host_(host),
      commits_(database, host, connection_use::lease, commit_connections) {}

awaitable<result<std::unique_ptr<lease>>> sim_lock_manager::acquire(
    lease_name name, deadline until
) {
    if (closing_.is_requested()) {
        co_return errc::unavailable;
    }
    auto work = cancelled_by(&closing_, acquire_in_turn(std::move(name)));
    auto locked = co_await with_deadline(until, std::move(work));
    co_return locked;
}

awaitable<sim_lock_manager::acquired> sim_lock_manager::acquire_in_turn(lease_name name) {
    auto turn = std::make_unique<sim_local_turns::turn>(turns_, name);
    const result<> came = co_await turn->wait();
    if (!came) {
        co_return came.error();
    }
    for (;;) {
        auto locked = co_await lock_in_turn(&turn, patience::endless);
        if (locked || locked.error() != errc::connection_lost) {
            co_return locked;
        }
        const result<> paused = co_await sleep_for(pause_after_lost_connection);
        if (!paused) {
            co_return paused.error();
        }
    }
}

awaitable<result<std::unique_ptr<lease>>> sim_lock_manager::try_acquire(lease_name name) {
    if (closing_.is_requested()) {
        co_return errc::unavailable;
    }
    if (turns_.is_taken(name)) {
        co_return errc::lease_busy;
    }
    auto turn = std::make_unique<sim_local_turns::turn>(turns_, name);
    auto work = cancelled_by(&closing_, lock_in_turn(&turn, patience::none));
    auto locked = co_await std::move(work);
    if (!locked && locked.error() == errc::connection_lost) {
        co_return errc::unavailable;
    }
    co_return locked;
}

awaitable<sim_lock_manager::acquired> sim_lock_manager::lock_in_turn(
    std::unique_ptr<sim_local_turns::turn>* turn, patience how_long
) {
    if ((*turn)->name().kind() == lease_kind::room) {
        return lock_own_session(turn, how_long);
    }
    return lock_shared_session(turn, how_long);
}

awaitable<sim_lock_manager::acquired> sim_lock_manager::lock_own_session(
    std::unique_ptr<sim_local_turns::turn>* turn, patience how_long
) {
    auto taken = co_await commits_.take();
    if (!taken) {
        co_return taken.error();
    }
    const auto session = taken->connection();
    const result<> locked = co_await lock(session, (*turn)->name(), how_long, lock_wait::blocking);
    if (!locked) {
        co_return locked.error();
    }
    co_return std::make_unique<sim_lease>(
        std::move(*turn), database_.locks(), session, std::move(*taken)
    );
}

awaitable<sim_lock_manager::acquired> sim_lock_manager::lock_shared_session(
    std::unique_ptr<sim_local_turns::turn>* turn, patience how_long
) {
    if (!shared_ || !shared_->is_usable()) {
        auto connected = co_await database_.connect(&host_, connection_use::lease);
        if (!connected) {
            co_return connected.error();
        }
        shared_ = std::move(*connected);
    }
    const auto session = shared_;
    const result<> locked = co_await lock(session, (*turn)->name(), how_long, lock_wait::polling);
    if (!locked) {
        co_return locked.error();
    }
    co_return std::make_unique<sim_lease>(
        std::move(*turn), database_.locks(), session, std::nullopt
    );
}

awaitable<result<>> sim_lock_manager::lock(
    std::shared_ptr<sim_connection> session, lease_name name, patience how_long, lock_wait wait
) {
    sim_lock_service& service = database_.locks();
    std::string key = name.encoded();
    server_action action = [&service, session, key, how_long, wait](const answer_function& answer) {
        if (how_long == patience::none) {
            service.try_lock(session, key, answer);
        } else {
            service.lock(session, key, wait, answer);
        }
    };
    lock_request request(service, session, std::move(key), std::move(action));
    const result<> answered = co_await request.wait();
    co_return answered;
}

awaitable<result<>> sim_lock_manager::close(deadline until) {
    closing_.request(errc::unavailable);
    result<> waited{};
    while (!turns_.is_empty() && waited) {
        waited = co_await with_deadline(until, until_set(&turns_.left()));
    }
    commits_.close();
    if (shared_) {
        // Leases that are still out are lost: their holder was given its time.
        shared_->break_client();
    }
    co_return waited;
}

}  // namespace convene
