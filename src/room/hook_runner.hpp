// SPDX-License-Identifier: Apache-2.0
// Runs hooks: each under its deadline, each failure under its policy, so that none holds up more
// than its room.
#pragma once

#include "convene/blocking_pool.hpp"
#include "convene/wait.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "room/hook_registry.hpp"
#include "room/hook_verdict.hpp"

namespace convene {

/// Counts how often hooks ran for one event after a worker died deciding it.
class hook_run_counter {
   public:
    virtual ~hook_run_counter() = default;

    /// Notes durably that the hook is about to run; answers how often it was.
    [[nodiscard]] virtual awaitable<result<std::int32_t>> count_run(hook_id hook) = 0;
};

/// Calls hooks and turns what comes of it into outcomes; the only place that catches their
/// exceptions.
///
/// A coroutine hook runs on the loop and is cancelled at its deadline. One that then shields itself
/// from the cancellation holds up its own room and no other. A plain hook runs on the pool and
/// can't be interrupted: at its deadline it is left behind, and until it has returned it is not
/// called again (`stuck`), so a hook that hangs costs the threads of the calls it was in, and no
/// more.
///
/// *Thread safety*: loop only. *Lifetime*: the pool outlives it; calls end before it does.
class hook_runner {
   public:
    using shared_hook = hook_registry::shared_hook;

    explicit hook_runner(blocking_pool* pool) : pool_(*pool) {}

    hook_runner(const hook_runner&) = delete;
    hook_runner& operator=(const hook_runner&) = delete;

    /// Asks the hooks one after the other, each about the event as those before it left it, until
    /// one blocks. Failures are notices: `hook_failed`, and `hook_stuck` once for a hook that
    /// hangs. `after_crash`, if given, is asked before every hook, and stops at the one in which
    /// workers keep dying. *Cancellation*: whatever the policies, the event is then not decided:
    /// `cancelled` or `timed_out`. *Errors*: those, and what `after_crash` answers.
    [[nodiscard]] awaitable<result<hook_chain_outcome>> run_before(
        hook_input input, std::vector<shared_hook> hooks, hook_run_counter* after_crash = nullptr
    );

    /// Calls one after-hook; its verdict is not looked at. Answers the word of its failure, empty
    /// for none; `not_registered` for null. *Errors*: `cancelled`, `timed_out` (by the caller): it
    /// did not run to its end.
    [[nodiscard]] awaitable<result<std::string>> run_after(shared_hook hook, hook_input input);

   private:
    class pool_call;

    /// A call that was left behind on the pool.
    struct overdue_call {
        shared_hook hook;
        std::shared_ptr<pool_call> call;
        bool is_reported = false;
    };

    using answer = std::variant<hook_verdict, hook_failure>;

    [[nodiscard]] awaitable<result<>> ask(
        shared_hook hook, const hook_input* input, hook_chain_outcome* chain
    );
    [[nodiscard]] awaitable<answer> call(shared_hook hook, hook_input input);
    [[nodiscard]] awaitable<answer> call_within_deadline(shared_hook hook, hook_input input);
    [[nodiscard]] awaitable<answer> call_coroutine(
        shared_hook hook, hook_input input, deadline until
    );
    [[nodiscard]] awaitable<answer> call_plain(shared_hook hook, hook_input input, deadline until);

    [[nodiscard]] overdue_call* find_overdue(const shared_hook& hook);
    void leave_behind(shared_hook hook, std::shared_ptr<pool_call> call);
    void note_failure(
        const shared_hook& hook,
        const hook_input& input,
        hook_failure failure,
        hook_chain_outcome* chain
    );

    // fixed after construction
    blocking_pool& pool_;

    // touched on the loop only
    std::vector<overdue_call> overdue_;  ///< at most as many as the pool has threads
};

}  // namespace convene
