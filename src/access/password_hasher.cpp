// SPDX-License-Identifier: Apache-2.0
// Password hashing on a pool of its own, so that a storm of logins starves nothing else.
#include "access/password_hasher.hpp"

#include <utility>

namespace convene {

password_hasher::password_hasher(random_source& random, password_hasher_settings settings)
    : random_(random),
      settings_(settings),
      unmatched_(unmatched_hash(settings.cost)),
      pool_(settings.threads, settings.waiting) {}

awaitable<result<std::string>> password_hasher::hash(std::string password) {
    password_salt salt{};
    random_.fill(salt);
    ++runs_;
    auto work = [password = std::move(password), salt, cost = settings_.cost] {
        return hash_password(password, salt, cost);
    };
    auto hashed = co_await run_on(&pool_, std::move(work));
    co_return hashed;
}

awaitable<result<bool>> password_hasher::verify(std::string password, std::string stored) {
    if (stored.empty()) {
        stored = unmatched_;
    }
    ++runs_;
    auto work = [password = std::move(password), stored = std::move(stored)] {
        return is_password(password, stored);
    };
    const result<bool> matches = co_await run_on(&pool_, std::move(work));
    co_return matches;
}

}  // namespace convene
