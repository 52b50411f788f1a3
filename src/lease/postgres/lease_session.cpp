// SPDX-License-Identifier: Apache-2.0
// Batches what was asked for, watches the server, and loses everything at once when it is gone.
#include "lease/postgres/lease_session.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"

namespace convene::postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto between_heartbeats = 500ms;
constexpr auto silence_is_suspect = 1500ms;
constexpr auto silence_is_loss = 8s;
constexpr auto between_connects = 250ms;

/// `{1,2,3}`
std::string array_of(const std::vector<std::int64_t>& keys) {
    std::string text = "{";
    for (const std::int64_t key : keys) {
        text += (text.size() > 1 ? "," : "") + std::to_string(key);
    }
    return text + '}';
}

/// The keys for which the server answered true.
std::set<std::int64_t> granted_in(answer& given) {
    std::set<std::int64_t> keys;
    sql::query rows{&given.rows};
    while (rows.next()) {
        std::int64_t key = 0;
        bool granted = false;
        rows.read(key, granted);
        if (granted) {
            keys.insert(key);
        }
    }
    return keys;
}

}  // namespace

// -- what callers see --------------------------------------------------------------------------------

awaitable<result<>> lease_session::finish(call_ptr waiting) {
    queue_.push_back(waiting);
    work_.set();
    const result<> waited = co_await waiting->done.wait();
    if (!waited) {
        waiting->is_wanted = false;
        // The answer may have come in between: nobody looks at it any more, and what it granted would stay.
        if (waiting->what == verb::lock && is_held(*waiting)) {
            start_unlock(waiting->key, nullptr);
        }
    }
    co_return waited;
}

bool lease_session::is_held(const call& answered) const noexcept {
    return answered.granted && *answered.granted && answered.generation == generation_;
}

awaitable<result<bool>> lease_session::try_lock(std::int64_t key) {
    auto asked = std::make_shared<call>();
    asked->what = verb::lock;
    asked->key = key;
    const result<> waited = co_await finish(asked);
    if (!waited) {
        co_return waited.error();
    }
    if (asked->granted && *asked->granted && !is_held(*asked)) {
        // The session that was granted it is gone by now.
        co_return errc::connection_lost;
    }
    co_return asked->granted;
}

awaitable<result<>> lease_session::unlock(std::int64_t key) {
    auto asked = std::make_shared<call>();
    asked->what = verb::unlock;
    asked->key = key;
    const result<> waited = co_await shielded(finish(asked));
    static_cast<void>(waited);  // nothing cancels it
    const bool was_held = asked->granted && *asked->granted;
    co_return was_held ? result<>{} : result<>{errc::lease_lost};
}

void lease_session::start_unlock(std::int64_t key, std::shared_ptr<void> kept) {
    auto asked = std::make_shared<call>();
    asked->what = verb::unlock;
    asked->key = key;
    asked->kept = std::move(kept);
    queue_.push_back(std::move(asked));
    work_.set();
}

awaitable<result<std::vector<answer>>> lease_session::ask(request sent) {
    auto asked = std::make_shared<call>();
    asked->what = verb::ask;
    asked->sent = std::move(sent);
    const result<> waited = co_await finish(asked);
    if (!waited) {
        co_return waited.error();
    }
    if (!asked->granted) {
        co_return asked->granted.error();
    }
    co_return std::move(asked->answers);
}

void lease_session::notify(std::string channel, std::string payload) {
    if (connection_ == nullptr) {
        return;  // by the time of the next session it would be old, and there would be many
    }
    notices_.emplace_back(std::move(channel), std::move(payload));
    work_.set();
}

bool lease_session::is_suspect() const noexcept {
    return connection_ == nullptr || where_.now() - heard_at_ > silence_is_suspect;
}

std::chrono::nanoseconds lease_session::connected_for() const noexcept {
    return connection_ == nullptr ? std::chrono::nanoseconds{0} : where_.now() - connected_at_;
}

// -- the session -------------------------------------------------------------------------------------

awaitable<void> lease_session::run() {
    for (;;) {
        const coroutine_context context = co_await this_context();
        if (!context.check_cancelled()) {
            break;
        }
        if (connection_ == nullptr) {
            const result<> connected = co_await connect();
            if (!connected) {
                lose();
                const result<> slept = co_await sleep_for(between_connects);
                static_cast<void>(slept);  // a cancelled one ends the loop above
                continue;
            }
        }
        const deadline beat{heard_at_ + between_heartbeats};
        const result<> woken = co_await with_deadline(beat, until_set(&work_));
        if (!woken && woken.error() != errc::timed_out) {
            break;
        }
        work_.reset();
        const deadline loss{heard_at_ + silence_is_loss};
        const result<> served = co_await with_deadline(loss, serve_batch());
        const coroutine_context after = co_await this_context();
        if (!served && after.check_cancelled()) {
            log(log_level::warn, "lease_session_lost", {{"error", served.error()}});
            lose();
        }
    }
    lose();
}

