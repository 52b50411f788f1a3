// SPDX-License-Identifier: Apache-2.0
// The warning about locks of one process: its words.
#include "lease/local_locks_warning.hpp"

#include <gtest/gtest.h>

namespace convene {
namespace {

// The warning names the store and the remedy in the words that operators search their logs for.
// Proves: L12 (rk:K13)
TEST(LocalLocksWarning, NamesTheStoreAndTheRemedy) {
    EXPECT_EQ(
        local_locks_warning("PostgresStore"),
        "PostgresStore is paired with InMemoryLockManager. This is safe only in a single process; "
        "if the store is shared across processes (e.g. a load-balanced deployment), use a "
        "distributed lock manager such as PostgresAdvisoryLockManager to avoid duplicate event "
        "indices."
    );
}

}  // namespace
}  // namespace convene
