// SPDX-License-Identifier: Apache-2.0
// The text of the warning about locks of one process.
#include "lease/local_locks_warning.hpp"

namespace convene {

std::string local_locks_warning(std::string_view store_name) {
    std::string text{store_name};
    text +=
        " is paired with InMemoryLockManager. This is safe only in a single process; if the store "
        "is "
        "shared across processes (e.g. a load-balanced deployment), use a distributed lock manager "
        "such as PostgresAdvisoryLockManager to avoid duplicate event indices.";
    return text;
}

}  // namespace convene
