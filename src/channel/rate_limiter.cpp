// SPDX-License-Identifier: Apache-2.0
// Rate limiter: a log of starts, read through every window.
#include "channel/rate_limiter.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace convene {

namespace {

constexpr std::size_t highest_count = 1024;
constexpr double lowest_rate = 0.001;

rate_window window_of(double rate, std::chrono::nanoseconds per) {
    const double bounded = rate > lowest_rate ? rate : lowest_rate;
    const double count = std::clamp(std::floor(bounded), 1.0, static_cast<double>(highest_count));
    const double span = static_cast<double>(per.count()) * (count / bounded);
    return {static_cast<std::size_t>(count), std::chrono::nanoseconds{std::llround(span)}};
}

}  // namespace

std::vector<rate_window> windows_of(const rate_limit& limit) {
    std::vector<rate_window> windows;
    const auto add = [&windows](const std::optional<double>& rate, std::chrono::nanoseconds per) {
        if (rate) {
            windows.push_back(window_of(*rate, per));
        }
    };
    add(limit.per_second, std::chrono::seconds{1});
    add(limit.per_minute, std::chrono::minutes{1});
    add(limit.per_hour, std::chrono::hours{1});
    return windows;
}

rate_limiter::slot::slot(rate_limiter& owner, monotonic_time at) noexcept
    : owner_(&owner), at_(at) {
    ++owner.slots_out_;
}

rate_limiter::slot::slot(slot&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), at_(other.at_) {}

rate_limiter::slot::~slot() {
    if (owner_ != nullptr) {
        owner_->give_back(at_);
        --owner_->slots_out_;
    }
}

void rate_limiter::slot::use() noexcept {
    --owner_->slots_out_;
    owner_ = nullptr;
}

monotonic_time rate_limiter::next_free(const std::vector<rate_window>& windows, monotonic_time now)
    const noexcept {
    // Never before a slot that somebody has: those who asked first go first.
    monotonic_time at = starts_.empty() ? now : std::max(now, starts_.back());
    for (const rate_window& window : windows) {
        if (starts_.size() >= window.count) {
            at = std::max(at, starts_[starts_.size() - window.count] + window.span);
        }
    }
    return at;
}

rate_limiter::slot rate_limiter::take(const std::vector<rate_window>& windows, monotonic_time now) {
    const monotonic_time at = next_free(windows, now);
    for (const rate_window& window : windows) {
        longest_span_ = std::max(longest_span_, window.span);
    }
    starts_.push_back(at);
    forget_old(now);
    return slot{*this, at};
}

bool rate_limiter::is_idle(monotonic_time now) const noexcept {
    return slots_out_ == 0 && (starts_.empty() || starts_.back() + longest_span_ <= now);
}

void rate_limiter::forget_old(monotonic_time now) noexcept {
    // Without any limit a start is forgotten at once.
    while (!starts_.empty() &&
           (starts_.size() > highest_count || starts_.front() + longest_span_ <= now)) {
        starts_.pop_front();
    }
}

void rate_limiter::give_back(monotonic_time at) noexcept {
    if (!starts_.empty() && starts_.back() == at) {
        starts_.pop_back();
    }
}

}  // namespace convene
