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
#include "lease/postgres/advisory_leases.hpp"

namespace convene::postgres {

namespace {

using namespace std::chrono_literals;

// A holder that hears that it is wanted lets go at its next good point; this is for words that got lost.
constexpr auto between_tries = 150ms;
constexpr auto between_room_tries = 30ms;

constexpr auto longest_goodbye = 1s;

session_options options_of(const postgres_lock_options& options) {
    session_options with;
    with.address = options.address;
    with.incarnation = options.incarnation;
    return with;
}

}  // namespace

bool is_granted(answer& given) {
    sql::query rows{&given.rows};
    bool granted = false;
    if (given.is_good() && rows.next()) {
        rows.read(granted);
    }
    return granted;
}

// -- the manager -------------------------------------------------------------------------------------

advisory_lock_manager::advisory_lock_manager(loop& where, const postgres_lock_options& options)
    : where_(where),
      opener_(where, options_of(options)),
      local_(make_in_memory_lock_manager(where)),
      session_(where, opener_),
      bus_({
          &where,
          &opener_,
          options.incarnation,
          [this](const notification& said) { hear(said); },
          [this] { return shown(); },
      }),
      forced_(where, bus_),
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
    scope_.spawn("lease bus", bus_.run());
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

awaitable<result<>> advisory_lock_manager::close(deadline until) {
    const result<> idle = co_await local_->close(until);
    const deadline goodbye{where_.now() + longest_goodbye};
    const result<> left = co_await shielded(with_deadline(goodbye, bus_.leave_board()));
    if (!left) {
        log(log_level::debug, "leases_still_shown", {{"error", left.error()}});
    }
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
    if (said.channel == revoke_channel) {
        const std::optional<lease_name> held = held_under(key);
        if (held && let_go_.insert(*held).second) {
            scope_.spawn("letting go", let_go_for_others(*held));
        }
    }
    if (said.channel == revoked_channel) {
        forced_.hear_given_back(key);
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
