// SPDX-License-Identifier: Apache-2.0
// Opens and closes the PostgreSQL store and sends operations to its sessions.
#include "convene/postgres_store.hpp"

#include "convene/wait.hpp"

#include <optional>
#include <utility>

#include "base/log.hpp"
#include "postgres/room_entry.hpp"
#include "store/postgres/room_commit.hpp"
#include "store/postgres/schema.hpp"
#include "store/postgres/session_pool.hpp"
#include "store/postgres/step_writer.hpp"
#include "store/store.hpp"

namespace convene {

namespace postgres {

namespace {

/// Longer than a statement may run: a server that has not answered by then does not answer any more.
constexpr std::chrono::seconds longest_commit{45};

session_options session_of(const postgres_options& options) {
    session_options with;
    with.address = options.address;
    with.incarnation = options.incarnation;
    return with;
}

bool writes_steps_together(const postgres_options& options) {
    return options.where != nullptr && options.sessions > 1;
}

std::size_t sessions_beside_steps(const postgres_options& options) {
    return options.sessions - (writes_steps_together(options) ? 1 : 0);
}

/// *Thread safety*, *Lifetime*: as `conversation_store`.
class postgres_store final : public conversation_store {
   public:
    explicit postgres_store(const postgres_options& options)
        : sessions_(session_of(options), sessions_beside_steps(options), options.clock),
          clock_(options.clock) {
        if (writes_steps_together(options)) {
            steps_.emplace(options.where, session_of(options));
        }
    }

    [[nodiscard]] awaitable<result<room_tenure>> enter_room(
        lock_manager* locks, ops::load_room_head head, deadline until
    ) override {
        auto* const lender = dynamic_cast<room_locker*>(locks);
        if (lender == nullptr) {
            co_return co_await conversation_store::enter_room(locks, std::move(head), until);
        }
        lease_name name = lease_name::room(head.organization, head.room);
        const std::optional<wall_time> now = clock_ == nullptr ? std::nullopt
                                                               : std::optional{clock_->now()};
        auto entered = co_await lender->enter(std::move(name), head_request(head, now), until);
        if (!entered) {
            co_return entered.error();
        }
        result<room_head> read = read_head(head, &entered->answers);
        if (!read) {
            const result<> released = co_await entered->held->release();
            static_cast<void>(released);  // nothing was done under it
            co_return read.error();
        }
        room_tenure tenure;
        tenure.lock = std::move(entered->held);
        tenure.head = std::move(read->head);
        tenure.entered_at = now.value_or(read->read_at);
        co_return tenure;
    }

    [[nodiscard]] awaitable<result<ops::commit::answer>> commit(
        room_tenure* tenure, ops::commit batch, unlock_mode after
    ) override {
        auto* const held = dynamic_cast<lending_lease*>(tenure->lock.get());
        if (held == nullptr) {
            co_return co_await conversation_store::commit(tenure, std::move(batch), after);
        }
        if (const result<> fits = check_shape(batch); !fits) {
            co_return fits.error();
        }
        connection* const lent = held->lent();
        if (lent == nullptr) {
            co_return errc::lease_lost;
        }
        const wall_time now = tenure->entered_at;
        request sent = commit_request(batch, tenure->head.room, now);
        const bool unlocks = after == unlock_mode::release;
        if (unlocks) {
            add_unlock(&sent, held->name().key());
        }
        // The commit point: from here on only the answer tells.
        const coroutine_context context = co_await this_context();
        const deadline until{context.where->now() + longest_commit};
        auto answers = co_await shielded(with_deadline(until, lent->run(std::move(sent))));
        if (!answers) {
            co_return errc::outcome_unknown;
        }
        if (unlocks) {
            held->released_by(answers->back());
            tenure->lock.reset();
            answers->pop_back();
        }
        if (const error_code refused = refusal_in(*answers)) {
            co_return refused;
        }
        co_return ops::commit::answer{now};
    }

    [[nodiscard]] awaitable<void> close() override {
        if (steps_) {
            co_await steps_->close();
        }
        co_await sessions_.close();
    }

    [[nodiscard]] std::string name() const override { return "PostgresStore"; }

    [[nodiscard]] bool is_shared_between_processes() const noexcept override { return true; }

   protected:
    [[nodiscard]] awaitable<result<>> execute(std::shared_ptr<operation> request) override {
        auto* const step = dynamic_cast<detail::typed_operation<ops::finish_set>*>(request.get());
        if (steps_ && step != nullptr && step_batches::can_write(step->request())) {
            auto written = co_await steps_->write(step->request());
            step->answer(written);
            co_return result<>{};
        }
        co_return co_await sessions_.run(std::move(request));
    }

   private:
    session_pool sessions_;
    std::optional<step_writer> steps_;  ///< where there is more than one session
    const wall_clock* const clock_;     ///< null: the database's
};

const char* remedy_of(const error_code& refusal) {
    if (refusal == errc::schema_too_new) {
        return "a newer version of this program migrated the database: upgrade";
    }
    if (refusal == errc::schema_unknown) {
        return "the database holds tables that are not ours, or others changed them; nothing was "
               "touched: choose another database or schema";
    }
    if (refusal == errc::not_found) {
        return "the database holds no tables of ours, or older ones: start a worker of this "
               "version, which makes "
               "them";
    }
    if (refusal == errc::timed_out) {
        return "another process has been migrating for long: see pg_stat_activity";
    }
    return "check the address, the password and that the server runs";
}

error_code refused(const error_code& why, const std::string& detail) {
    log(log_level::error,
        "postgres_open_failed",
        {{"error", why}, {"detail", detail}, {"message", remedy_of(why)}});
    return why;
}

/// Makes the index unique if it can be, and else says what stands against it.
void look_at_event_index(session& database, postgres_layout layout) {
    database.forget_failure();
    if (is_event_index_unique(database)) {
        return;
    }
    const sql::duplicate_indexes duplicates = find_duplicate_indexes(database);
    const bool may_change = layout == postgres_layout::bring_up_to_date;
    if (duplicates.rows == 0 && may_change && try_to_make_event_index_unique(database)) {
        return;
    }
    log(log_level::warn,
        "event_index_not_unique",
        {{"message", sql::index_not_unique_warning},
         {"duplicate_rows", duplicates.rows},
         {"affected_rooms", duplicates.rooms}});
}

}  // namespace

}  // namespace postgres

result<std::unique_ptr<conversation_store>> open_postgres_store(const postgres_options& options) {
    if (options.sessions == 0) {
        return errc::invalid_argument;
    }
    // Of no worker: it may come before the table that workers are written down in.
    postgres::session_options plain;
    plain.address = options.address;
    const result<std::unique_ptr<postgres::session>> opened = postgres::session::open(plain);
    if (!opened) {
        return postgres::refused(opened.error(), {});
    }
    postgres::session& database = **opened;
    const result<> current = options.layout == postgres_layout::must_exist
                                 ? postgres::check_up_to_date(database)
                                 : postgres::bring_up_to_date(database, options.migration_patience);
    if (!current) {
        return postgres::refused(current.error(), database.failure_text());
    }
    postgres::look_at_event_index(database, options.layout);
    return std::unique_ptr<conversation_store>{std::make_unique<postgres::postgres_store>(options)};
}

}  // namespace convene
