// SPDX-License-Identifier: Apache-2.0
// `io_operation`: awaits something that the operating system does, and never leaves before it has ended.
#pragma once

#include "convene/awaitable.hpp"

#include <coroutine>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/assert.hpp"

namespace convene {

/// Told once when an operation has ended, on the loop and never from inside the call that started it.
class io_completion {
   public:
    virtual void completed(error_code failure, std::size_t count) noexcept = 0;

   protected:
    ~io_completion() = default;
};

/// Awaits one operation. `Start` is called with the `io_completion` to tell; `Cancel` asks the operation
/// to end early, and may do nothing when it just ended.
///
/// *Cancellation*: the operation is asked to end and the coroutine resumes when it has: buffers of the
/// coroutine's frame are in use until then. What the operation still achieved is returned.
/// *Errors*: the operation's own; the reason of the cancellation if it failed after one.
/// *Lifetime*: an operation under way is not destroyed; that aborts.
template <class Start, class Cancel>
class [[nodiscard]] io_operation final : private io_completion,
                                         private job,
                                         private cancel_listener {
   public:
    io_operation(Start start, Cancel cancel)
        : start_(std::move(start)), cancel_(std::move(cancel)) {}

    ~io_operation() { CONVENE_ASSERT(!is_under_way_, "an operation lost its buffers"); }

    bool await_ready() const noexcept { return false; }

    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> self) {
        const coroutine_context& context = self.promise().context();
        const result<> cancelled = context.check_cancelled();
        if (!cancelled) {
            failure_ = cancelled.error();
            return false;
        }
        where_ = context.where;
        waiting_ = self;
        if (context.cancel != nullptr) {
            context.cancel->attach(*this);
        }
        is_under_way_ = true;
        start_(static_cast<io_completion&>(*this));
        return true;
    }

    result<std::size_t> await_resume() const noexcept {
        if (failure_) {
            return stopped_by_ ? make_error_code(*stopped_by_) : failure_;
        }
        return count_;
    }

   private:
    void completed(error_code failure, std::size_t count) noexcept override {
        cancel_listener::unlink();
        is_under_way_ = false;
        failure_ = failure;
        count_ = count;
        where_->post(*this);
    }

    void run() noexcept override { waiting_.resume(); }

    void on_cancel(errc reason) noexcept override {
        stopped_by_ = reason;
        cancel_();
    }

    Start start_;
    Cancel cancel_;
    executor* where_ = nullptr;
    std::coroutine_handle<> waiting_;
    bool is_under_way_ = false;
    std::optional<errc> stopped_by_;
    error_code failure_;
    std::size_t count_ = 0;
};

}  // namespace convene
