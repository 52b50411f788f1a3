// SPDX-License-Identifier: Apache-2.0
// A few threads for what blocks or burns CPU; results come back to the loop.
#pragma once

#include "convene/wait.hpp"

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace convene {

/// A fixed number of threads that run jobs in the order they were given.
///
/// *Thread safety*: `submit` from any thread.
/// *Lifetime*: destroyed before the executors its callers run on, because jobs on their way back
/// touch them. Destroying it waits for the jobs that already run and drops those that wait.
class blocking_pool {
   public:
    /// `threads` is at least 1; `capacity` bounds the jobs that wait.
    explicit blocking_pool(std::size_t threads, std::size_t capacity = 4096);
    ~blocking_pool();

    blocking_pool(const blocking_pool&) = delete;
    blocking_pool& operator=(const blocking_pool&) = delete;

    /// Queues `work`; false, and `work` is dropped, when the queue is full.
    [[nodiscard]] bool submit(std::unique_ptr<external_job> work);

   private:
    class state;
    std::unique_ptr<state> state_;
};

namespace detail {

/// The answer to a call whose function yields `T`, `result<T>` or nothing.
template <class T>
struct call_answer {
    using type = result<T>;
};

template <class T>
struct call_answer<result<T>> {
    using type = result<T>;
};

template <class F>
using call_answer_t = typename call_answer<std::invoke_result_t<F&>>::type;

/// Shared by the coroutine that waits and the call on its way to the pool and back; the last one
/// frees it.
template <class Answer>
struct pooled_answer {
    // touched on the loop only
    wait_flag came_back;

    // written on the pool, read on the loop once it came back; `unavailable` stays if the pool
    // drops the call
    Answer value{errc::unavailable};
    std::exception_ptr thrown;
};

/// The way back: runs on the loop and wakes the caller.
template <class Answer>
class pooled_return final : public external_job {
   public:
    explicit pooled_return(std::shared_ptr<pooled_answer<Answer>> answer)
        : answer_(std::move(answer)) {}

    void run() noexcept override { answer_->came_back.set(); }

   private:
    std::shared_ptr<pooled_answer<Answer>> answer_;
};

/// The way there: runs on the pool. It comes back when it is destroyed, whether it was run or
/// dropped.
template <class F, class Answer>
class pooled_call final : public external_job {
   public:
    pooled_call(executor& home, F work, std::shared_ptr<pooled_answer<Answer>> answer)
        : home_(home), work_(std::move(work)), answer_(std::move(answer)) {}

    ~pooled_call() override {
        // What the function holds goes first, so that nothing of a call is left here once its
        // caller resumes.
        work_.reset();
        home_.post_external(std::make_unique<pooled_return<Answer>>(std::move(answer_)));
    }

    void run() noexcept override {
        try {
            if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
                (*work_)();
                answer_->value = Answer{};
            } else {
                answer_->value = (*work_)();
            }
        } catch (...) {  // the awaiting coroutine rethrows it
            answer_->thrown = std::current_exception();
        }
    }

   private:
    executor& home_;
    std::optional<F> work_;
    std::shared_ptr<pooled_answer<Answer>> answer_;
};

}  // namespace detail

/// Runs `work()` on the pool and yields on the loop what it returns: `result<T>` for a `T` or a
/// `result<T>`, `result<>` for nothing. An exception of `work` is rethrown to whoever awaits.
///
/// *Cancellation*: at once. A function that was queued still runs, and its late result is dropped:
/// use `shielded` where the caller must know it.
///
/// *Errors*: `cancelled`, `timed_out`, `overloaded` (the queue is full), `unavailable` (the pool
/// was destroyed before it ran).
template <class F>
[[nodiscard]] awaitable<detail::call_answer_t<F>> run_on(blocking_pool* pool, F work) {
    using answer_type = detail::call_answer_t<F>;
    const coroutine_context context = co_await this_context();
    const result<> wanted = context.check_cancelled();
    if (!wanted) {
        co_return wanted.error();
    }

    auto answer = std::make_shared<detail::pooled_answer<answer_type>>();
    auto call = std::make_unique<detail::pooled_call<F, answer_type>>(
        *context.where, std::move(work), answer
    );
    if (!pool->submit(std::move(call))) {
        co_return errc::overloaded;
    }

    const result<> waited = co_await answer->came_back.wait();
    if (!waited) {
        co_return waited.error();
    }
    if (answer->thrown) {
        std::rethrow_exception(answer->thrown);
    }
    co_return std::move(answer->value);
}

}  // namespace convene
