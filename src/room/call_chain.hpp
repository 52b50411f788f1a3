// SPDX-License-Identifier: Apache-2.0
// Which rooms' locks and lanes a coroutine runs inside, so that it never waits for one of them.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/ids.hpp"
#include "convene/wait.hpp"

#include <vector>

namespace convene {

class room_writer;

/// A link of the chain: one room that was entered. Links live in the frames of those who entered.
///
/// It travels with the coroutine context, so it is seen through any number of awaits but not by tasks of a
/// scope, which start anew.
class call_chain {
   public:
    /// Inside the lane of a room; `causes` are the rooms whose callers wait for this very delivery.
    call_chain(const call_chain* outer, room_id room, std::vector<room_id> causes)
        : outer_(outer), room_(std::move(room)), causes_(std::move(causes)) {}

    /// Inside the lock of a room: `holder` has it.
    call_chain(const call_chain* outer, room_id room, room_writer* holder)
        : outer_(outer), room_(std::move(room)), holder_(holder) {}

    call_chain(const call_chain&) = delete;
    call_chain& operator=(const call_chain&) = delete;

    /// The writer that holds the room's lock for us, if we are inside it.
    [[nodiscard]] static room_writer* lock_holder(
        const call_chain* chain, const room_id& room
    ) noexcept {
        for (; chain != nullptr; chain = chain->outer_) {
            if (chain->holder_ != nullptr && chain->room_ == room) {
                return chain->holder_;
            }
        }
        return nullptr;
    }

    /// True if we hold the lock of any room: another lock may then be waited for only briefly.
    [[nodiscard]] static bool is_inside_lock(const call_chain* chain) noexcept {
        for (; chain != nullptr; chain = chain->outer_) {
            if (chain->holder_ != nullptr) {
                return true;
            }
        }
        return false;
    }

    /// All rooms that wait, directly or through callers, for the end of what we do.
    [[nodiscard]] static std::vector<room_id> rooms(const call_chain* chain) {
        std::vector<room_id> all;
        for (; chain != nullptr; chain = chain->outer_) {
            all.push_back(chain->room_);
            all.insert(all.end(), chain->causes_.begin(), chain->causes_.end());
        }
        return all;
    }

   private:
    const call_chain* outer_;
    room_id room_;
    std::vector<room_id> causes_;
    room_writer* holder_ = nullptr;
};

/// Runs `work` with `chain` in its context.
template <class T>
[[nodiscard]] awaitable<T> run_inside(const call_chain* chain, awaitable<T> work) {
    coroutine_context context = co_await this_context();
    context.chain = chain;
    auto child = detail::await_under<T>(std::move(work), context);
    co_return co_await std::move(child);
}

}  // namespace convene
