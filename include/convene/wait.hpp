// SPDX-License-Identifier: Apache-2.0
// What a coroutine waits with: sleep, flag, deadline, shield. Every wait can be cancelled.
#pragma once

#include "convene/awaitable.hpp"

#include <coroutine>

namespace convene {

/// A suspended coroutine that waits for one thing. Base of the primitives below and of adapters
/// that wait for something of their own.
///
/// It is resumed exactly once, by the executor, after `complete` or a cancellation. Destroying it
/// while it waits (its coroutine is being destroyed) takes it off every list.
class waiter : private job, private cancel_listener {
   public:
    /// Called by a derived `await_suspend`: remembers who waits. Returns false if the wait is
    /// already cancelled; the coroutine then goes on at once and `outcome()` tells why.
    template <class Promise>
    [[nodiscard]] bool begin(std::coroutine_handle<Promise> waiting) noexcept {
        const coroutine_context& context = waiting.promise().context();
        where_ = context.where;
        waiting_ = waiting;
        outcome_ = context.check_cancelled();
        if (!outcome_) {
            return false;
        }
        if (context.cancel != nullptr) {
            context.cancel->attach(*this);
        }
        return true;
    }

    /// Ends the wait. The coroutine resumes in a later turn of the loop; a cancellation that
    /// arrives in between comes too late for this wait.
    ///
    /// *Requires*: called once, and not after `leave`.
    void complete() noexcept { finish(result<>{}); }

    void complete_with(errc reason) noexcept { finish(reason); }

    [[nodiscard]] const result<>& outcome() const noexcept { return outcome_; }

    [[nodiscard]] executor& where() const noexcept { return *where_; }

   protected:
    waiter() = default;
    ~waiter() = default;

    /// The wait was cancelled: leave the list or timer it stands in.
    virtual void leave() noexcept = 0;

   private:
    void finish(result<> outcome) noexcept {
        cancel_listener::unlink();
        outcome_ = outcome;
        where_->post(*this);
    }

    void run() noexcept override { waiting_.resume(); }

    void on_cancel(errc reason) noexcept override {
        leave();
        finish(reason);
    }

    executor* where_ = nullptr;
    std::coroutine_handle<> waiting_;
    result<> outcome_;
};

/// The context of the running coroutine: `const coroutine_context context = co_await
/// this_context();`
class [[nodiscard]] this_context {
   public:
    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
        context_ = self.promise().context();
        return false;
    }

    [[nodiscard]] coroutine_context await_resume() const noexcept { return context_; }

   private:
    coroutine_context context_;
};

/// Waits until a point in time, and at least for one turn of the loop. `deadline::never()` waits
/// for the cancellation alone. *Errors*: `cancelled`, `timed_out` (an outer deadline).
class [[nodiscard]] sleep_until final : private waiter, private timer {
   public:
    explicit sleep_until(deadline until) : until_(until) {}

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
        if (!begin(self)) {
            return false;
        }
        if (until_ != deadline::never()) {
            where().arm(*this, until_.at());
        }
        return true;
    }

    result<> await_resume() const noexcept { return outcome(); }

   private:
    void expired() noexcept override { complete(); }

    void leave() noexcept override { timer::unlink(); }

    deadline until_;
};

/// Waits for a span, measured from when it is awaited. *Errors*: as `sleep_until`.
[[nodiscard]] inline awaitable<result<>> sleep_for(std::chrono::nanoseconds span) {
    const coroutine_context context = co_await this_context();
    const deadline wake_up{context.where->now() + span};
    const result<> slept = co_await sleep_until(wake_up);
    co_return slept;
}

/// Lets everything else that is ready run first. *Errors*: as `sleep_until`.
class [[nodiscard]] yield_turn final : private waiter {
   public:
    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
        if (!begin(self)) {
            return false;
        }
        complete();
        return true;
    }

    result<> await_resume() const noexcept { return outcome(); }

   private:
    void leave() noexcept override {}
};

/// A flag that coroutines wait for. `set` wakes all that wait; it stays set until `reset`.
///
/// A woken coroutine runs in a later turn: what it waited for may have changed again by then, so it
/// looks.
///
/// *Thread safety*: loop only. *Lifetime*: outlives its waiters.
class wait_flag {
    using waiting_hook = boost::intrusive::list_base_hook<
        boost::intrusive::link_mode<boost::intrusive::auto_unlink>,
        boost::intrusive::tag<wait_flag>>;

   public:
    wait_flag() = default;
    wait_flag(const wait_flag&) = delete;
    wait_flag& operator=(const wait_flag&) = delete;

