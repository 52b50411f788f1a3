// SPDX-License-Identifier: Apache-2.0
// Local access: a worker, and the two ports on it.
#include "app/local/local_access.hpp"

#include <utility>

namespace convene {

outcome<std::unique_ptr<local_access>> local_access::open(
    loop& where, const command_context& with, sqlite_creation creation
) {
    auto worker = local_worker::open(where, with, creation);
    if (!worker) {
        return worker.error();
    }
    return std::unique_ptr<local_access>{new local_access{with, std::move(*worker)}};
}

local_access::local_access(const command_context& with, std::unique_ptr<local_worker> worker)
    : worker_(std::move(worker)),
      reader_(worker_->store(), with.organization, with.database),
      writer_(worker_->kit(), with.organization) {}

awaitable<outcome<>> local_access::start() { return worker_->start(); }

awaitable<outcome<std::int64_t>> local_access::settle() {
    const auto left = co_await worker_->settle();
    if (!left) {
        co_return store_failure(left.error(), "delivering");
    }
    co_return *left;
}

}  // namespace convene
