// SPDX-License-Identifier: Apache-2.0
// Opens and closes the PostgreSQL store and sends operations to its sessions.
#include "convene/postgres_store.hpp"

#include "convene/lease.hpp"

#include <utility>

#include "base/log.hpp"
#include "store/postgres/schema.hpp"
#include "store/postgres/session_pool.hpp"
#include "store/store.hpp"

namespace convene {

namespace postgres {

namespace {

session_options session_of(const postgres_options& options) {
    session_options with;
    with.address = options.address;
    if (!options.incarnation.empty()) {
        with.application_name = "convene " + options.incarnation.str();
        with.liveness_key = lease_name{lease_kind::worker, {}, options.incarnation.str()}.key();
    }
    return with;
}

/// *Thread safety*, *Lifetime*: as `conversation_store`.
class postgres_store final : public conversation_store {
   public:
    explicit postgres_store(const postgres_options& options)
        : sessions_(session_of(options), options.sessions, options.clock) {}

    [[nodiscard]] awaitable<void> close() override { return sessions_.close(); }

    [[nodiscard]] std::string name() const override { return "PostgresStore"; }

    [[nodiscard]] bool is_shared_between_processes() const noexcept override { return true; }

   protected:
    [[nodiscard]] awaitable<result<>> execute(std::shared_ptr<operation> request) override {
        return sessions_.run(std::move(request));
    }

   private:
    session_pool sessions_;
};

const char* remedy_of(const error_code& refusal) {
    if (refusal == errc::schema_too_new) {
        return "a newer version of this program migrated the database: upgrade";
    }
    if (refusal == errc::schema_unknown) {
        return "the database holds tables that are not ours, or others changed them; nothing was "
               "touched: choose another database or schema";
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

void warn_of_duplicates(session& database) {
    database.forget_failure();
    if (is_event_index_unique(database)) {
        return;
    }
    const sql::duplicate_indexes duplicates = find_duplicate_indexes(database);
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
    const result<std::unique_ptr<postgres::session>> opened = postgres::session::open(
        postgres::session_of(options)
    );
    if (!opened) {
        return postgres::refused(opened.error(), {});
    }
    postgres::session& database = **opened;
    const result<> current = postgres::bring_up_to_date(database, options.migration_patience);
    if (!current) {
        return postgres::refused(current.error(), database.failure_text());
    }
    postgres::warn_of_duplicates(database);
    return std::unique_ptr<conversation_store>{std::make_unique<postgres::postgres_store>(options)};
}

}  // namespace convene
