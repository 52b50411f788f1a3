// SPDX-License-Identifier: Apache-2.0
// Remote hooks that answer as a test says, without a network.
#pragma once

#include "convene/remote_hook_caller.hpp"
#include "convene/wait.hpp"

#include <deque>
#include <functional>
#include <map>
#include <utility>

namespace convene {

/// *Thread safety*: loop only.
class scripted_hook_caller final : public remote_hook_caller {
   public:
    using script = std::function<awaitable<result<hook_verdict>>(remote_hook_call asked)>;

    /// What a hook does from now on. Without a script it allows.
    void set(const hook_id& hook, script answers) { scripts_[hook] = std::move(answers); }

    [[nodiscard]] awaitable<result<hook_verdict>> call(remote_hook_call asked, deadline) override {
        calls.push_back(asked);
        const auto found = scripts_.find(asked.hook->id);
        if (found == scripts_.end()) {
            co_return hook_verdict::allow();
        }
        const script answers = found->second;
        auto answering = answers(std::move(asked));
        auto verdict = co_await std::move(answering);
        co_return verdict;
    }

    /// Those that never answer wait here until they are given up.
    [[nodiscard]] static awaitable<result<hook_verdict>> hang(remote_hook_call) {
        const result<> woken = co_await sleep_until(deadline::never());
        co_return woken.error();
    }

    std::deque<remote_hook_call> calls;

   private:
    std::map<hook_id, script> scripts_;
};

}  // namespace convene
