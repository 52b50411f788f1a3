// SPDX-License-Identifier: Apache-2.0
// Acquiring, losing and giving back leases on simulated sessions.
#include "sim/support/lock_manager.hpp"

#include "convene/wait.hpp"

#include <algorithm>
#include <utility>

#include "base/mutant.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t commit_connections = 8;

/// Of them, those that wait inside the server: others must find one.
constexpr std::size_t most_parked = (commit_connections - 1) / 2;

constexpr auto between_tries = 150ms;
constexpr auto between_room_tries = 30ms;

/// A try on the shared session, on its way. Whoever drops it before it was answered gives the lock up.
class lock_try {
   public:
    lock_try(sim_lock_service& service, std::shared_ptr<sim_connection> session, std::string key)
        : service_(service), session_(std::move(session)), key_(std::move(key)) {
        server_action ask = [&service, key = key_](
                                const auto& asking, const answer_function& answer
                            ) { service.try_lock(asking, key, answer); };
        call_ = session_->start(request_kind::read, {std::move(ask)});
    }

    lock_try(const lock_try&) = delete;
    lock_try& operator=(const lock_try&) = delete;

    ~lock_try() {
        if (!is_settled_) {
            session_->tell([&service = service_,
                            key = key_](const auto& asked, const answer_function& answer) {
                service.unlock(*asked, key);
                answer(result<>{});
            });
        }
    }

    awaitable<result<>> wait() {
        const result<> waited = co_await call_->answered.wait();
        if (!waited) {
            co_return waited.error();
        }
        is_settled_ = true;
        co_return call_->reached ? call_->answers.front() : call_->reached;
    }

   private:
    sim_lock_service& service_;
    const std::shared_ptr<sim_connection> session_;
    const std::string key_;
    std::shared_ptr<sim_call> call_;
    bool is_settled_ = false;
};

/// Counts itself while it exists, also when its coroutine is dropped.
class counted_if {
   public:
    counted_if(std::size_t& count, bool counts) : count_(count), counts_(counts) {
        count_ += counts_ ? 1 : 0;
    }

    counted_if(const counted_if&) = delete;
    counted_if& operator=(const counted_if&) = delete;

    ~counted_if() { count_ -= counts_ ? 1 : 0; }

   private:
    std::size_t& count_;
    const bool counts_;
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
    sim_lock_manager& manager,
    std::shared_ptr<sim_connection> session,
    std::optional<sim_connection_pool::lent> own
)
    : name_(turn->name()),
      key_(name_.encoded()),
      manager_(manager),
      session_(std::move(session)),
      turn_(std::move(turn)),
      own_(std::move(own)),
      lost_(&session_->broken()) {
    if (!own_) {
        manager_.held_.insert(this);
    }
}

sim_lease::~sim_lease() {
    manager_.held_.erase(this);
    if (is_released_) {
        return;
    }
    if (own_) {
        // What it was doing is not known: the lock ends with the connection.
        session_->close();
    } else {
        session_->tell(unlock());
    }
}

lease_state sim_lease::state() const noexcept {
    if (lost_.is_requested()) {
        return lease_state::lost;
    }
    const sim_host& host = session_->host();
    const auto silence = host.process().now() - host.last_heard();
    const bool is_suspect = !own_ && silence >= silence_limits{}.suspect;
    return is_suspect ? lease_state::suspect : lease_state::held;
}

bool sim_lease::is_wanted() const noexcept {
    const bool is_wanted_here = turn_ && turn_->is_awaited_by_others();
    return is_wanted_here || is_wanted_elsewhere_;
}

void sim_lease::want() {
    is_wanted_elsewhere_ = true;
    tell_wanted();
}

server_action sim_lease::unlock() const {
    return [&service = manager_.database_.locks(),
            key = key_](const auto& session, const answer_function& answer) {
        const bool was_held = service.unlock(*session, key);
        answer(was_held ? result<>{} : result<>{errc::lease_lost});
    };
}

