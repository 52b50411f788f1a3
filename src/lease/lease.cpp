// SPDX-License-Identifier: Apache-2.0
// What all leases and lock managers have in common: being told of waiters, and answering without a table.
#include "convene/lease.hpp"

#include <utility>

namespace convene {

void lease::when_wanted(std::function<void()> told) {
    if (told && is_wanted()) {
        told_when_wanted_ = nullptr;
        told();
        return;
    }
    told_when_wanted_ = std::move(told);
}

void lease::tell_wanted() {
    if (const auto told = std::exchange(told_when_wanted_, nullptr)) {
        told();
    }
}

std::vector<lease_info> lock_manager::list() const { return {}; }

awaitable<result<>> lock_manager::revoke(lease_name, deadline) { co_return errc::not_found; }

awaitable<result<std::vector<worker_lease>>> lock_manager::list_all(deadline) {
    std::vector<worker_lease> all;
    for (lease_info& one : list()) {
        all.push_back({std::move(one), {}, {}});
    }
    co_return all;
}

awaitable<result<lease_release>> lock_manager::take_away(
    lease_name name, stubborn_holder, deadline until
) {
    const result<> revoked = co_await revoke(std::move(name), until);
    if (!revoked) {
        co_return revoked.error();
    }
    co_return lease_release::let_go;
}

}  // namespace convene
