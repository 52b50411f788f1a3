// SPDX-License-Identifier: Apache-2.0
// Interrupts: a thread waits for signals, the loop hears of them.
#include "app/interrupts.hpp"

#include <csignal>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <thread>
#include <unistd.h>

#include "base/assert.hpp"

namespace convene {

namespace {

sigset_t stop_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

exit_code ending_of(int signal) {
    return signal == SIGTERM ? exit_code::terminated : exit_code::interrupted;
}

/// What the loop knows. Shared with jobs on their way, which may come after everything else has ended.
struct stop_request {
    cancel_source source;
    std::optional<exit_code> stopped_by;
};

class stop_job final : public external_job {
   public:
    stop_job(std::shared_ptr<stop_request> request, exit_code ending)
        : request_(std::move(request)), ending_(ending) {}

    void run() noexcept override {
        request_->stopped_by = ending_;
        request_->source.request(errc::cancelled);
    }

   private:
    std::shared_ptr<stop_request> request_;
    exit_code ending_;
};

}  // namespace

class interrupts::implementation {
   public:
    explicit implementation(loop& where) : where_(where) {
        const sigset_t signals = stop_signals();
        pthread_sigmask(SIG_BLOCK, &signals, &former_mask_);
        signals_ = ::signalfd(-1, &signals, SFD_CLOEXEC);
        ending_ = ::eventfd(0, EFD_CLOEXEC);
        CONVENE_ASSERT(
            signals_ >= 0 && ending_ >= 0, "the process is out of descriptors at its start"
        );
        watcher_ = std::thread{[this] { watch(); }};
    }

    ~implementation() {
        const std::uint64_t one = 1;
        const ssize_t woken = ::write(ending_, &one, sizeof one);
        CONVENE_ASSERT(woken == sizeof one, "an event descriptor takes its first count");
        watcher_.join();
        ::close(signals_);
        ::close(ending_);
        pthread_sigmask(SIG_SETMASK, &former_mask_, nullptr);
    }

    implementation(const implementation&) = delete;
    implementation& operator=(const implementation&) = delete;

    [[nodiscard]] stop_request& request() noexcept { return *request_; }

   private:
    void watch() {
        while (const std::optional<int> signal = wait_for_signal()) {
            if (is_stopping_) {
                // Asked twice: what is not stored yet is lost, what is stored is safe.
                ::_exit(static_cast<int>(ending_of(*signal)));
            }
            is_stopping_ = true;
            where_.post_external(std::make_unique<stop_job>(request_, ending_of(*signal)));
        }
    }

    /// Nothing when the program ends by itself.
    [[nodiscard]] std::optional<int> wait_for_signal() const {
        pollfd watched[] = {{signals_, POLLIN, 0}, {ending_, POLLIN, 0}};
        for (;;) {
            const int ready = ::poll(watched, 2, -1);
            if (ready < 0 && errno == EINTR) {
                continue;
            }
            signalfd_siginfo info{};
            const bool has_signal = ready > 0 && (watched[0].revents & POLLIN) != 0 &&
                                    ::read(signals_, &info, sizeof info) == sizeof info;
            return has_signal ? std::optional<int>{static_cast<int>(info.ssi_signo)} : std::nullopt;
        }
    }

    // fixed after construction
    loop& where_;
    const std::shared_ptr<stop_request> request_ = std::make_shared<stop_request>();
    sigset_t former_mask_{};
    int signals_ = -1;
    int ending_ = -1;

    // touched by the watcher only
    bool is_stopping_ = false;

    std::thread watcher_;
};

interrupts::interrupts(loop& where) : impl_(std::make_unique<implementation>(where)) {}

interrupts::~interrupts() = default;

cancel_source& interrupts::stop() noexcept { return impl_->request().source; }

std::optional<exit_code> interrupts::stopped_by() const noexcept {
    return impl_->request().stopped_by;
}

}  // namespace convene