awaitable<result<>> sim_lease::release() {
    if (is_released_) {
        co_return result<>{};
    }
    is_released_ = true;
    const result<> unlocked = co_await shielded(session_->call(request_kind::write, unlock()));
    released_by(unlocked);
    co_return unlocked ? result<>{} : result<>{errc::lease_lost};
}

void sim_lease::released_by(const result<>& unlocked) {
    is_released_ = true;
    if (own_ && !unlocked) {
        session_->close();
    }
    give_back();
}

void sim_lease::give_back() noexcept {
    own_.reset();
    turn_.reset();
}

// -- the manager ---------------------------------------------------------------------------------------

sim_lock_manager::sim_lock_manager(sim_database& database, sim_host& host)
    : database_(database),
      host_(host),
      commits_(database, host, connection_use::lease, commit_connections) {}

awaitable<sim_lock_manager::acquired> sim_lock_manager::acquire(lease_name name, deadline until) {
    if (name.kind() == lease_kind::room) {
        std::vector<server_action> nothing;
        auto inside = co_await enter(std::move(name), std::move(nothing), until);
        if (!inside) {
            co_return inside.error();
        }
        co_return std::move(inside->held);
    }
    if (closing_.is_requested()) {
        co_return errc::unavailable;
    }
    auto work = cancelled_by(&closing_, acquire_in_turn(std::move(name)));
    auto locked = co_await with_deadline(until, std::move(work));
    co_return locked;
}

awaitable<sim_lock_manager::acquired> sim_lock_manager::try_acquire(lease_name name) {
    if (closing_.is_requested()) {
        co_return errc::unavailable;
    }
    if (turns_.is_taken(name)) {
        co_return errc::lease_busy;
    }
    auto turn = std::make_unique<sim_local_turns::turn>(turns_, name);
    auto locked = co_await cancelled_by(&closing_, try_in_turn(std::move(turn)));
    co_return locked;
}

// -- long leases ---------------------------------------------------------------------------------------

awaitable<sim_lock_manager::acquired> sim_lock_manager::try_in_turn(
    std::unique_ptr<sim_local_turns::turn> turn
) {
    auto locked = co_await lock_shared(turn->name().encoded());
    if (!locked) {
        const bool is_out_of_reach = locked.error() == errc::connection_lost;
        co_return is_out_of_reach ? make_error_code(errc::unavailable) : locked.error();
    }
    co_return std::make_unique<sim_lease>(std::move(turn), *this, std::move(*locked), std::nullopt);
}

awaitable<sim_lock_manager::acquired> sim_lock_manager::acquire_in_turn(lease_name name) {
    auto turn = std::make_unique<sim_local_turns::turn>(turns_, name);
    const result<> came = co_await turn->wait();
    if (!came) {
        co_return came.error();
    }
    wait_flag released;
    const auto waiting = waiting_.emplace(name.encoded(), &released);
    const auto leave = [this](const waiters::iterator* entry) { waiting_.erase(*entry); };
    const std::unique_ptr<const waiters::iterator, decltype(leave)> standing{&waiting, leave};
    for (;;) {
        auto locked = co_await lock_shared(name.encoded());
        if (locked) {
            co_return std::make_unique<sim_lease>(
                std::move(turn), *this, std::move(*locked), std::nullopt
            );
        }
        const bool may_come = locked.error() == errc::lease_busy ||
                              locked.error() == errc::connection_lost;
        if (!may_come) {
            co_return locked.error();
        }
        // A word of release and the time are both reasons to try: words get lost.
        const coroutine_context context = co_await this_context();
        const bool trusts_words = CONVENE_MUTANT("word_of_release_is_trusted");
        const deadline again = trusts_words ? deadline::never()
                                            : deadline{context.where->now() + between_tries};
        const result<> heard = co_await with_deadline(again, until_set(&released));
        const result<> still_wanted = context.check_cancelled();
        if (!heard && !still_wanted) {
            co_return still_wanted.error();
        }
        released.reset();
    }
}

/// Tries the name on the session that all long leases share, and answers with it.
awaitable<result<std::shared_ptr<sim_connection>>> sim_lock_manager::lock_shared(std::string key) {
    auto session = co_await shared_session();
    if (!session) {
        co_return session.error();
    }
    lock_try asked(database_.locks(), *session, std::move(key));
    const result<> answered = co_await asked.wait();
    if (!answered) {
        co_return answered.error();
    }
    co_return std::move(*session);
}

