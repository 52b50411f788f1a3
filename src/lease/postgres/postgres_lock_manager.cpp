// SPDX-License-Identifier: Apache-2.0
// Acquiring, waiting and giving back; what holders in other processes are told.
#include "lease/postgres/postgres_lock_manager.hpp"

#include "convene/random.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "base/uuid.hpp"

namespace convene::postgres {

namespace {

using namespace std::chrono_literals;

// A holder that hears that it is wanted lets go at its next good point; this is for words that got lost.
constexpr auto between_tries = 150ms;
constexpr auto between_room_tries = 30ms;
constexpr auto between_connects = 250ms;

constexpr const char* wanted_channel = "convene_wanted";
constexpr const char* released_channel = "convene_released";

session_options options_of(const postgres_lock_options& options) {
    session_options with;
    with.address = options.address;
    with.incarnation = options.incarnation;
    return with;
}

bool is_granted(answer& given) {
    sql::query rows{&given.rows};
    bool granted = false;
    if (given.is_good() && rows.next()) {
        rows.read(granted);
    }
    return granted;
}

}  // namespace

// -- leases ------------------------------------------------------------------------------------------

/// A lock on the shared session. It is lost when the session is.
class advisory_lock_manager::long_lease final : public lease {
   public:
    long_lease(advisory_lock_manager& manager, std::unique_ptr<lease> place)
        : manager_(manager),
          place_(std::move(place)),
          key_(place_->name().key()),
          generation_(manager.session_.generation()),
          lost_(&place_->lost()) {
        manager_.held_.insert(this);
        place_->when_wanted([this] { tell_wanted(); });
    }

    ~long_lease() override {
        manager_.held_.erase(this);
        place_->when_wanted(nullptr);
        if (!is_given_back_ && has_session()) {
            // The place stays taken until the database has let go.
            manager_.session_.start_unlock(key_, std::shared_ptr<void>{std::move(place_)});
        }
    }

    [[nodiscard]] const lease_name& name() const noexcept override { return place_->name(); }

    [[nodiscard]] lease_state state() const noexcept override {
        if (is_lost() || place_->state() == lease_state::lost) {
            return lease_state::lost;
        }
        return manager_.session_.is_suspect() ? lease_state::suspect : lease_state::held;
    }

    [[nodiscard]] bool is_wanted() const noexcept override {
        return is_wanted_elsewhere_ || place_->is_wanted();
    }

    [[nodiscard]] cancel_source& lost() noexcept override { return lost_; }

    [[nodiscard]] awaitable<result<>> release() override {
        if (std::exchange(is_given_back_, true)) {
            co_return result<>{};
        }
        const bool was_lost = is_lost();
        if (!has_session()) {
            const result<> left = co_await place_->release();
            static_cast<void>(left);
            co_return errc::lease_lost;
        }
        // Said behind the unlock, in the same round trip.
        manager_.session_.notify(released_channel, std::to_string(key_));
        const result<> unlocked = co_await manager_.session_.unlock(key_);
        const result<> left = co_await place_->release();
        static_cast<void>(left);  // the lock of the database is what counts
        co_return was_lost ? result<>{errc::lease_lost} : unlocked;
    }

    [[nodiscard]] std::int64_t key() const noexcept { return key_; }

    void want() {
        is_wanted_elsewhere_ = true;
        tell_wanted();
    }

    void lose() noexcept { lost_.request(errc::lease_lost); }

   private:
    [[nodiscard]] bool is_lost() const noexcept { return lost_.is_requested() || !has_session(); }

    /// False once the session that held the lock is gone, and the lock with it.
    [[nodiscard]] bool has_session() const noexcept {
        return generation_ == manager_.session_.generation();
    }

