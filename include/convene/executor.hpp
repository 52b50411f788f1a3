// SPDX-License-Identifier: Apache-2.0
// The executor port: where coroutines are resumed, what time it is there, and how timers fire.
#pragma once

#include "convene/time.hpp"

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>

#include <memory>

namespace convene {

/// Something that runs on the loop, once for each time it is posted. Destroying a posted job takes
/// it off the queue, so a coroutine frame can be destroyed while its resumption is pending.
class job : public boost::intrusive::list_base_hook<
                boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    job() = default;
    job(const job&) = delete;
    job& operator=(const job&) = delete;

    /// Called on the loop, after the job was taken off the queue.
    virtual void run() noexcept = 0;

   protected:
    ~job() = default;
};

using job_queue = boost::intrusive::list<job, boost::intrusive::constant_time_size<false>>;

/// Something that happens at a point in time. Destroying an armed timer disarms it.
class timer : public boost::intrusive::set_base_hook<
                  boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    timer() = default;
    timer(const timer&) = delete;
    timer& operator=(const timer&) = delete;

    [[nodiscard]] monotonic_time at() const noexcept { return at_; }

    [[nodiscard]] bool is_armed() const noexcept { return is_linked(); }

    /// Called on the loop, after the timer was disarmed.
    virtual void expired() noexcept = 0;

    friend bool operator<(const timer& a, const timer& b) noexcept { return a.at_ < b.at_; }

   protected:
    ~timer() = default;

   private:
    friend class timer_queue;
    monotonic_time at_{};
};

/// The armed timers of an executor, soonest first; equal times fire in the order they were armed.
class timer_queue {
   public:
    void arm(timer& t, monotonic_time at) noexcept {
        if (t.is_linked()) {
            t.unlink();
        }
        t.at_ = at;
        armed_.insert(t);
    }

    [[nodiscard]] bool empty() const noexcept { return armed_.empty(); }

    /// *Requires*: not empty.
    [[nodiscard]] monotonic_time soonest() const noexcept { return armed_.begin()->at(); }

    [[nodiscard]] bool is_due(monotonic_time now) const noexcept {
        return !empty() && soonest() <= now;
    }

    /// Takes the soonest timer that is due; null when none is.
    [[nodiscard]] timer* take_due(monotonic_time now) noexcept {
        if (!is_due(now)) {
            return nullptr;
        }
        timer& due = *armed_.begin();
        due.unlink();
        return &due;
    }

   private:
    boost::intrusive::multiset<timer, boost::intrusive::constant_time_size<false>> armed_;
};

/// Work that is handed to another thread. It is run at most once, and destroyed by the thread that
/// has it.
class external_job {
   public:
    external_job() = default;
    external_job(const external_job&) = delete;
    external_job& operator=(const external_job&) = delete;
    virtual ~external_job() = default;

    virtual void run() noexcept = 0;
};

/// One loop: everything posted to it runs on one thread, one job at a time.
///
/// *Thread safety*: only `post_external` may be called from another thread.
/// *Lifetime*: outlives everything that runs on it.
class executor {
   public:
    virtual ~executor() = default;

    /// Queues a job, in order. *Requires*: it is not queued already.
    virtual void post(job& work) noexcept = 0;

    /// Queues work from any thread and wakes the loop. Work that is left when the executor ends is
    /// destroyed without being run.
    virtual void post_external(std::unique_ptr<external_job> work) = 0;

    /// Arms a timer, or moves an armed one. It never fires before `at`.
    virtual void arm(timer& t, monotonic_time at) noexcept = 0;

    [[nodiscard]] virtual monotonic_time now() const noexcept = 0;

    /// True once nothing on this executor will run again although work is left: a simulated crash.
    /// Task scopes then drop their coroutines instead of insisting on being joined.
    [[nodiscard]] virtual bool is_abandoned() const noexcept { return false; }
};

}  // namespace convene