awaitable<result<>> lease_session::connect() {
    auto opened = co_await opener_.open(session_kind::leases);
    if (!opened) {
        co_return opened.error();
    }
    connection_ = *std::move(opened);
    connected_at_ = where_.now();
    heard_at_ = connected_at_;
    co_return result<>{};
}

/// One round trip: what is queued, and the heartbeat, which is whatever is answered. The number of locks that the
/// server says this session holds is compared with the table: a difference is a bug, and the session is given up.
awaitable<result<>> lease_session::serve_batch() {
    std::vector<call_ptr> batch;
    std::vector<std::int64_t> to_lock;
    std::vector<std::int64_t> to_unlock;
    request sent;
    for (const call_ptr& one : queue_) {
        if (one->is_wanted) {
            batch.push_back(one);
        }
    }
    queue_.clear();
    std::erase_if(batch, [&](const call_ptr& one) {
        // Nobody holds it any more: an earlier session did.
        const bool is_gone = one->what == verb::unlock && !held_.contains(one->key);
        if (is_gone) {
            one->granted = false;
            one->done.set();
        }
        return is_gone;
    });
    for (const call_ptr& one : batch) {
        if (one->what == verb::lock) {
            to_lock.push_back(one->key);
        } else if (one->what == verb::unlock) {
            to_unlock.push_back(one->key);
        }
    }
    // Given back first: a key may be asked for again by the next in line before the lock of a caller who has left is
    // gone, and a session that has a lock would get it a second time.
    sent.add(
        "SELECT k, pg_advisory_unlock(k)::int FROM unnest((?1)::bigint[]) AS k", array_of(to_unlock)
    );
    sent.add(
        "SELECT k, pg_try_advisory_lock(k)::int FROM unnest((?1)::bigint[]) AS k", array_of(to_lock)
    );
    sent.add(
        "SELECT count(*), pg_backend_pid() FROM pg_locks WHERE locktype = 'advisory' AND"
        " pid = pg_backend_pid() AND mode = 'ExclusiveLock'"
    );
    sent.end_group();
    for (auto& [channel, payload] : std::exchange(notices_, {})) {
        sent.add("SELECT pg_notify(?1, ?2)", channel, payload);
    }
    const std::size_t fixed = sent.statements().size();
    sent.end_group();
    for (const call_ptr& one : batch) {
        if (one->what == verb::ask) {
            sent.append(one->sent);
        }
    }
    auto answers = co_await connection_->run(std::move(sent));
    if (!answers) {
        for (const call_ptr& one : batch) {
            one->done.set();
        }
        co_return answers.error();
    }
    heard_at_ = where_.now();
    if (!(*answers)[0].is_good() || !(*answers)[1].is_good() || !(*answers)[2].is_good()) {
        for (const call_ptr& one : batch) {
            one->done.set();
        }
        co_return errc::connection_lost;
    }
    std::int64_t counted = 0;
    sql::query heartbeat{&(*answers)[2].rows};
    if (heartbeat.next()) {
        heartbeat.read(counted, number_);
    }
    const std::set<std::int64_t> unlocked = granted_in((*answers)[0]);
    const std::set<std::int64_t> locked = granted_in((*answers)[1]);
    for (const std::int64_t key : unlocked) {
        held_.erase(key);
    }
    held_.insert(locked.begin(), locked.end());
    std::size_t next = fixed;
    for (const call_ptr& one : batch) {
        switch (one->what) {
            case verb::lock:
                one->granted = locked.contains(one->key);
                one->generation = generation_;
                if (!one->is_wanted && *one->granted) {
                    start_unlock(one->key, nullptr);
                }
                break;
            case verb::unlock:
                one->granted = unlocked.contains(one->key);
                break;
            case verb::ask:
                for (std::size_t i = 0; i < one->sent.statements().size(); ++i) {
                    one->answers.push_back(std::move((*answers)[next++]));
                }
                one->granted = true;
                break;
        }
        one->done.set();
    }
    if (counted != static_cast<std::int64_t>(held_.size())) {
        log(log_level::error,
            "lease_table_differs",
            {{"server", counted}, {"table", static_cast<std::int64_t>(held_.size())}});
        co_return errc::lease_lost;
    }
    co_return result<>{};
}

void lease_session::lose() {
    for (const call_ptr& one : std::exchange(queue_, {})) {
        one->granted = errc::connection_lost;
        one->done.set();
    }
    if (connection_ == nullptr) {
        return;
    }
    connection_.reset();
    held_.clear();
    notices_.clear();
    number_ = 0;
    ++generation_;
    if (on_lost_) {
        on_lost_();
    }
}

}  // namespace convene::postgres
