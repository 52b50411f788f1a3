// SPDX-License-Identifier: Apache-2.0
// Connects on a thread and hands the connection to the loop.
#include "postgres/connector.hpp"

#include <utility>

namespace convene::postgres {

awaitable<result<std::unique_ptr<connection>>> connector::open(session_kind kind) {
    session_options options = options_;
    options.kind = kind;
    auto on_thread = [options = std::move(options)] { return connect(options); };
    result<connection_handle> opened = co_await run_on(&threads_, std::move(on_thread));
    if (!opened) {
        co_return opened.error();
    }
    co_return std::make_unique<connection>(where_, threads_, std::move(*opened));
}

}  // namespace convene::postgres
