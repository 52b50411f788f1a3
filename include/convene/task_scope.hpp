// SPDX-License-Identifier: Apache-2.0
// `task_scope`: the owner of everything that runs in the background.
#pragma once

#include "convene/wait.hpp"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace convene {

/// Owns coroutines that run beside their starter and joins them. Nothing is ever detached.
///
/// Declare it as the **last member** of the object whose members its tasks use.
///
/// *Thread safety*: loop only.
/// *Lifetime*: joined before it is destroyed. Destroying one that still has tasks aborts and names
/// them, except on an abandoned executor (a simulated crash), where their frames are dropped.
///
/// *Errors*: an exception that leaves a task aborts the process and names the task: it is a bug.
class task_scope {
   public:
    /// `parent`, if given, stops this scope's tasks too when it is requested.
    explicit task_scope(executor& where, cancel_source* parent = nullptr);
    ~task_scope();

    task_scope(const task_scope&) = delete;
    task_scope& operator=(const task_scope&) = delete;

    /// Starts `task` in a later turn of the loop. `name` shows in diagnostics. After `request_stop`
    /// the task still runs, already cancelled, so that whoever waits for it gets an answer.
    void spawn(std::string_view name, awaitable<void> task);

    /// Asks all tasks to stop. Idempotent; does not wait.
    void request_stop(errc reason = errc::cancelled) noexcept { stop_.request(reason); }

    [[nodiscard]] bool is_stopping() const noexcept { return stop_.is_requested(); }

    /// Waits until no task is left; any number of coroutines may.
    /// *Cancellation*: a cancelled caller stops the tasks and goes on waiting.
    [[nodiscard]] awaitable<void> join();

    /// Drops the frames of its tasks, as the destructor does: for an owner in which its own tasks
    /// hold shares, so that it would never be destroyed. *Requires*: the executor is abandoned, or
    /// no task is left; anything else aborts.
    void drop() noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// The names of the running tasks, for diagnostics.
    [[nodiscard]] std::string describe() const;

   private:
    using entry_hook = boost::intrusive::list_base_hook<
        boost::intrusive::link_mode<boost::intrusive::safe_link>,
        boost::intrusive::tag<task_scope>>;

    /// What the scope's list holds: a running task, by its name.
    struct entry : entry_hook {
        explicit entry(std::string_view task_name) : name(task_name) {}

        virtual ~entry() = default;

        std::string name;
    };

    class task;

    void remove(task& ended) noexcept;

    // fixed after construction
    executor& where_;

    // touched on the loop only
    cancel_source stop_;
    wait_flag idle_;  // set while no task is left
    std::size_t count_ = 0;
    boost::intrusive::list<
        entry,
        boost::intrusive::base_hook<entry_hook>,
        boost::intrusive::constant_time_size<false>>
        tasks_;
};

}  // namespace convene
