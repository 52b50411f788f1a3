// SPDX-License-Identifier: Apache-2.0
// The stores that the conformance suite runs against.
#include <memory>

#include "store/lent_postgres_harness.hpp"
#include "store/memory_harness.hpp"
#include "store/postgres_harness.hpp"
#include "store/sqlite_harness.hpp"
#include "store/store_harness.hpp"

namespace convene {

namespace {

template <class Harness>
std::unique_ptr<store_harness> open() {
    return std::make_unique<Harness>();
}

}  // namespace

std::vector<store_kind> persistent_stores() {
    return {{"Sqlite", open<sqlite_harness>}, {"Postgres", open<postgres_harness>}};
}

std::vector<store_kind> all_stores() {
    std::vector<store_kind> kinds{{"Memory", open<memory_harness>}};
    for (store_kind& kind : persistent_stores()) {
        kinds.push_back(std::move(kind));
    }
    kinds.push_back({"PostgresOnTheLock", open<lent_postgres_harness>});
    return kinds;
}

}  // namespace convene
