// SPDX-License-Identifier: Apache-2.0
// Taking a name from a session of the database, whichever worker's it is: by asking, then by ending it.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/loop.hpp"
#include "convene/wait.hpp"

#include <cstdint>
#include <map>

#include "lease/postgres/lease_bus.hpp"

namespace convene::postgres {

/// Whether a name is free is looked up in the database's own table of locks. A worker's word counts for one thing only:
/// that it gave the name back, although it has got it anew by now; it is said behind the unlock.
///
/// *Thread safety*: loop only. *Lifetime*: the bus outlives it; nothing waits in it when it is destroyed.
class forced_release {
   public:
    forced_release(loop& where, lease_bus& bus) : where_(where), bus_(bus) {}

    forced_release(const forced_release&) = delete;
    forced_release& operator=(const forced_release&) = delete;

    /// The process id of the server's side of the session that holds the key. *Errors*: `not_found`; those of
    /// `lease_bus::ask`.
    [[nodiscard]] awaitable<result<std::int64_t>> find_session(std::int64_t key);

    /// Tells every worker that the key is to be given back, and waits until this session has done it: as long as the
    /// caller lets it. *Errors*: those of `lease_bus::ask`.
    [[nodiscard]] awaitable<result<>> ask_for(std::int64_t key, std::int64_t session);

    /// Ends the session, if it is still the one that holds the key, and waits until the key is free of it.
    /// *Errors*: `unavailable` (the database refuses), `timed_out`; those of `lease_bus::ask`.
    [[nodiscard]] awaitable<result<>> end_session(std::int64_t key, std::int64_t session);

    /// Another worker says that it has given the key back.
    void hear_given_back(std::int64_t key);

   private:
    [[nodiscard]] awaitable<result<bool>> is_free_of(std::int64_t key, std::int64_t session);
    [[nodiscard]] awaitable<result<>> until_free(std::int64_t key, std::int64_t session);

    loop& where_;
    lease_bus& bus_;
    std::multimap<std::int64_t, wait_flag*> asking_;
};

}  // namespace convene::postgres
