// SPDX-License-Identifier: Apache-2.0
// Lends, takes back, and pings what is idle.
#include "postgres/connection_pool.hpp"

#include <utility>

namespace convene::postgres {

namespace {

using namespace std::chrono_literals;

constexpr auto between_pings = 10s;

// A server that is out of reach lets go of what it hears nothing of after 11 s: a question that begins late in that time
// must not make it wait for as long again.
constexpr auto longest_ping = 3s;

}  // namespace

connection_pool::connection_pool(connector& opener, session_kind kind, std::size_t cap)
    : opener_(opener), kind_(kind), cap_(cap) {}

awaitable<result<std::unique_ptr<connection>>> connection_pool::take() {
    for (;;) {
        if (is_closing_) {
            co_return errc::unavailable;
        }
        if (!idle_.empty()) {
            // The warmest one; what is broken leaves here.
            std::unique_ptr<connection> warm = std::move(idle_.back());
            idle_.pop_back();
            if (!warm->is_broken()) {
                co_return std::move(warm);
            }
            --open_;
            continue;
        }
        if (open_ < cap_) {
            co_return co_await open_one();
        }
        const result<> waited = co_await changed_.wait();
        if (!waited) {
            co_return waited.error();
        }
    }
}

awaitable<result<std::unique_ptr<connection>>> connection_pool::open_one() {
    ++open_;
    auto opened = co_await opener_.open(kind_);
    if (!opened) {
        --open_;
        changed_.notify_all();
    }
    co_return std::move(opened);
}

void connection_pool::give_back(std::unique_ptr<connection> lent) {
    if (lent == nullptr || lent->is_broken() || is_closing_) {
        --open_;
    } else {
        idle_.push_back(std::move(lent));
    }
    changed_.notify_all();
}

awaitable<void> connection_pool::keep_warm() {
    const coroutine_context context = co_await this_context();
    for (;;) {
        const result<> slept = co_await sleep_for(between_pings);
        if (!slept) {
            co_return;
        }
        // Those that are idle now, each once: the coldest stand first.
        for (std::size_t left = idle_.size(); left > 0 && !idle_.empty(); --left) {
            std::unique_ptr<connection> one = std::move(idle_.front());
            idle_.erase(idle_.begin());
            request ping;
            ping.add("SELECT 1");
            const deadline until{context.where->now() + longest_ping};
            const auto answered = co_await with_deadline(until, one->run(std::move(ping)));
            static_cast<void>(answered);  // a broken one is dropped by giving it back
            give_back(std::move(one));
        }
    }
}

void connection_pool::close() noexcept {
    is_closing_ = true;
    open_ -= idle_.size();
    idle_.clear();
    changed_.notify_all();
}

}  // namespace convene::postgres
