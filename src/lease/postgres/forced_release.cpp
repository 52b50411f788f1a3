// SPDX-License-Identifier: Apache-2.0
// Questions to pg_locks, and the one statement that ends a session.
#include "lease/postgres/forced_release.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/log.hpp"

namespace convene::postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 100ms;
constexpr auto longest_ending = 5s;

/// The sessions that hold the key ?1, in this database and for themselves alone: one at most.
constexpr const char* holders =
    " FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND mode ="
    " 'ExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname ="
    " current_database()) AND ((classid::bigint << 32) | objid::bigint) = ?1";

}  // namespace

awaitable<result<std::int64_t>> forced_release::find_session(std::int64_t key) {
    request read;
    read.add("SELECT pid" + std::string{holders}, key);
    auto answers = co_await bus_.ask(std::move(read));
    if (!answers) {
        co_return answers.error();
    }
    if (!answers->front().is_good()) {
        co_return answers->front().error->code;
    }
    std::int64_t session = 0;
    sql::query rows{&answers->front().rows};
    if (!rows.next()) {
        co_return errc::not_found;
    }
    rows.read(session);
    co_return session;
}

awaitable<result<bool>> forced_release::is_free_of(std::int64_t key, std::int64_t session) {
    const result<std::int64_t> holder = co_await find_session(key);
    if (!holder && holder.error() != errc::not_found) {
        co_return holder.error();
    }
    co_return !holder || *holder != session;
}

awaitable<result<>> forced_release::ask_for(std::int64_t key, std::int64_t session) {
    wait_flag given_back;
    const auto asking = asking_.emplace(key, &given_back);
    // Leaves the list on every way out, also when this coroutine is destroyed.
    const auto leave = [this](auto* entry) { asking_.erase(*entry); };
    const std::unique_ptr<const decltype(asking), decltype(leave)> standing{&asking, leave};
    for (;;) {
        // Said again and again: a holder that has just started, or connects anew, does not listen yet.
        request say;
        say.add("SELECT pg_notify('convene_revoke', ?1)", std::to_string(key));
        const auto said = co_await bus_.ask(std::move(say));
        if (!said) {
            co_return said.error();
        }
        const deadline again{where_.now() + between_looks};
        const result<> heard = co_await with_deadline(again, until_set(&given_back));
        const coroutine_context context = co_await this_context();
        const result<> still_wanted = context.check_cancelled();
        if (!still_wanted) {
            co_return still_wanted.error();
        }
        if (heard) {
            // Said by the session behind its unlock. The same worker may have been the next to get it.
            co_return result<>{};
        }
        const result<bool> free = co_await is_free_of(key, session);
        if (!free) {
            co_return free.error();
        }
        if (*free) {
            co_return result<>{};
        }
    }
}

awaitable<result<>> forced_release::end_session(std::int64_t key, std::int64_t session) {
    request end;
    end.add(
        "SELECT pg_terminate_backend(pid)::int" + std::string{holders} + " AND pid = ?2",
        key,
        session
    );
    const auto answers = co_await bus_.ask(std::move(end));
    if (!answers) {
        co_return answers.error();
    }
    if (!answers->front().is_good()) {
        log(log_level::warn,
            "lease_session_not_ended",
            {{"backend", session}, {"detail", answers->front().error->text}});
        co_return errc::unavailable;
    }
    const deadline until{where_.now() + longest_ending};
    const result<> freed = co_await with_deadline(until, until_free(key, session));
    co_return freed;
}

/// A backend needs a moment to end.
awaitable<result<>> forced_release::until_free(std::int64_t key, std::int64_t session) {
    for (;;) {
        const result<bool> free = co_await is_free_of(key, session);
        if (!free) {
            co_return free.error();
        }
        if (*free) {
            co_return result<>{};
        }
        const result<> slept = co_await sleep_for(between_looks);
        if (!slept) {
            co_return slept.error();
        }
    }
}

void forced_release::hear_given_back(std::int64_t key) {
    const auto [first, last] = asking_.equal_range(key);
    std::for_each(first, last, [](const auto& asking) { asking.second->set(); });
}

}  // namespace convene::postgres
