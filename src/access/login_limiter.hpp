// SPDX-License-Identifier: Apache-2.0
// How often somebody may try to log in: by network address and by account.
#pragma once

#include "convene/time.hpp"

#include <chrono>
#include <string_view>

#include "access/bucket_table.hpp"

namespace convene {

struct login_limits {
    bucket_settings by_address{.burst = 20, .refill = std::chrono::seconds{3}};
    bucket_settings by_account{.burst = 10, .refill = std::chrono::seconds{10}};
};

/// Guessing is slow from one address and slow on one account. An account's own limit is generous and refills, so
/// that a stranger can't lock its owner out for long.
///
/// *Thread safety*: loop only.
class login_limiter {
   public:
    explicit login_limiter(const login_limits& limits = {})
        : addresses_(limits.by_address), accounts_(limits.by_account) {}

    /// Counts an attempt. Zero if it may go on, else how long to wait, in whole seconds. `account` is empty where
    /// none is named.
    [[nodiscard]] std::chrono::seconds attempt(
        std::string_view peer, std::string_view account, monotonic_time now
    );

    /// How long until an attempt may go on; counts nothing.
    [[nodiscard]] std::chrono::seconds wait_of(
        std::string_view peer, std::string_view account, monotonic_time now
    ) const;

    /// Whoever logged in has proven to be the owner: earlier failures of the account are forgotten, and the attempt
    /// does not count against the address, behind which a whole office may be.
    void succeeded(std::string_view peer, std::string_view account);

   private:
    bucket_table addresses_;
    bucket_table accounts_;
};

}  // namespace convene