    advisory_lock_manager& manager_;
    std::unique_ptr<lease> place_;
    const std::int64_t key_;
    const std::uint64_t generation_;
    bool is_wanted_elsewhere_ = false;
    bool is_given_back_ = false;
    cancel_source lost_;  ///< also when the lease is taken away in this process
};

/// A lock on a connection of its own, which is lent to the commit.
class advisory_lock_manager::room_lease final : public lending_lease {
   public:
    room_lease(
        advisory_lock_manager& manager,
        std::unique_ptr<lease> place,
        std::unique_ptr<connection> lent
    )
        : manager_(manager), place_(std::move(place)), lent_(std::move(lent)) {}

    ~room_lease() override {
        if (lent_ != nullptr) {
            // What it was doing is not known: the lock ends with the connection.
            lent_->close();
            manager_.rooms_.give_back(std::move(lent_));
        }
    }

    [[nodiscard]] const lease_name& name() const noexcept override { return place_->name(); }

    [[nodiscard]] lease_state state() const noexcept override {
        return lent_ != nullptr && !lent_->is_broken() ? lease_state::held : lease_state::lost;
    }

    [[nodiscard]] bool is_wanted() const noexcept override { return place_->is_wanted(); }

    [[nodiscard]] cancel_source& lost() noexcept override { return lost_; }

    [[nodiscard]] connection* lent() noexcept override {
        return state() == lease_state::held ? lent_.get() : nullptr;
    }

    void released_by(answer& unlocked) noexcept override {
        if (!is_granted(unlocked)) {
            // Never the case while the session lives; whatever it is, the session is not used again.
            log(log_level::error, "room_lock_was_not_held", {{"lease", name().display()}});
            lent_->close();
        }
        manager_.rooms_.give_back(std::move(lent_));
        place_.reset();
    }

    [[nodiscard]] awaitable<result<>> release() override {
        if (lent_ == nullptr) {
            co_return result<>{};
        }
        request unlock;
        unlock.add("SELECT pg_advisory_unlock(?1)::int", name().key());
        auto answers = co_await shielded(lent_->run(std::move(unlock)));
        const bool was_held = answers && is_granted(answers->front());
        if (!was_held) {
            lent_->close();
        }
        manager_.rooms_.give_back(std::move(lent_));
        const result<> left = co_await place_->release();
        static_cast<void>(left);  // the lock of the database is what counts
        co_return was_held ? result<>{} : result<>{errc::lease_lost};
    }

