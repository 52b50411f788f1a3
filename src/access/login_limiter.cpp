// SPDX-License-Identifier: Apache-2.0
// Login limits: both buckets must have one.
#include "access/login_limiter.hpp"

#include <algorithm>

#include "access/address_key.hpp"
#include "store/access_values.hpp"

namespace convene {

using std::chrono::nanoseconds;
using std::chrono::seconds;

seconds login_limiter::attempt(
    std::string_view peer, std::string_view account, monotonic_time now
) {
    const seconds wait = wait_of(peer, account, now);
    if (wait > seconds::zero()) {
        return wait;
    }
    static_cast<void>(addresses_.take(address_key(peer), now));
    if (!account.empty()) {
        static_cast<void>(accounts_.take(email_key(account), now));
    }
    return seconds::zero();
}

seconds login_limiter::wait_of(std::string_view peer, std::string_view account, monotonic_time now)
    const {
    nanoseconds wait = addresses_.wait_of(address_key(peer), now);
    if (!account.empty()) {
        wait = std::max(wait, accounts_.wait_of(email_key(account), now));
    }
    return std::chrono::ceil<seconds>(wait);
}

void login_limiter::succeeded(std::string_view peer, std::string_view account) {
    addresses_.give_back(address_key(peer));
    accounts_.refill(email_key(account));
}

}  // namespace convene
