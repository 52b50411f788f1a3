// SPDX-License-Identifier: Apache-2.0
// Circuit breaker: closed, open until a point in time, probing.
#include "channel/circuit_breaker.hpp"

#include <utility>

#include "base/assert.hpp"

namespace convene {

circuit_breaker::permit::permit(circuit_breaker& owner, role as) noexcept
    : owner_(&owner), role_(as) {
    ++owner.permits_out_;
    owner.is_probing_ = owner.is_probing_ || as == role::probe;
}

circuit_breaker::permit::permit(permit&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), role_(other.role_) {}

circuit_breaker::permit::~permit() { end(); }

void circuit_breaker::permit::succeeded() noexcept {
    owner_->on_success(role_);
    end();
}

void circuit_breaker::permit::failed(monotonic_time now) noexcept {
    owner_->on_failure(role_, now);
    end();
}

void circuit_breaker::permit::end() noexcept {
    if (owner_ == nullptr) {
        return;
    }
    --owner_->permits_out_;
    if (role_ == role::probe) {
        owner_->is_probing_ = false;
    }
    owner_ = nullptr;
}

monotonic_time circuit_breaker::ready_at(monotonic_time now) const noexcept {
    if (!is_open()) {
        return now;
    }
    return is_probing_ ? now + probe_patience : *open_until_;
}

circuit_breaker::permit circuit_breaker::admit(monotonic_time now) noexcept {
    CONVENE_ASSERT(ready_at(now) <= now, "a circuit breaker that is not ready was passed");
    asked_at_ = now;
    return permit{*this, is_open() ? permit::role::probe : permit::role::ordinary};
}

std::vector<breaker_edge> circuit_breaker::take_edges() noexcept {
    return std::exchange(untold_, {});
}

bool circuit_breaker::is_idle(monotonic_time now) const noexcept {
    if (permits_out_ != 0 || !untold_.empty()) {
        return false;
    }
    const bool is_as_new = !is_open() && failures_ == 0;
    return is_as_new || now - asked_at_ >= remembered_for;
}

// Attempts that began before the breaker opened may end while it is open. Their outcome says
// nothing about the destination's recovery: only the probe decides.

void circuit_breaker::on_success(permit::role from) noexcept {
    if (from == permit::role::probe) {
        open_until_.reset();
        untold_.push_back(breaker_edge::closed);
    }
    if (!is_open()) {
        failures_ = 0;
    }
}

void circuit_breaker::on_failure(permit::role from, monotonic_time now) noexcept {
    if (from == permit::role::probe) {
        open_until_ = now + open_for;
        return;
    }
    if (is_open() || ++failures_ < failures_to_open) {
        return;
    }
    open_until_ = now + open_for;
    untold_.push_back(breaker_edge::opened);
}

}  // namespace convene
