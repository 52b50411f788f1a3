// SPDX-License-Identifier: Apache-2.0
// Executes operations in place: they never wait, so they can't be cancelled half way.
#include "store/memory/memory_store.hpp"

#include "convene/memory_store.hpp"

namespace convene {

awaitable<result<>> memory_store::execute(std::shared_ptr<operation> request) {
    if (is_closed_) {
        co_return errc::unavailable;
    }
    request->apply_to(tables_);
    co_return result<>{};
}

awaitable<void> memory_store::close() {
    is_closed_ = true;
    co_return;
}

std::unique_ptr<conversation_store> make_memory_store(const wall_clock& clock) {
    return std::make_unique<memory_store>(clock);
}

}  // namespace convene
