// SPDX-License-Identifier: Apache-2.0
// `awaitable<T>`: the coroutine type of every operation that can wait.
#pragma once

#include "convene/cancellation.hpp"
#include "convene/executor.hpp"

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace convene {

/// The rooms whose lock or lane a coroutine runs inside; see `room/call_chain.hpp`.
class call_chain;

/// What a coroutine inherits from the one that awaits it. A task of a scope starts without a chain.
struct coroutine_context {
    executor* where = nullptr;          ///< resumes it; never null while it runs
    cancel_source* cancel = nullptr;    ///< asks it to stop; null while shielded
    const call_chain* chain = nullptr;  ///< null outside of any room

    /// An error once the coroutine was asked to stop: `cancelled`, `timed_out` or `lease_lost`.
    [[nodiscard]] result<> check_cancelled() const noexcept {
        if (cancel == nullptr || !cancel->is_requested()) {
            return {};
        }
        return cancel->reason();
    }
};

template <class T>
class awaitable;

namespace detail {

class promise_base {
   public:
    // Lazy: an awaitable starts when it is awaited or spawned.
    std::suspend_always initial_suspend() const noexcept { return {}; }

    struct final_awaiter {
        bool await_ready() const noexcept { return false; }

        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> done) const noexcept {
            return done.promise().continuation_;
        }

        void await_resume() const noexcept {}
    };

    final_awaiter final_suspend() const noexcept { return {}; }

    void unhandled_exception() noexcept { error_ = std::current_exception(); }

    [[nodiscard]] const coroutine_context& context() const noexcept { return context_; }

    void start_under(
        const coroutine_context& context, std::coroutine_handle<> continuation
    ) noexcept {
        context_ = context;
        continuation_ = continuation;
    }

   protected:
    void rethrow_if_failed() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

   private:
    coroutine_context context_;
    std::coroutine_handle<> continuation_ = std::noop_coroutine();
    std::exception_ptr error_;
};

template <class T>
class promise final : public promise_base {
   public:
    awaitable<T> get_return_object() noexcept;

    template <class U = T>
        requires std::is_convertible_v<U&&, T>
    void return_value(U&& value) {
        value_.emplace(std::forward<U>(value));
    }

    T take() {
        rethrow_if_failed();
        return std::move(*value_);
    }

   private:
    std::optional<T> value_;
};

template <>
class promise<void> final : public promise_base {
   public:
    awaitable<void> get_return_object() noexcept;

    void return_void() const noexcept {}

    void take() const { rethrow_if_failed(); }
};

}  // namespace detail

/// A lazily started coroutine that yields a `T`.
///
/// It owns its frame: destroying it, started or not, destroys everything it was doing. It is
/// awaited at most once, and inherits executor and cancellation from whoever awaits it.
///
/// *Thread safety*: loop only.
/// *Cancellation*: see each primitive in `wait.hpp`; one that does not wait is not interrupted.
template <class T = void>
class [[nodiscard]] awaitable {
   public:
    using promise_type = detail::promise<T>;
    using handle_type = std::coroutine_handle<promise_type>;

    explicit awaitable(handle_type handle) noexcept : handle_(handle) {}

    awaitable(awaitable&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

    awaitable& operator=(awaitable&& other) noexcept {
        awaitable moved{std::move(other)};
        std::swap(handle_, moved.handle_);
        return *this;
    }

    ~awaitable() {
        if (handle_) {
            handle_.destroy();
        }
    }

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> parent) noexcept {
        return start_under(parent.promise().context(), parent);
    }

    T await_resume() { return handle_.promise().take(); }

    /// For primitives that run a child under a context of their own.
    std::coroutine_handle<> start_under(
        const coroutine_context& context, std::coroutine_handle<> continuation
    ) noexcept {
        handle_.promise().start_under(context, continuation);
        return handle_;
    }

   private:
    handle_type handle_;
};

template <class T>
awaitable<T> detail::promise<T>::get_return_object() noexcept {
    return awaitable<T>{std::coroutine_handle<promise>::from_promise(*this)};
}

inline awaitable<void> detail::promise<void>::get_return_object() noexcept {
    return awaitable<void>{std::coroutine_handle<promise>::from_promise(*this)};
}

}  // namespace convene