awaitable<result<std::shared_ptr<sim_connection>>> sim_lock_manager::shared_session() {
    if (shared_ && shared_->is_usable()) {
        co_return shared_;
    }
    auto connected = co_await database_.connect(&host_, connection_use::lease);
    if (!connected) {
        co_return connected.error();
    }
    if (shared_ && shared_->is_usable()) {
        // Another was faster: names are taken on one session.
        (*connected)->close();
        co_return shared_;
    }
    shared_ = std::move(*connected);
    shared_->listen(
        {[this](const std::string& key) { hear_wanted(key); },
         [this](const std::string& key) { hear_released(key); }}
    );
    co_return shared_;
}

void sim_lock_manager::hear_wanted(const std::string& key) {
    const auto wanted = std::ranges::find(held_, key, &sim_lease::key);
    if (wanted != held_.end()) {
        (*wanted)->want();
    }
}

void sim_lock_manager::hear_released(const std::string& key) {
    const auto [first, last] = waiting_.equal_range(key);
    std::for_each(first, last, [](const auto& waiting) { waiting.second->set(); });
}

// -- room locks ----------------------------------------------------------------------------------------

awaitable<result<sim_lock_manager::entered>> sim_lock_manager::enter(
    lease_name room, std::vector<server_action> reads, deadline until
) {
    if (closing_.is_requested()) {
        co_return errc::unavailable;
    }
    auto work = cancelled_by(&closing_, enter_in_turn(std::move(room), std::move(reads)));
    auto inside = co_await with_deadline(until, std::move(work));
    co_return inside;
}

/// The first look does not wait. A contended room is then awaited inside the server, but by some only.
awaitable<result<sim_lock_manager::entered>> sim_lock_manager::enter_in_turn(
    lease_name room, std::vector<server_action> reads
) {
    auto turn = std::make_unique<sim_local_turns::turn>(turns_, room);
    const result<> came = co_await turn->wait();
    if (!came) {
        co_return came.error();
    }
    sim_lock_service& service = database_.locks();
    const std::string key = room.encoded();
    bool may_park = false;
    for (;;) {
        auto taken = co_await commits_.take();
        if (!taken) {
            co_return taken.error();
        }
        std::optional<sim_connection_pool::lent> lent{std::move(*taken)};
        const auto session = lent->connection();
        const bool parks = may_park && parked_ < most_parked;
        std::vector<server_action> groups = reads;
        groups.insert(
            groups.begin(),
            [&service, key, parks](const auto& asking, const answer_function& answer) {
                parks ? service.lock(asking, key, answer) : service.try_lock(asking, key, answer);
            }
        );
        std::optional<counted_if> parked{std::in_place, parked_, parks};
        auto answers = co_await session->exchange(request_kind::read, std::move(groups));
        parked.reset();
        if (!answers && answers.error() == errc::connection_lost) {
            continue;  // it had ended while it was idle; there are as many as the pool has
        }
        if (!answers) {
            // Asked over another connection to end the wait, if it gets that far.
            host_.tell_server([&service, session, key] { service.stop_waiting(*session, key); });
            session->close();
            co_return answers.error();
        }
        const result<> locked = answers->front();
        answers->erase(answers->begin());
        if (locked) {
            auto held = std::make_unique<sim_lease>(
                std::move(turn), *this, session, std::move(lent)
            );
            co_return entered{std::move(held), std::move(*answers)};
        }
        const bool keeps_session = locked.error() == errc::lease_busy ||
                                   CONVENE_MUTANT("waiter_keeps_its_session");
        if (!keeps_session) {
            // The lock may have been granted in the moment in which the wait ended.
            session->close();
        }
        lent.reset();
        if (may_park && !parks) {
            const result<> slept = co_await sleep_for(between_room_tries);
            if (!slept) {
                co_return slept.error();
            }
        }
        may_park = true;
    }
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
