// SPDX-License-Identifier: Apache-2.0
// How a running coroutine is asked to stop: a source, requested once, and those who listen to it.
#pragma once

#include "convene/error.hpp"

#include <boost/intrusive/list.hpp>

namespace convene {

/// Told once when a source is requested. Destroying a listener takes it off its source, also while
/// the source is being requested.
class cancel_listener : public boost::intrusive::list_base_hook<
                            boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    cancel_listener() = default;
    cancel_listener(const cancel_listener&) = delete;
    cancel_listener& operator=(const cancel_listener&) = delete;

    /// Called on the loop, after the listener was taken off. It may destroy itself and other
    /// listeners and attach new ones; it must not destroy the source.
    virtual void on_cancel(errc reason) noexcept = 0;

   protected:
    ~cancel_listener() = default;
};

/// A request to stop, made at most once, with its reason (`cancelled`, `timed_out`, `lease_lost`).
///
/// A source may hang below another one: requesting the parent requests it too.
/// *Thread safety*: loop only. *Lifetime*: outlives the coroutines that run under it.
class cancel_source final : private cancel_listener {
   public:
    cancel_source() = default;

    explicit cancel_source(cancel_source* parent) {
        if (parent != nullptr) {
            parent->attach(*this);
        }
    }

    [[nodiscard]] bool is_requested() const noexcept { return requested_; }

    /// Why it was requested; without meaning before.
    [[nodiscard]] errc reason() const noexcept { return reason_; }

    /// Tells every listener, in the order they were attached. Later requests are ignored: the first
    /// reason counts.
    void request(errc reason) noexcept {
        if (requested_) {
            return;
        }
        requested_ = true;
        reason_ = reason;
        // Taken one by one: what a listener does may take others off the list.
        while (!listeners_.empty()) {
            cancel_listener& listener = listeners_.front();
            listeners_.pop_front();
            listener.on_cancel(reason);
        }
    }

    /// Adds a listener; one that comes late is told at once.
    void attach(cancel_listener& listener) noexcept {
        if (requested_) {
            listener.on_cancel(reason_);
        } else {
            listeners_.push_back(listener);
        }
    }

   private:
    void on_cancel(errc reason) noexcept override { request(reason); }

    bool requested_ = false;
    errc reason_ = errc::cancelled;
    boost::intrusive::list<cancel_listener, boost::intrusive::constant_time_size<false>> listeners_;
};

}  // namespace convene
