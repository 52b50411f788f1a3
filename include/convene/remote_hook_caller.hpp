// SPDX-License-Identifier: Apache-2.0
// `remote_hook_caller`: the port through which the engine asks hooks at URLs.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/cause.hpp"
#include "convene/error.hpp"
#include "convene/hook.hpp"
#include "convene/remote_hook.hpp"
#include "convene/time.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace convene {

/// One question about one event.
struct remote_hook_call {
    std::shared_ptr<const remote_hook> hook;
    std::string
        id;  ///< of hook and event: the same at every attempt, so that the receiver can dedupe
    std::int32_t attempt = 1;
    hook_input input;
    event_cause cause;  ///< goes with the call, so that what it causes is known
};

/// *Thread safety*: loop only. *Lifetime*: outlives the kit.
class remote_hook_caller {
   public:
    virtual ~remote_hook_caller() = default;

    /// Asks once. The engine holds the answer against what a verdict may say.
    /// *Cancellation*: at any time; whether the hook was reached is then unknown.
    /// *Errors*: `timed_out`; `invalid_argument`, `payload_too_large` (the answer is no verdict); `hook_failed`
    /// (it answered that it can't); anything else: it was not reached.
    [[nodiscard]] virtual awaitable<result<hook_verdict>> call(
        remote_hook_call asked, deadline until
    ) = 0;
};

}  // namespace convene