   private:
    advisory_lock_manager& manager_;
    std::unique_ptr<lease> place_;
    std::unique_ptr<connection> lent_;
    cancel_source lost_;
};

// -- the manager -------------------------------------------------------------------------------------

advisory_lock_manager::advisory_lock_manager(loop& where, const postgres_lock_options& options)
    : where_(where),
      opener_(where, options_of(options)),
      local_(make_in_memory_lock_manager(where)),
      session_(where, opener_),
      rooms_(opener_, session_kind::commits, std::max(options.max_size, std::size_t{3})),
      deaths_(session_, options.incarnation),
      capacity_(session_, options.max_leases),
      max_parked_((rooms_.cap() - 1) / 2),
      scope_(where) {
    session_.on_lost([this] { lose_all(); });
}

advisory_lock_manager::~advisory_lock_manager() = default;

awaitable<result<>> advisory_lock_manager::start() {
    scope_.spawn("lease session", session_.run());
    scope_.spawn("lease bus", listen());
    scope_.spawn("room connections", rooms_.keep_warm());
    scope_.spawn("death watch", deaths_.run());
    scope_.spawn("lease capacity", capacity_.run());
    // The first answer shows that the session is there.
    request nothing;
    nothing.add("SELECT 1");
    const auto answered = co_await session_.ask(std::move(nothing));
    co_return answered ? result<>{} : result<>{answered.error()};
}

awaitable<result<std::unique_ptr<lease>>> advisory_lock_manager::acquire(
    lease_name name, deadline until
) {
    if (name.kind() == lease_kind::room) {
        request nothing;
        auto inside = co_await enter(std::move(name), std::move(nothing), until);
        if (!inside) {
            co_return inside.error();
        }
        co_return std::move(inside->held);
    }
    auto held = co_await with_deadline(until, acquire_long(std::move(name)));
    co_return std::move(held);
}

awaitable<result<std::unique_ptr<lease>>> advisory_lock_manager::acquire_long(lease_name name) {
    auto place = co_await local_->acquire(name, deadline::never());
    if (!place) {
        co_return place.error();
    }
    if (!capacity_.has_room(held_.size())) {
        co_return errc::lease_capacity;
    }
    const std::int64_t key = name.key();
    wait_flag released;
    const auto waiting = waiting_.emplace(key, &released);
    // Leaves the list on every way out, also when this coroutine is destroyed.
    const auto leave = [this](auto* entry) { waiting_.erase(*entry); };
    const std::unique_ptr<const decltype(waiting), decltype(leave)> standing{&waiting, leave};
    for (;;) {
        const result<bool> granted = co_await session_.try_lock(key);
        if (granted && *granted) {
            co_return std::make_unique<long_lease>(*this, *std::move(place));
        }
        if (!granted && granted.error() != errc::connection_lost) {
            co_return granted.error();
        }
        session_.notify(wanted_channel, std::to_string(key));
        const deadline again{where_.now() + between_tries};
        const result<> heard = co_await with_deadline(again, until_set(&released));
        const coroutine_context context = co_await this_context();
        const result<> still_wanted = context.check_cancelled();
        if (!still_wanted) {
            co_return still_wanted.error();
        }
        static_cast<void>(heard);  // a word of release and the time are both reasons to try
        released.reset();
    }
}

awaitable<result<std::unique_ptr<lease>>> advisory_lock_manager::try_acquire(lease_name name) {
    auto place = co_await local_->try_acquire(name);
    if (!place) {
        co_return place.error();
    }
    auto held = co_await hold(*std::move(place), std::move(name));
    co_return std::move(held);
}

awaitable<result<std::unique_ptr<lease>>> advisory_lock_manager::hold(
    std::unique_ptr<lease> place, lease_name name
) {
    if (name.kind() == lease_kind::room) {
        co_return errc::invalid_argument;
    }
    if (!capacity_.has_room(held_.size())) {
        co_return errc::lease_capacity;
    }
    const result<bool> granted = co_await session_.try_lock(name.key());
    if (!granted) {
        co_return granted.error();
    }
    if (!*granted) {
        session_.notify(wanted_channel, std::to_string(name.key()));
        co_return errc::lease_busy;
    }
    co_return std::make_unique<long_lease>(*this, std::move(place));
}

awaitable<result<room_locker::entered>> advisory_lock_manager::enter(
    lease_name room, request reads, deadline until
) {
    auto inside = co_await with_deadline(until, enter_room(std::move(room), std::move(reads)));
    co_return std::move(inside);
}

/// The first look does not wait: most rooms are free, and then one round trip is all. A contended room waits in the
/// server, which serves its waiters in the order they came; but only some may, so that others find a connection.
awaitable<result<room_locker::entered>> advisory_lock_manager::enter_room(
    lease_name room, request reads
) {
    auto place = co_await local_->acquire(room, deadline::never());
    if (!place) {
        co_return place.error();
    }
    const std::int64_t key = room.key();
    bool may_park = false;
    for (;;) {
        auto taken = co_await rooms_.take();
        if (!taken) {
            co_return taken.error();
        }
        std::unique_ptr<connection> lent = *std::move(taken);
        const bool parks = may_park && parked_ < max_parked_;
        request sent;
        if (parks) {
            sent.add("SELECT 1 FROM (SELECT pg_advisory_lock(?1)) AS waited", key);
        } else {
            sent.add("SELECT pg_try_advisory_lock(?1)::int", key);
        }
        sent.end_group();
        sent.append(reads);
        parked_ += parks ? 1 : 0;
        auto answers = co_await lent->run(std::move(sent));
        parked_ -= parks ? 1 : 0;
        if (!answers && answers.error() == errc::connection_lost) {
            // It had ended while it was idle, or the server went away; there are as many of them as the pool has.
            rooms_.give_back(std::move(lent));
            continue;
        }
        if (!answers) {
            rooms_.give_back(std::move(lent));
            co_return answers.error();
        }
        if (is_granted(answers->front())) {
            answers->erase(answers->begin());
            auto held = std::make_unique<room_lease>(*this, *std::move(place), std::move(lent));
            co_return entered{std::move(held), *std::move(answers)};
        }
        const bool has_failed = !answers->front().is_good();
        const bool was_too_long = has_failed && answers->front().error->code == errc::store_busy;
        if (has_failed) {
            // Also when it waited for too long: a lock that is granted in the moment in which the wait ends stays with
            // the session, although the statement has failed (L8).
            lent->close();
        }
        rooms_.give_back(std::move(lent));
        if (has_failed && !was_too_long) {
            co_return errc::connection_lost;
        }
        if (may_park && !parks) {
            const result<> slept = co_await sleep_for(between_room_tries);
            if (!slept) {
                co_return slept.error();
            }
        }
        may_park = true;
    }
}

/// Of the long ones: a room's lock is held for the time of a commit.
std::vector<lease_info> advisory_lock_manager::list() const {
    std::vector<lease_info> held = local_->list();
    std::erase_if(held, [this](const lease_info& one) {
        return std::ranges::none_of(held_, [&one](const long_lease* lease) {
            return lease->name() == one.name;
        });
    });
    return held;
}

awaitable<result<>> advisory_lock_manager::revoke(lease_name name, deadline until) {
    // Whoever leaves the line of this process has given the lock back before.
    const result<> revoked = co_await local_->revoke(std::move(name), until);
    co_return revoked;
}

awaitable<result<>> advisory_lock_manager::close(deadline until) {
    const result<> idle = co_await local_->close(until);
    scope_.request_stop();
    co_await shielded(scope_.join());
    rooms_.close();
    co_return idle;
}

void advisory_lock_manager::lose_all() {
    // Taken one by one: what is told of a loss may give back other leases.
    std::vector<long_lease*> all{held_.begin(), held_.end()};
    for (long_lease* const one : all) {
        if (held_.contains(one)) {
            one->lose();
        }
    }
}

// -- what other processes say ------------------------------------------------------------------------

awaitable<void> advisory_lock_manager::listen() {
    for (;;) {
        const coroutine_context context = co_await this_context();
        if (!context.check_cancelled()) {
            co_return;
        }
        auto opened = co_await opener_.open(session_kind::leases);
        bus_is_open_ = opened.has_value();
        bool listens = false;
        if (opened) {
            request listen;
            listen.add("LISTEN convene_wanted");
            listen.add("LISTEN convene_released");
            const auto answered = co_await (*opened)->run(std::move(listen));
            listens = answered && answered->back().is_good();
        }
        while (listens) {
            const auto heard = co_await (*opened)->wait_for_notifications();
            listens = heard.has_value();
            if (listens) {
                std::ranges::for_each(*heard, [this](const notification& one) { hear(one); });
            }
        }
        bus_is_open_ = false;
        const result<> slept = co_await sleep_for(between_connects);
        static_cast<void>(slept);  // a cancelled one ends the loop above
    }
}

void advisory_lock_manager::hear(const notification& said) {
    std::int64_t key = 0;
    std::from_chars(said.payload.data(), said.payload.data() + said.payload.size(), key);
    if (said.channel == wanted_channel) {
        for (long_lease* const one : held_) {
            if (one->key() == key) {
                one->want();
            }
        }
    }
    if (said.channel == released_channel) {
        const auto [first, last] = waiting_.equal_range(key);
        std::for_each(first, last, [](const auto& waiting) { waiting.second->set(); });
    }
}

}  // namespace convene::postgres

namespace convene {

incarnation_id make_incarnation() {
    return incarnation_id{make_uuid7(system_wall_clock().now(), system_random())};
}

std::unique_ptr<postgres_lock_manager> make_postgres_lock_manager(
    loop& where, const postgres_lock_options& options
) {
    return std::make_unique<postgres::advisory_lock_manager>(where, options);
}

}  // namespace convene
