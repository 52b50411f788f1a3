// SPDX-License-Identifier: Apache-2.0
// Line batcher: a line of batches, each written by the coroutine that opened it.
#include "channel/line_batcher.hpp"

#include <utility>

namespace convene {

awaitable<result<>> line_batcher::add(std::string line) {
    if (waiting_bytes_ + line.size() > most_waiting_bytes) {
        co_return errc::overloaded;
    }
    const bool opens_batch = waiting_.empty() || waiting_.back()->lines >= most_lines_;
    if (opens_batch) {
        waiting_.push_back(std::make_shared<batch>());
    }
    const std::shared_ptr<batch> mine = waiting_.back();
    mine->bytes += line;
    ++mine->lines;
    waiting_bytes_ += line.size();

    if (opens_batch) {
        co_await shielded(write_in_turn(mine));
    } else {
        const result<> written = co_await mine->done.wait();
        if (!written) {
            co_return written.error();
        }
    }
    co_return mine->outcome;
}

awaitable<void> line_batcher::write_in_turn(std::shared_ptr<batch> mine) {
    // Ends: each batch before this one is written by its own opener, which can't be cancelled
    // either.
    while (is_writing_ || waiting_.front() != mine) {
        const result<> changed = co_await turn_.wait();
        static_cast<void>(changed);  // shielded: it is the flag
    }
    is_writing_ = true;
    waiting_.pop_front();
    waiting_bytes_ -= mine->bytes.size();
    mine->outcome = co_await write_(std::move(mine->bytes));
    is_writing_ = false;
    mine->done.set();
    turn_.notify_all();
}

}  // namespace convene
