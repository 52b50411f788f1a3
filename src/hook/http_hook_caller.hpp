// SPDX-License-Identifier: Apache-2.0
// `http_hook_caller`: asks remote hooks by signed POST requests, at addresses that the policy allows.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/remote_hook_caller.hpp"
#include "convene/time.hpp"

#include <utility>

#include "base/secret_box.hpp"
#include "net/http_sender.hpp"

namespace convene {

/// *Thread safety*: loop only.
class http_hook_caller final : public remote_hook_caller {
   public:
    struct parts {
        const secret_box* box = nullptr;
        const wall_clock* clock = nullptr;
        http_sender send;
    };

    explicit http_hook_caller(parts with) : with_(std::move(with)) {}

    [[nodiscard]] awaitable<result<hook_verdict>> call(remote_hook_call asked, deadline until)
        override;

   private:
    /// *Errors*: `corrupt_data` (the hook's secret was sealed under another key).
    [[nodiscard]] result<http_call> make_call(const remote_hook_call& asked) const;

    const parts with_;
};

}  // namespace convene
