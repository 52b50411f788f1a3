// SPDX-License-Identifier: Apache-2.0
// `http_hook_caller`: asks remote hooks by signed POST requests, at addresses that the policy allows.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/remote_hook_caller.hpp"
#include "convene/time.hpp"

#include <functional>
#include <utility>

#include "base/secret_box.hpp"
#include "net/http_client.hpp"

namespace convene {

/// *Thread safety*: loop only.
class http_hook_caller final : public remote_hook_caller {
   public:
    /// As `http_client::send`.
    using sender = std::function<awaitable<result<http_reply>>(http_call call, deadline until)>;

    struct parts {
        const secret_box* box = nullptr;
        const wall_clock* clock = nullptr;
        sender send;
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
