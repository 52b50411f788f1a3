// SPDX-License-Identifier: Apache-2.0
// Hashes passwords beside the loop, a few at a time.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/blocking_pool.hpp"
#include "convene/random.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include "access/password.hpp"

namespace convene {

struct password_hasher_settings {
    scrypt_cost cost{};
    std::size_t threads = 2;   ///< hashes at once; each takes 32 MiB at the usual cost
    std::size_t waiting = 64;  ///< beyond that a caller is told `overloaded`
};

/// *Thread safety*: loop only. *Lifetime*: destroyed before the loop; the random source outlives it.
class password_hasher {
   public:
    explicit password_hasher(random_source& random, password_hasher_settings settings = {});

    /// *Errors*: `overloaded`, `cancelled`, `timed_out`.
    [[nodiscard]] awaitable<result<std::string>> hash(std::string password);

    /// Whether `stored` was made from the password. An empty one (no such user, no password yet) is answered with
    /// false after the same work, so that the time tells nothing. *Errors*: as of `hash`.
    [[nodiscard]] awaitable<result<bool>> verify(std::string password, std::string stored);

    /// How many hashes were computed or are about to be.
    [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }

   private:
    // fixed after construction
    random_source& random_;
    const password_hasher_settings settings_;
    const std::string unmatched_;

    // touched on the loop only
    std::uint64_t runs_ = 0;
    blocking_pool pool_;
};

}  // namespace convene
