// SPDX-License-Identifier: Apache-2.0
// Blocking pool: threads taking jobs from one bounded queue.
#include "convene/blocking_pool.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace convene {

class blocking_pool::state {
   public:
    // Delegates, so that the destructor joins those that run when one more can't be started.
    state(std::size_t threads, std::size_t capacity) : state(capacity) {
        threads_.reserve(threads);
        for (std::size_t i = 0; i < threads; ++i) {
            threads_.emplace_back([this] { work(); });
        }
    }

    ~state() {
        std::deque<std::unique_ptr<external_job>> dropped;
        {
            const std::scoped_lock lock{mutex_};
            stopping_ = true;
            dropped.swap(waiting_);
        }
        wake_.notify_all();
        // Before the threads are joined: whoever waits for these need not wait for what still runs.
        dropped.clear();
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }

    bool submit(std::unique_ptr<external_job> job) {
        {
            const std::scoped_lock lock{mutex_};
            if (waiting_.size() >= capacity_) {
                return false;
            }
            waiting_.push_back(std::move(job));
        }
        wake_.notify_one();
        return true;
    }

   private:
    explicit state(std::size_t capacity) : capacity_(capacity) {}

    void work() {
        while (const std::unique_ptr<external_job> job = take()) {
            job->run();
        }
    }

    /// Waits for a job; null once the pool stops.
    std::unique_ptr<external_job> take() {
        std::unique_lock lock{mutex_};
        wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        if (stopping_) {
            return nullptr;
        }
        std::unique_ptr<external_job> job = std::move(waiting_.front());
        waiting_.pop_front();
        return job;
    }

    // fixed after construction
    const std::size_t capacity_;

    // shared with the threads, guarded by `mutex_`
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::unique_ptr<external_job>> waiting_;
    bool stopping_ = false;

    // last, because they use what is above
    std::vector<std::thread> threads_;
};

blocking_pool::blocking_pool(std::size_t threads, std::size_t capacity)
    : state_(std::make_unique<state>(threads, capacity)) {}

blocking_pool::~blocking_pool() = default;

bool blocking_pool::submit(std::unique_ptr<external_job> work) {
    return state_->submit(std::move(work));
}

}  // namespace convene