    class [[nodiscard]] wait_operation final : private waiter, public waiting_hook {
       public:
        explicit wait_operation(wait_flag& awaited) : awaited_(awaited) {}

        bool await_ready() const noexcept { return awaited_.is_set_; }

        template <class Promise>
        bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
            if (!begin(self)) {
                return false;
            }
            awaited_.waiting_.push_back(*this);
            return true;
        }

        result<> await_resume() const noexcept { return outcome(); }

       private:
        friend class wait_flag;

        void leave() noexcept override { waiting_hook::unlink(); }

        wait_flag& awaited_;
    };

    /// *Errors*: as `sleep_until`. A set flag is reported even when the wait is already cancelled.
    [[nodiscard]] wait_operation wait() noexcept { return wait_operation{*this}; }

    void set() noexcept {
        is_set_ = true;
        notify_all();
    }

    /// Wakes those who wait now without leaving the flag set: a condition variable.
    void notify_all() noexcept {
        while (!waiting_.empty()) {
            wait_operation& first = waiting_.front();
            waiting_.pop_front();
            first.complete();
        }
    }

    void reset() noexcept { is_set_ = false; }

    [[nodiscard]] bool is_set() const noexcept { return is_set_; }

   private:
    bool is_set_ = false;
    boost::intrusive::list<
        wait_operation,
        boost::intrusive::base_hook<waiting_hook>,
        boost::intrusive::constant_time_size<false>>
        waiting_;
};

/// `flag->wait()` as a coroutine, to be given to `with_deadline` and its like.
[[nodiscard]] inline awaitable<result<>> until_set(wait_flag* flag) {
    const result<> waited = co_await flag->wait();
    co_return waited;
}

namespace detail {

/// Requests a cancel source when a point in time is reached, or at once if it has passed.
class deadline_timer final : public timer {
   public:
    deadline_timer(deadline until, executor& where, cancel_source& source) : source_(source) {
        if (until.has_passed(where.now())) {
            expired();
        } else if (until != deadline::never()) {
            where.arm(*this, until.at());
        }
    }

    void expired() noexcept override { source_.request(errc::timed_out); }

   private:
    cancel_source& source_;
};

/// Requests one source when another is.
class cancel_forwarder final : public cancel_listener {
   public:
    cancel_forwarder(cancel_source& from, cancel_source& to) : to_(to) { from.attach(*this); }

    void on_cancel(errc reason) noexcept override { to_.request(reason); }

   private:
    cancel_source& to_;
};

/// Awaits a child under a context that differs from the parent's.
template <class T>
class [[nodiscard]] await_under {
   public:
    await_under(awaitable<T> child, coroutine_context context)
        : child_(std::move(child)), context_(context) {}

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) noexcept {
        return child_.start_under(context_, parent);
    }

    T await_resume() { return child_.await_resume(); }

   private:
    awaitable<T> child_;
    coroutine_context context_;
};

}  // namespace detail

/// Runs `work` and cancels it with `timed_out` once `until` has passed. If it has passed before,
/// `work` starts cancelled and goes as far as it can without waiting.
///
/// This is the only place that races a timer.
/// *Cancellation*: work past its commit point goes on to its end, and its own result is returned.
template <class T>
[[nodiscard]] awaitable<T> with_deadline(deadline until, awaitable<T> work) {
    coroutine_context context = co_await this_context();
    cancel_source source{context.cancel};
    const detail::deadline_timer limit{until, *context.where, source};
    context.cancel = &source;
    auto child = detail::await_under<T>(std::move(work), context);
    co_return co_await std::move(child);
}

/// Runs `work` so that a cancellation of the caller does not reach it: for what must be finished or
/// undone.
template <class T>
[[nodiscard]] awaitable<T> shielded(awaitable<T> work) {
    coroutine_context context = co_await this_context();
    context.cancel = nullptr;
    auto child = detail::await_under<T>(std::move(work), context);
    co_return co_await std::move(child);
}

/// Runs `work` under one more source: cancelled when the caller is or when `source` is requested.
/// *Lifetime*: `source` lives when this is awaited; it may be destroyed while `work` runs.
template <class T>
[[nodiscard]] awaitable<T> cancelled_by(cancel_source* source, awaitable<T> work) {
    coroutine_context context = co_await this_context();
    cancel_source both{context.cancel};
    const detail::cancel_forwarder forwarder{*source, both};
    context.cancel = &both;
    auto child = detail::await_under<T>(std::move(work), context);
    co_return co_await std::move(child);
}

}  // namespace convene
