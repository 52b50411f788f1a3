// SPDX-License-Identifier: Apache-2.0
// The process's event loop: our own ready queue and timers over Asio's reactor.
#include "convene/loop.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <atomic>
#include <mutex>
#include <vector>

#include "runtime/loop_reactor.hpp"

namespace convene {

namespace {

/// After so many jobs in a row timers, sockets and other threads get a look, so that a busy queue
/// can't starve them.
constexpr int jobs_per_turn = 64;

}  // namespace

class loop::implementation {
   public:
    void post(job& work) noexcept { ready_.push_back(work); }

    void arm(timer& t, monotonic_time at) noexcept { timers_.arm(t, at); }

    void post_external(std::unique_ptr<external_job> work) {
        bool is_first = false;
        {
            const std::scoped_lock lock{mutex_};
            is_first = handed_over_.empty();
            handed_over_.push_back(std::move(work));
        }
        // Whoever finds the queue filled knows that a turn is on its way.
        if (is_first) {
            wake();
        }
    }

    void stop() {
        stopping_ = true;
        wake();
    }

    [[nodiscard]] boost::asio::io_context& reactor() noexcept { return io_; }

    [[nodiscard]] bool take_stop() noexcept { return stopping_.exchange(false); }

    /// Waits until there is something to do, and does some of it.
    void turn() {
        wait_for_work();
        run_handed_over();
        fire_due();
        run_ready();
    }

   private:
    void wake() {
        boost::asio::post(io_, [] {});
    }

    void wait_for_work() {
        if (!ready_.empty() || timers_.is_due(std::chrono::steady_clock::now())) {
            io_.poll();
        } else if (timers_.empty()) {
            io_.run_one();
        } else {
            io_.run_one_until(timers_.soonest());
        }
    }

    void run_handed_over() {
        std::vector<std::unique_ptr<external_job>> taken;
        {
            const std::scoped_lock lock{mutex_};
            taken.swap(handed_over_);
        }
        for (const auto& work : taken) {
            work->run();
        }
    }

    void fire_due() {
        const monotonic_time now = std::chrono::steady_clock::now();
        while (timer* due = timers_.take_due(now)) {
            due->expired();
        }
    }

    void run_ready() {
        for (int i = 0; i < jobs_per_turn && !ready_.empty(); ++i) {
            job& next = ready_.front();
            ready_.pop_front();
            next.run();
        }
    }

    // touched on the loop only
    boost::asio::io_context io_{1};
    // Without it Asio would take an idle moment for the end.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> keep_open_{
        io_.get_executor()
    };
    job_queue ready_;
    timer_queue timers_;

    // shared with other threads
    std::atomic<bool> stopping_{false};

    // shared with other threads, guarded by `mutex_`
    std::mutex mutex_;
    std::vector<std::unique_ptr<external_job>> handed_over_;
};

boost::asio::io_context& loop_reactor::of(loop& where) noexcept { return where.impl_->reactor(); }

loop::loop() : impl_(std::make_unique<implementation>()) {}

loop::~loop() = default;

void loop::post(job& work) noexcept { impl_->post(work); }

void loop::post_external(std::unique_ptr<external_job> work) {
    impl_->post_external(std::move(work));
}

void loop::arm(timer& t, monotonic_time at) noexcept { impl_->arm(t, at); }

monotonic_time loop::now() const noexcept { return std::chrono::steady_clock::now(); }

void loop::run() {
    while (!impl_->take_stop()) {
        impl_->turn();
    }
}

void loop::stop() { impl_->stop(); }

void loop::run_task(awaitable<void> work) {
    task_scope scope{*this};
    scope.spawn("loop.run_until_done", std::move(work));
    while (scope.size() != 0) {
        impl_->turn();
    }
}

}  // namespace convene
