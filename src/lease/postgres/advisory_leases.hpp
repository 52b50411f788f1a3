// SPDX-License-Identifier: Apache-2.0
// The two kinds of leases that the lock manager of many processes hands out.
#pragma once

#include <memory>
#include <utility>

#include "base/log.hpp"
#include "lease/postgres/postgres_lock_manager.hpp"

namespace convene::postgres {

// What workers say to each other of a key, in decimal digits. What else is said stands behind a space: older ones read on
// to there.
inline constexpr const char* wanted_channel = "convene_wanted";
inline constexpr const char* released_channel = "convene_released";
inline constexpr const char* revoke_channel = "convene_revoke";
inline constexpr const char* revoked_channel = "convene_revoked";

/// Whether the first row of an answer says so.
[[nodiscard]] bool is_granted(answer& given);

/// A lock on the shared session. It is lost when the session is.
class advisory_lock_manager::long_lease final : public lease {
   public:
    long_lease(advisory_lock_manager& manager, std::unique_ptr<lease> place)
        : manager_(manager),
          place_(std::move(place)),
          key_(place_->name().key()),
          generation_(manager.session_.generation()),
          since_(manager.where_.now()),
          is_wanted_elsewhere_(manager.is_wanted_by_others(key_)),
          lost_(&place_->lost()) {
        manager_.held_.insert(this);
        place_->when_wanted([this] { tell_wanted(); });
    }

    ~long_lease() override {
        manager_.held_.erase(this);
        place_->when_wanted(nullptr);
        if (!is_given_back_ && has_session()) {
            // The place stays taken until the database has let go.
            manager_.session_.start_unlock(key_, std::shared_ptr<void>{std::move(place_)});
            if (is_wanted_elsewhere_) {
                manager_.say_released(key_);
            }
        }
    }

    [[nodiscard]] const lease_name& name() const noexcept override { return place_->name(); }

    [[nodiscard]] lease_state state() const noexcept override {
        if (is_lost() || place_->state() == lease_state::lost) {
            return lease_state::lost;
        }
        return manager_.session_.is_suspect() ? lease_state::suspect : lease_state::held;
    }

    [[nodiscard]] bool is_wanted() const noexcept override {
        return is_wanted_elsewhere_ || place_->is_wanted();
    }

    [[nodiscard]] cancel_source& lost() noexcept override { return lost_; }

    [[nodiscard]] awaitable<result<>> release() override {
        if (std::exchange(is_given_back_, true)) {
            co_return result<>{};
        }
        const bool was_lost = is_lost();
        if (!has_session()) {
            const result<> left = co_await place_->release();
            static_cast<void>(left);
            co_return errc::lease_lost;
        }
        manager_.say_released(key_);
        const result<> unlocked = co_await manager_.session_.unlock(key_);
        const result<> left = co_await place_->release();
        static_cast<void>(left);  // the lock of the database is what counts
        co_return was_lost ? result<>{errc::lease_lost} : unlocked;
    }

    [[nodiscard]] std::int64_t key() const noexcept { return key_; }

    [[nodiscard]] monotonic_time since() const noexcept { return since_; }

    /// False once the session that held the lock is gone, and the lock with it.
    [[nodiscard]] bool has_session() const noexcept {
        return generation_ == manager_.session_.generation();
    }

    void want() {
        is_wanted_elsewhere_ = true;
        tell_wanted();
    }

    void lose() noexcept { lost_.request(errc::lease_lost); }

   private:
    [[nodiscard]] bool is_lost() const noexcept { return lost_.is_requested() || !has_session(); }

    advisory_lock_manager& manager_;
    std::unique_ptr<lease> place_;
    const std::int64_t key_;
    const std::uint64_t generation_;
    const monotonic_time since_;
    bool is_wanted_elsewhere_;
    bool is_given_back_ = false;
    cancel_source lost_;  ///< also when the lease is taken away in this process
};

/// A lock on a connection of its own, which is lent to the commit.
class advisory_lock_manager::room_lease final : public lending_lease, public room_lease_hook {
   public:
    room_lease(
        advisory_lock_manager& manager,
        std::unique_ptr<lease> place,
        std::unique_ptr<connection> lent
    )
        : manager_(manager),
          place_(std::move(place)),
          lent_(std::move(lent)),
          since_(manager.where_.now()),
          lost_(&place_->lost()) {
        manager_.held_rooms_.push_back(*this);
    }

    ~room_lease() override {
        if (lent_ != nullptr) {
            // What it was doing is not known: the lock ends with the connection.
            lent_->close();
            manager_.rooms_.give_back(std::move(lent_));
        }
    }

    [[nodiscard]] const lease_name& name() const noexcept override { return place_->name(); }

    [[nodiscard]] lease_state state() const noexcept override {
        const bool is_held = is_under_way() && !lent_->is_broken() && !lost_.is_requested();
        return is_held ? lease_state::held : lease_state::lost;
    }

    [[nodiscard]] bool is_wanted() const noexcept override { return place_->is_wanted(); }

    [[nodiscard]] cancel_source& lost() noexcept override { return lost_; }

    [[nodiscard]] connection* lent() noexcept override {
        return state() == lease_state::held ? lent_.get() : nullptr;
    }

    void released_by(answer& unlocked) noexcept override {
        if (!is_granted(unlocked)) {
            // Never the case while the session lives; whatever it is, the session is not used again.
            log(log_level::error, "room_lock_was_not_held", {{"lease", name().display()}});
            lent_->close();
        }
        manager_.rooms_.give_back(std::move(lent_));
        place_.reset();
    }

    [[nodiscard]] awaitable<result<>> release() override {
        if (lent_ == nullptr) {
            co_return result<>{};
        }
        request unlock;
        unlock.add("SELECT pg_advisory_unlock(?1)::int", name().key());
        auto answers = co_await shielded(lent_->run(std::move(unlock)));
        const bool was_held = answers && is_granted(answers->front());
        if (!was_held) {
            lent_->close();
        }
        manager_.rooms_.give_back(std::move(lent_));
        const result<> left = co_await place_->release();
        static_cast<void>(left);  // the lock of the database is what counts
        co_return was_held ? result<>{} : result<>{errc::lease_lost};
    }

    /// False once it was given back.
    [[nodiscard]] bool is_under_way() const noexcept { return lent_ != nullptr; }

    [[nodiscard]] monotonic_time since() const noexcept { return since_; }

   private:
    advisory_lock_manager& manager_;
    std::unique_ptr<lease> place_;
    std::unique_ptr<connection> lent_;
    const monotonic_time since_;
    cancel_source lost_;  ///< when it is taken away: what is not sent yet is refused
};

}  // namespace convene::postgres
