// SPDX-License-Identifier: Apache-2.0
// Hands operations to the pool's threads, lends each a session, and runs it again where others stood in its way.
#include "store/postgres/session_pool.hpp"

#include "convene/random.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#include "base/log.hpp"

namespace convene::postgres {

namespace {

// Conflicts end with the transactions they were met in: one that loses this often, after pauses that grow, meets no
// accident. All tries together take less than two seconds.
constexpr int max_tries = 16;
constexpr int doublings = 7;
constexpr int tries_for_a_key = 3;

/// Those who met once meet again unless each waits for a time of its own.
void pause_before(int next_try) {
    const int doubled = std::min(next_try, doublings);
    const std::uint64_t most = std::uint64_t{1} << static_cast<unsigned>(doubled);
    std::this_thread::sleep_for(std::chrono::milliseconds{system_random().below(most)});
}

constexpr std::chrono::milliseconds between_connects{250};

transaction_kind kind_of(const operation& work) {
    if (work.is_read_only()) {
        return transaction_kind::reading;
    }
    if (work.locks_first()) {
        return transaction_kind::locking;
    }
    return work.guards_itself() ? transaction_kind::comparing : transaction_kind::writing;
}

}  // namespace

/// A session with its tables. Used by one thread at a time.
class session_pool::member {
   public:
    member(session_options options, const wall_clock* replacement)
        : options_(std::move(options)), replacement_(replacement) {}

    [[nodiscard]] result<> run(operation& work) {
        for (int tries = 1;; ++tries) {
            if (const result<> ready = connect(); !ready) {
                return ready;
            }
            const result<> done = run_once(work);
            const session& database = *open_->database;
            // An operation looks first whether what it adds is there. A key that is taken all the same was taken by
            // another transaction meanwhile, which the next try sees; or twice by the operation itself.
            const bool looks_again = database.met_a_taken_key() && tries < tries_for_a_key;
            if (!looks_again && (done || !database.is_worth_repeating())) {
                return done;
            }
            if (tries == max_tries) {
                log(log_level::warn,
                    "operation_gave_up",
                    {{"operation", work.name()},
                     {"tries", tries},
                     {"detail", open_->database->failure_text()}});
                return done;
            }
            pause_before(tries);
        }
    }

   private:
    struct connected {
        connected(std::unique_ptr<session> opened, const wall_clock* replacement)
            : database(std::move(opened)),
              clock(*database, replacement),
              tables(*database, clock) {}

        std::unique_ptr<session> database;
        session_clock clock;
        postgres_tables tables;
    };

    [[nodiscard]] result<> connect() {
        if (open_ && !open_->database->is_broken()) {
            return {};
        }
        open_.reset();
        const auto now = std::chrono::steady_clock::now();
        if (now < next_connect_) {
            return errc::unavailable;
        }
        next_connect_ = now + between_connects;
        result<std::unique_ptr<session>> opened = session::open(options_);
        if (!opened) {
            return opened.error();
        }
        next_connect_ = {};
        open_ = std::make_unique<connected>(*std::move(opened), replacement_);
        return {};
    }

    [[nodiscard]] result<> run_once(operation& work) {
        session& database = *open_->database;
        database.begin(kind_of(work));
        if (database.failure()) {
            return database.failure();
        }
        open_->clock.start_transaction();
        work.apply_to(open_->tables);
        if (work.has_failed()) {
            database.roll_back();
            // The answer tells, unless the operation is to be tried again.
            return database.is_worth_repeating() ? result<>{errc::store_busy} : result<>{};
        }
        return database.commit();
    }

    const session_options options_;
    const wall_clock* replacement_;
    std::unique_ptr<connected> open_;
    std::chrono::steady_clock::time_point next_connect_;
};

session_pool::session_pool(
    const session_options& options, std::size_t size, const wall_clock* replacement
) {
    for (std::size_t i = 0; i < size; ++i) {
        members_.push_back(std::make_unique<member>(options, replacement));
        free_.push_back(members_.back().get());
    }
    threads_ = std::make_unique<blocking_pool>(size);
}

session_pool::~session_pool() = default;

awaitable<result<>> session_pool::run(std::shared_ptr<operation> work) {
    if (is_closing_) {
        co_return errc::unavailable;
    }
    const calls_under_way::one counted{calls_};
    // What was sent to be written is answered with what became of it.
    if (!work->is_read_only()) {
        co_return co_await shielded(run_on_thread(std::move(work)));
    }
    co_return co_await run_on_thread(std::move(work));
}

awaitable<result<>> session_pool::run_on_thread(std::shared_ptr<operation> work) {
    auto on_thread = [this, work = std::move(work)] {
        member& borrowed = borrow();
        const result<> done = borrowed.run(*work);
        give_back(borrowed);
        return done;
    };
    co_return co_await run_on(threads_.get(), std::move(on_thread));
}

awaitable<void> session_pool::close() {
    is_closing_ = true;
    co_await shielded(calls_.until_none());
    threads_.reset();
    members_.clear();
}

// -- on a thread of the pool -------------------------------------------------------------------------

session_pool::member& session_pool::borrow() {
    const std::scoped_lock lock{mutex_};
    // There are as many as threads.
    member& borrowed = *free_.back();
    free_.pop_back();
    return borrowed;
}

void session_pool::give_back(member& borrowed) {
    const std::scoped_lock lock{mutex_};
    free_.push_back(&borrowed);
}

}  // namespace convene::postgres
