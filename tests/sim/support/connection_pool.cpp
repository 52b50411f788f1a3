// SPDX-License-Identifier: Apache-2.0
// Lending connections and taking them back.
#include "sim/support/connection_pool.hpp"

namespace convene {

sim_connection_pool::lent::~lent() {
    if (pool_ == nullptr) {
        return;
    }
    --pool_->open_;
    if (connection_) {
        const bool can_be_lent_again = connection_->is_usable() && connection_->is_clean();
        if (can_be_lent_again && !pool_->is_closed_) {
            pool_->idle_.push_back(connection_);
        } else {
            connection_->close();
        }
    }
    pool_->given_back_.notify_all();
}

awaitable<result<sim_connection_pool::lent>> sim_connection_pool::take() {
    while (!is_closed_ && open_ >= capacity_) {
        const result<> waited = co_await given_back_.wait();
        if (!waited) {
            co_return waited.error();
        }
    }
    if (is_closed_) {
        co_return errc::unavailable;
    }
    lent taken{*this};
    taken.connection_ = take_idle();
    if (taken.connection_) {
        co_return std::move(taken);
    }
    auto connected = co_await database_.connect(&host_, use_);
    if (!connected) {
        co_return connected.error();
    }
    taken.connection_ = std::move(*connected);
    co_return std::move(taken);
}

std::shared_ptr<sim_connection> sim_connection_pool::take_idle() {
    while (!idle_.empty()) {
        std::shared_ptr<sim_connection> last = std::move(idle_.back());
        idle_.pop_back();
        if (last->is_usable()) {
            return last;
        }
    }
    return nullptr;
}

void sim_connection_pool::close() {
    is_closed_ = true;
    for (const auto& connection : std::exchange(idle_, {})) {
        connection->close();
    }
    given_back_.notify_all();
}

}  // namespace convene
