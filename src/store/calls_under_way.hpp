// SPDX-License-Identifier: Apache-2.0
// How many calls somebody waits for: what is closed lets them end first.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/wait.hpp"

#include <cstddef>

namespace convene {

/// *Thread safety*: loop only. *Lifetime*: outlives its calls.
class calls_under_way {
   public:
    /// One call, also when its coroutine is destroyed half way.
    class one {
       public:
        explicit one(calls_under_way& all) : all_(all) { ++all_.count_; }

        one(const one&) = delete;
        one& operator=(const one&) = delete;

        ~one() {
            if (--all_.count_ == 0) {
                all_.none_.notify_all();
            }
        }

       private:
        calls_under_way& all_;
    };

    /// *Requires*: nothing cancels the wait (`shielded`).
    [[nodiscard]] awaitable<void> until_none() {
        while (count_ > 0) {
            const result<> waited = co_await none_.wait();
            static_cast<void>(waited);  // nothing ends it but the flag
        }
    }

   private:
    std::size_t count_ = 0;
    wait_flag none_;
};

}  // namespace convene
