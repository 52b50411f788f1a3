// SPDX-License-Identifier: Apache-2.0
// Task scope: starting, stopping and joining owned coroutines.
#include "convene/task_scope.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "base/assert.hpp"

namespace convene {

/// One owned coroutine. It deletes itself when its coroutine has ended.
class task_scope::task final : public entry, private job {
   public:
    task(task_scope& owner, std::string_view task_name, awaitable<void> body)
        : entry(task_name), owner_(owner), body_(std::move(body)), root_(run_to_end(this)) {}

    void start() noexcept { owner_.where_.post(*this); }

   private:
    /// The outermost frame: reports the end to the scope from a suspended state, because the scope
    /// then destroys it.
    struct root {
        struct promise_type {
            root get_return_object() noexcept {
                return root{std::coroutine_handle<promise_type>::from_promise(*this)};
            }

            std::suspend_always initial_suspend() const noexcept { return {}; }

            struct report_end {
                bool await_ready() const noexcept { return false; }

                void await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
                    task& ended = *self.promise().owned;
                    ended.owner_.remove(ended);
                }

                void await_resume() const noexcept {}
            };

            report_end final_suspend() const noexcept { return {}; }

            void return_void() const noexcept {}

            void unhandled_exception() const noexcept { owned->abort_with_exception(); }

            [[nodiscard]] const coroutine_context& context() const noexcept { return inherited; }

            explicit promise_type(task* running) noexcept
                : owned(running), inherited{&running->owner_.where_, &running->owner_.stop_} {}

            task* owned;
            coroutine_context inherited;
        };

        explicit root(std::coroutine_handle<promise_type> frame) noexcept : handle(frame) {}

        root(const root&) = delete;
        root& operator=(const root&) = delete;

        ~root() { handle.destroy(); }

        std::coroutine_handle<promise_type> handle;
    };

    static root run_to_end(task* owned) { co_await std::move(owned->body_); }

    void run() noexcept override { root_.handle.resume(); }

    /// Called while the exception is being handled.
    [[noreturn]] void abort_with_exception() const noexcept {
        std::fprintf(stderr, "task '%s' ended with an exception\n", name.c_str());
        // The default handler adds the exception's type and text.
        std::terminate();
    }

    task_scope& owner_;
    awaitable<void> body_;
    root root_;
};

task_scope::task_scope(executor& where, cancel_source* parent) : where_(where), stop_(parent) {
    idle_.set();
}

task_scope::~task_scope() { drop(); }

void task_scope::drop() noexcept {
    if (count_ != 0 && !where_.is_abandoned()) {
        std::fprintf(stderr, "task_scope destroyed with running tasks: %s\n", describe().c_str());
        std::abort();
    }
    count_ = 0;
    tasks_.clear_and_dispose([](entry* dropped) { delete dropped; });
}

void task_scope::spawn(std::string_view name, awaitable<void> body) {
    auto* started = new task(*this, name, std::move(body));
    tasks_.push_back(*started);
    ++count_;
    idle_.reset();
    started->start();
}

awaitable<void> task_scope::join() {
    // Again and again, because a task may be spawned between the last one's end and our turn.
    while (count_ != 0) {
        const result<> idle = co_await idle_.wait();
        if (!idle) {
            request_stop();
            const result<> ended = co_await shielded(until_set(&idle_));
            CONVENE_ASSERT(ended.has_value(), "a shielded wait was cancelled");
        }
    }
}

std::string task_scope::describe() const {
    std::string names;
    for (const entry& running : tasks_) {
        if (!names.empty()) {
            names += ", ";
        }
        names += running.name;
    }
    return names;
}

void task_scope::remove(task& ended) noexcept {
    tasks_.erase(tasks_.iterator_to(ended));
    --count_;
    delete &ended;
    if (count_ == 0) {
        idle_.set();
    }
}

}  // namespace convene
