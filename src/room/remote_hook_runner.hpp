// SPDX-License-Identifier: Apache-2.0
// Asks remote hooks: each under its deadline, each failure under its policy, none of them for long if it keeps failing.
#pragma once

#include "convene/executor.hpp"
#include "convene/remote_hook_caller.hpp"
#include "convene/room_kit.hpp"
#include "convene/wait.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "channel/circuit_breaker.hpp"
#include "room/hook_verdict.hpp"

namespace convene {

using shared_remote_hook = std::shared_ptr<const remote_hook>;

/// The hooks of a mode that this event meets, of those that are in their order already.
[[nodiscard]] std::vector<shared_remote_hook> match_remote_hooks(
    const std::vector<shared_remote_hook>& hooks, hook_mode mode, const room_event& event
);

/// What is the same for all hooks that are asked about one event.
struct remote_question {
    hook_input input;
    event_cause cause;  ///< its `call` is filled in, and its budget is divided among the hooks
    std::int32_t attempt = 1;
    deadline until = deadline::never();  ///< of the sender; each hook's own comes sooner or later
};

/// What telling a hook came to.
struct told_hook {
    std::string failure;                   ///< the word; empty for none
    std::vector<framework_event> notices;  ///< that it is kept out from now on, or asked again
};

/// *Thread safety*: loop only. *Lifetime*: the caller outlives it; calls end before it does.
class remote_hook_runner {
   public:
    /// `caller` may be null: then every hook counts as failed. Of `commit_slots`, serial hooks get a quarter.
    remote_hook_runner(executor* where, remote_hook_caller* caller, std::size_t commit_slots);

    remote_hook_runner(const remote_hook_runner&) = delete;
    remote_hook_runner& operator=(const remote_hook_runner&) = delete;

    /// Asks the hooks one after the other, each about the event as those before it left it, until one blocks.
    /// A failure is a notice `hook_failed`; that a hook is kept out, or asked again, one of a circuit breaker. *Errors*: `cancelled`, `timed_out` (by the sender's deadline): the
    /// event is then not decided, whatever the policies.
    [[nodiscard]] awaitable<result<hook_chain_outcome>> ask(
        remote_question question, std::vector<shared_remote_hook> hooks
    );

    /// Tells one hook of a delivered event; what it answers is not looked at. *Errors*: as `ask`.
    [[nodiscard]] awaitable<result<told_hook>> tell(
        remote_question question, shared_remote_hook hook
    );

    [[nodiscard]] room_kit::hook_figures figures() const;

   private:
    class slot;

    /// What is known of one hook, or of all serial ones.
    struct gate {
        std::size_t asking = 0;
        wait_flag left;  ///< notified when one has answered
    };

    struct known_hook {
        gate calls;
        circuit_breaker breaker;
    };

    using answer = std::variant<hook_verdict, hook_failure>;

    [[nodiscard]] awaitable<answer> call(
        shared_remote_hook hook, remote_question question, deadline until
    );
    [[nodiscard]] awaitable<answer> call_counted(
        shared_remote_hook hook, remote_question question, deadline until
    );
    [[nodiscard]] awaitable<result<>> enter(gate* into, std::size_t limit, deadline until);
    [[nodiscard]] std::shared_ptr<known_hook> find(const hook_id& id);
    [[nodiscard]] std::vector<framework_event> take_edges(const remote_hook& hook);

    // fixed after construction
    executor& where_;
    remote_hook_caller* const caller_;
    const std::size_t serial_limit_;

    // touched on the loop only
    gate serial_;
    gate all_;
    std::unordered_map<hook_id, std::shared_ptr<known_hook>> known_;
    std::uint64_t asked_ = 0;
    std::uint64_t failed_ = 0;
};

}  // namespace convene
