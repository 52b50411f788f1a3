// SPDX-License-Identifier: Apache-2.0
// Gathering facts about a PostgreSQL server.
#include "app/doctor/shared_database_gathering.hpp"

namespace convene {

namespace {

/// What could not be asked is unset: that the database can't be opened is a finding of its own.
template <class T>
std::optional<T> known(const result<T>& asked) {
    return asked ? std::optional<T>{*asked} : std::nullopt;
}

}  // namespace

shared_database_facts ask_database_server(
    const std::string& address, const configuration& settings
) {
    shared_database_facts facts;
    facts.stored.now = system_wall_clock().now();
    facts.keeps_sessions = known(postgres::keeps_sessions(address));
    if (const std::string& locks = settings.text("LOCK_DB_URL"); !locks.empty()) {
        facts.locks_keep_sessions = known(postgres::keeps_sessions(locks));
        facts.locks_are_here = known(postgres::is_same_database(address, locks));
    }
    facts.capacity = known(postgres::read_capacity(address));
    if (facts.capacity) {
        facts.budget = budget_of(settings, *facts.capacity, facts.capacity->workers + 1);
        const bool somebody_delivers = facts.capacity->workers > 0;
        facts.stored.writer = somebody_delivers ? database_facts::writer_state::running
                                                : database_facts::writer_state::none;
    }
    return facts;
}

}  // namespace convene
