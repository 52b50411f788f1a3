// SPDX-License-Identifier: Apache-2.0
// Supervisor: forks, waits for signals, and forks again.
#include "app/server/supervisor.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "base/assert.hpp"
#include "base/log.hpp"

namespace convene {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds first_pause = 200ms;
constexpr std::chrono::milliseconds longest_pause = 30s;
constexpr auto long_life = 10s;

class supervisor {
   public:
    supervisor(std::size_t workers, const std::function<exit_code(worker_start)>& work)
        : work_(work), workers_(workers) {
        sigemptyset(&watched_);
        for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) {
            sigaddset(&watched_, signal);
        }
        sigprocmask(SIG_BLOCK, &watched_, &former_mask_);
    }

    supervisor(const supervisor&) = delete;
    supervisor& operator=(const supervisor&) = delete;

    ~supervisor() { sigprocmask(SIG_SETMASK, &former_mask_, nullptr); }

    exit_code run() {
        for (worker& one : workers_) {
            start(one);
        }
        while (!is_stopping_ || has_running()) {
            wait_for_signal();
            reap();
            start_those_due();
        }
        return ending_;
    }

   private:
    struct worker {
        pid_t process = -1;  ///< none runs
        std::size_t starts = 0;
        std::chrono::milliseconds pause = first_pause;
        clock::time_point at{};  ///< of the last start, or of the next one
    };

    void start(worker& one) {
        const auto number = static_cast<std::size_t>(&one - workers_.data());
        const pid_t parent = ::getpid();
        const pid_t process = ::fork();
        if (process == 0) {
            sigprocmask(SIG_SETMASK, &former_mask_, nullptr);
            // A supervisor that is killed takes its workers along: nobody else would stop them.
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
            const bool is_orphan = ::getppid() != parent;
            const exit_code ended = is_orphan ? exit_code::terminated : work_({number, one.starts});
            ::_exit(static_cast<int>(ended));
        }
        if (process < 0) {
            log(log_level::error, "worker_not_started", {{"worker", number}, {"errno", errno}});
        }
        one.process = process;
        one.at = process < 0 ? clock::now() + one.pause : clock::now();
        ++one.starts;
    }

    void start_those_due() {
        for (worker& one : workers_) {
            if (!is_stopping_ && one.process < 0 && clock::now() >= one.at) {
                start(one);
            }
        }
    }

    /// For a signal, or until the next start is due.
    void wait_for_signal() {
        auto next = clock::now() + longest_pause;
        for (const worker& one : workers_) {
            next = one.process < 0 && !is_stopping_ ? std::min(next, one.at) : next;
        }
        const auto left = std::max<std::chrono::nanoseconds>(next - clock::now(), 0ns);
        const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
        timespec span{};
        span.tv_sec = seconds.count();
        span.tv_nsec = (left - seconds).count();
        const int signal = ::sigtimedwait(&watched_, nullptr, &span);
        if (signal == SIGINT || signal == SIGTERM) {
            stop_all(signal);
        }
    }

    /// A second signal is passed on too: then each worker ends at once.
    void stop_all(int signal) {
        is_stopping_ = true;
        for (const worker& one : workers_) {
            if (one.process > 0) {
                ::kill(one.process, signal);
            }
        }
    }

    void reap() {
        int status = 0;
        for (pid_t ended = ::waitpid(-1, &status, WNOHANG); ended > 0;
             ended = ::waitpid(-1, &status, WNOHANG)) {
            const auto found = std::ranges::find(workers_, ended, &worker::process);
            if (found != workers_.end()) {
                note_end(*found, status);
            }
        }
    }

    void note_end(worker& one, int status) {
        const bool was_long = clock::now() - one.at >= long_life;
        one.process = -1;
        if (is_stopping_) {
            return;
        }
        const auto number = static_cast<std::size_t>(&one - workers_.data());
        if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && one.starts == 1 && !was_long) {
            // It said why. What is wrong is wrong for all.
            ending_ = static_cast<exit_code>(WEXITSTATUS(status));
            stop_all(SIGTERM);
            return;
        }
        one.pause = was_long ? first_pause : std::min(one.pause * 2, longest_pause);
        one.at = clock::now() + one.pause;
        log(log_level::warn,
            "worker_ended",
            {{"worker", number},
             {"signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0},
             {"status", WIFEXITED(status) ? WEXITSTATUS(status) : 0},
             {"again_in_ms", one.pause.count()}});
    }

    [[nodiscard]] bool has_running() const {
        return std::ranges::any_of(workers_, [](const worker& one) { return one.process > 0; });
    }

    const std::function<exit_code(worker_start)>& work_;
    std::vector<worker> workers_;
    sigset_t watched_{};
    sigset_t former_mask_{};
    bool is_stopping_ = false;
    exit_code ending_ = exit_code::ok;
};

}  // namespace

exit_code run_apart(const std::function<exit_code()>& work) {
    const pid_t process = ::fork();
    if (process == 0) {
        ::_exit(static_cast<int>(work()));
    }
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? static_cast<exit_code>(WEXITSTATUS(status)) : exit_code::terminated;
}

exit_code supervise(std::size_t workers, const std::function<exit_code(worker_start)>& work) {
    return supervisor{workers, work}.run();
}

}  // namespace convene
