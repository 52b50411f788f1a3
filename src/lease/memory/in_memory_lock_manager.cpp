// SPDX-License-Identifier: Apache-2.0
// The in-memory lock manager: entering a line, moving up, holding, and leaving it in whatever way.
#include "lease/memory/in_memory_lock_manager.hpp"

#include <boost/container_hash/hash.hpp>

#include <utility>

namespace convene {

/// A place in the line of one name, handed out as the lease once it is the first. Leaving is what
/// its destructor does, so that a caller who stops at any point makes way for the next.
class in_memory_lock_manager::place final : public lease, public place_hook {
   public:
    place(in_memory_lock_manager& manager, lease_name name)
        : manager_(manager), name_(std::move(name)), line_(&manager.lines_[name_]) {
        line_->push_back(*this);
        if (holds()) {
            begin_turn();
        } else {
            line_->front().tell_wanted();
        }
    }

    ~place() override { leave(); }

    [[nodiscard]] const lease_name& name() const noexcept override { return name_; }

    [[nodiscard]] lease_state state() const noexcept override {
        return holds() && !lost_.is_requested() ? lease_state::held : lease_state::lost;
    }

    [[nodiscard]] bool is_wanted() const noexcept override {
        return holds() && &line_->back() != this;
    }

    [[nodiscard]] cancel_source& lost() noexcept override { return lost_; }

    [[nodiscard]] awaitable<result<>> release() override {
        const bool was_lost = lost_.is_requested();
        leave();
        co_return was_lost ? result<>{errc::lease_lost} : result<>{};
    }

    [[nodiscard]] bool holds() const noexcept {
        return line_ != nullptr && &line_->front() == this;
    }

    /// Set when the place holds the name, or when it was sent away.
    [[nodiscard]] wait_flag& turn() noexcept { return turn_; }

    /// When it became the first in line.
    [[nodiscard]] monotonic_time since() const noexcept { return since_; }

    [[nodiscard]] std::size_t behind() const noexcept { return line_->size() - 1; }

    /// Tells the holder that it is one no longer; it keeps others out until it leaves. The flag is set then.
    [[nodiscard]] std::shared_ptr<wait_flag> revoke() {
        if (left_ == nullptr) {
            left_ = std::make_shared<wait_flag>();
        }
        // The holder may leave, and be gone, before this returns.
        std::shared_ptr<wait_flag> left = left_;
        lost_.request(errc::lease_lost);
        return left;
    }

    void send_away() noexcept {
        leave();
        turn_.set();
    }

    void lose() noexcept {
        leave();
        lost_.request(errc::lease_lost);
    }

   private:
    void begin_turn() noexcept {
        since_ = manager_.where_.now();
        turn_.set();
    }

    void leave() noexcept;

    // fixed after construction
    in_memory_lock_manager& manager_;
    const lease_name name_;

    // touched on the loop only
    line* line_;  // null once it has left; the manager may be gone then
    monotonic_time since_{};
    wait_flag turn_;
    cancel_source lost_;
    std::shared_ptr<wait_flag> left_;  ///< once it is revoked; shared with who waits for that
};

void in_memory_lock_manager::place::leave() noexcept {
    if (line_ == nullptr) {
        return;
    }
    const bool held = holds();
    line& left = *std::exchange(line_, nullptr);
    left.erase(left.iterator_to(*this));
    if (left.empty()) {
        manager_.forget(name_);
    } else if (held) {
        left.front().begin_turn();
    }
    if (left_ != nullptr) {
        left_->set();
    }
}

std::size_t in_memory_lock_manager::name_hash::operator()(const lease_name& name) const noexcept {
    std::size_t hash = 0;
    boost::hash_combine(hash, name.kind());
    boost::hash_combine(hash, name.organization().str());
    boost::hash_combine(hash, name.id());
    return hash;
}

in_memory_lock_manager::in_memory_lock_manager(executor& where) : where_(where) {}

in_memory_lock_manager::~in_memory_lock_manager() { lose_all(); }

awaitable<result<std::unique_ptr<lease>>> in_memory_lock_manager::acquire(
    lease_name name, deadline until
) {
    if (is_closing_) {
        co_return errc::unavailable;
    }
    auto mine = std::make_unique<place>(*this, std::move(name));
    const result<> granted = co_await with_deadline(until, wait_for_turn(mine.get()));
    if (!granted) {
        co_return granted.error();
    }
    co_return std::move(mine);
}

awaitable<result<>> in_memory_lock_manager::wait_for_turn(place* mine) {
    const result<> woken = co_await mine->turn().wait();
    if (!woken) {
        co_return woken.error();
    }
    // The caller may have been cancelled after the grant was on its way: then the next one is
    // served.
    const coroutine_context context = co_await this_context();
    const result<> wanted = context.check_cancelled();
    if (!wanted) {
        co_return wanted.error();
    }
    if (!mine->holds()) {
        co_return errc::unavailable;
    }
    co_return result<>{};
}

awaitable<result<std::unique_ptr<lease>>> in_memory_lock_manager::try_acquire(lease_name name) {
    if (is_closing_) {
        co_return errc::unavailable;
    }
    if (lines_.contains(name)) {
        co_return errc::lease_busy;
    }
    co_return std::make_unique<place>(*this, std::move(name));
}

awaitable<result<>> in_memory_lock_manager::close(deadline until) {
    is_closing_ = true;
    dismiss_waiting();
    if (lines_.empty()) {
        idle_.set();
    }
    const result<> idle = co_await with_deadline(until, until_set(&idle_));
    if (until.has_passed(where_.now())) {
        lose_all();
    }
    co_return idle;
}

std::vector<lease_info> in_memory_lock_manager::list() const {
    std::vector<lease_info> held;
    held.reserve(lines_.size());
    for (const auto& [name, waiting] : lines_) {
        const place& holder = waiting.front();
        held.push_back({name, holder.state(), holder.since(), holder.behind()});
    }
    return held;
}

awaitable<result<>> in_memory_lock_manager::revoke(lease_name name, deadline until) {
    const auto found = lines_.find(name);
    if (found == lines_.end()) {
        co_return errc::not_found;
    }
    const std::shared_ptr<wait_flag> left = found->second.front().revoke();
    const result<> gone = co_await with_deadline(until, until_set(left.get()));
    co_return gone;
}

void in_memory_lock_manager::dismiss_waiting() noexcept {
    for (auto& [name, waiting] : lines_) {
        while (!waiting.back().holds()) {
            waiting.back().send_away();
        }
    }
}

void in_memory_lock_manager::lose_all() noexcept {
    // Taken one by one: what is told of a loss may give back other leases.
    while (!lines_.empty()) {
        lines_.begin()->second.front().lose();
    }
}

void in_memory_lock_manager::forget(const lease_name& name) noexcept {
    lines_.erase(name);
    if (is_closing_ && lines_.empty()) {
        idle_.set();
    }
}

std::unique_ptr<lock_manager> make_in_memory_lock_manager(executor& where) {
    return std::make_unique<in_memory_lock_manager>(where);
}

}  // namespace convene
