// SPDX-License-Identifier: Apache-2.0
// Delivery files: opened on first use, then kept.
#include "app/delivery_files.hpp"

#include "convene/blocking_pool.hpp"

#include <utility>

namespace convene {

awaitable<send_result> delivery_files::deliver(delivery_request request) {
    auto file = co_await find_or_open(request.binding.address);
    if (!file) {
        co_return send_result::failed_for_now(
            "file_unavailable", "the file can't be opened; its path is the binding's address"
        );
    }
    auto delivered = co_await (*file)->deliver(std::move(request));
    co_return delivered;
}

awaitable<result<std::shared_ptr<file_channel>>> delivery_files::find_or_open(std::string path) {
    const auto known = open_.find(path);
    if (known != open_.end()) {
        co_return known->second;
    }
    auto work = [path, pool = &pool_] { return file_channel::open(id_of_all(), path, *pool); };
    auto opened = co_await run_on(&pool_, std::move(work));
    if (!opened) {
        co_return opened.error();
    }
    // Of two that were opened at the same moment the first is kept: lines are batched per channel.
    co_return open_.try_emplace(std::move(path), std::move(*opened)).first->second;
}

}  // namespace convene
