// SPDX-License-Identifier: Apache-2.0
// Acquiring, waiting and giving back; what holders in other processes are told.
#include "lease/postgres/postgres_lock_manager.hpp"

#include "convene/random.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.hpp"
#include "base/log.hpp"
#include "base/uuid.hpp"
#include "lease/postgres/advisory_leases.hpp"

namespace convene::postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto between_room_tries = 30ms;

constexpr auto longest_goodbye = 1s;

/// What a word says behind the key: a space and a number, or nothing that is understood.
std::optional<int> number_behind(std::string_view rest) {
    int number = 0;
    const char* const end = rest.data() + rest.size();
    const bool is_there = rest.starts_with(' ') &&
                          std::from_chars(rest.data() + 1, end, number).ec == std::errc{};
    return is_there ? std::optional{number} : std::nullopt;
}

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
    is_started_ = true;
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

result<> advisory_lock_manager::may_hold_more() const {
    if (!is_started_) {
        return errc::unavailable;
    }
    return capacity_.has_room(held_.size()) ? result<>{} : result<>{errc::lease_capacity};
}

awaitable<result<std::unique_ptr<lease>>> advisory_lock_manager::acquire_long(lease_name name) {
    const monotonic_time asked_at = where_.now();
    auto place = co_await local_->acquire(name, deadline::never());
    if (!place) {
        co_return place.error();
    }
    const result<> allowed = may_hold_more();
    if (!allowed) {
        co_return allowed.error();
    }
    const std::int64_t key = name.key();
    lock_wait mine;
    mine.tried_at = where_.now();
    // Who gave up a moment ago and asks again, as lanes do, or the next one of this process, still has the place.
    const auto left = line_.place_of(key, session_.number(), mine.tried_at);
    mine.since = std::min(asked_at, left.value_or(asked_at));
    const auto waiting = waiting_.emplace(key, &mine);
    // Leaves the list on every way out, also when this coroutine is destroyed.
    const auto leave = [this](auto* entry) { waiting_.erase(*entry); };
    const std::unique_ptr<const decltype(waiting), decltype(leave)> standing{&waiting, leave};
    for (;;) {
        const monotonic_time now = where_.now();
        if (now - mine.tried_at >= courtesy_of(key, mine.since)) {
            mine.tried_at = now;
            const result<bool> granted = co_await session_.try_lock(key);
            if (granted && *granted) {
                co_return std::make_unique<long_lease>(*this, *std::move(place));
            }
            if (!granted && granted.error() != errc::connection_lost) {
                co_return granted.error();
            }
        }
        // A holder that hears it lets go at its next good point; others who wait hear who has waited longer.
        say_wanted(key, mine.since);
        const deadline again{where_.now() + waiting_line::between_words};
        const result<> heard = co_await with_deadline(again, until_set(&mine.turn));
        const coroutine_context context = co_await this_context();
        const result<> still_wanted = context.check_cancelled();
        if (!still_wanted) {
            co_return still_wanted.error();
        }
        static_cast<void>(heard);  // its turn and the time are both reasons to try
        mine.turn.reset();
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
    const result<> allowed = may_hold_more();
    if (!allowed) {
        co_return allowed.error();
    }
    const result<bool> granted = co_await session_.try_lock(name.key());
    if (!granted) {
        co_return granted.error();
    }
    if (!*granted) {
        // Who does not wait takes no place.
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
    const std::string_view payload = said.payload;
    const char* const end = payload.data() + payload.size();
    const char* const behind_key = std::from_chars(payload.data(), end, key).ptr;
    if (said.channel == wanted_channel) {
        hear_wanted(key, number_behind({behind_key, end}), said.session);
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
        hear_released(key, said.session);
    }
}

/// Who does not say for how long it has waited takes no place in the line: it has tried once, or is of an older release,
/// which tries whenever it can.
void advisory_lock_manager::hear_wanted(
    std::int64_t key, std::optional<int> waited_ms, int session
) {
    if (waited_ms && *waited_ms >= 0) {
        const monotonic_time now = where_.now();
        line_.enter(key, {session, now - std::chrono::milliseconds{*waited_ms}}, now);
    }
    if (session == session_.number()) {
        return;  // of the time before it was granted
    }
    for (long_lease* const one : held_) {
        if (one->key() == key) {
            one->want();
        }
    }
}

/// The first in line tries at once. The others leave it the time to come.
void advisory_lock_manager::hear_released(std::int64_t key, int session) {
    line_.leave(key, session);
    const auto [first, last] = waiting_.equal_range(key);
    for (auto waiting = first; waiting != last; ++waiting) {
        lock_wait& one = *waiting->second;
        one.tried_at = where_.now();
        if (courtesy_of(key, one.since) == std::chrono::milliseconds{0}) {
            one.turn.set();
        }
    }
}

void advisory_lock_manager::say_wanted(std::int64_t key, monotonic_time since) {
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(where_.now() - since);
    session_.notify(wanted_channel, std::to_string(key) + ' ' + std::to_string(waited.count()));
}

/// In the round trip of the unlock that is on its way, and behind it. Who waits in this process does not inherit the
/// place, also before our own word comes back.
void advisory_lock_manager::say_released(std::int64_t key) {
    line_.leave(key, session_.number());
    session_.notify(released_channel, std::to_string(key));
}

std::chrono::milliseconds advisory_lock_manager::courtesy_of(std::int64_t key, monotonic_time since)
    const {
    return line_.courtesy(key, {session_.number(), since}, where_.now());
}

bool advisory_lock_manager::is_wanted_by_others(std::int64_t key) const {
    return line_.is_wanted_by_others(key, session_.number(), where_.now());
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
