// SPDX-License-Identifier: Apache-2.0
// The realtime backend of one process: a bounded queue for each subscriber.
#include "convene/wait.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/enumerator_of.hpp"
#include "live/realtime.hpp"

namespace convene {

namespace {

constexpr std::size_t most_waiting = 64;

/// The room alone is not enough: ids are the organisation's own.
std::string key_of(const organization_id& organization, const room_id& room) {
    return std::to_string(organization.str().size()) + ':' + organization.str() + room.str();
}

class memory_realtime;

class memory_subscription final : public realtime_subscription {
   public:
    memory_subscription(memory_realtime* from, std::string key);
    ~memory_subscription() override;

    memory_subscription(const memory_subscription&) = delete;
    memory_subscription& operator=(const memory_subscription&) = delete;

    [[nodiscard]] awaitable<result<realtime_event>> next(deadline until) override {
        while (waiting_.empty()) {
            arrived_.reset();
            const result<> woken = co_await with_deadline(until, until_set(&arrived_));
            if (!woken) {
                co_return woken.error();
            }
        }
        realtime_event first = std::move(waiting_.front());
        waiting_.pop_front();
        co_return first;
    }

    [[nodiscard]] std::uint64_t dropped() const noexcept override { return dropped_; }

    void take(const realtime_event& event) {
        if (waiting_.size() == most_waiting) {
            waiting_.pop_front();
            ++dropped_;
        }
        waiting_.push_back(event);
        arrived_.set();
    }

   private:
    // fixed after construction
    memory_realtime& from_;
    const std::string key_;

    // touched on the loop only
    std::deque<realtime_event> waiting_;
    std::uint64_t dropped_ = 0;
    wait_flag arrived_;
};

class memory_realtime final : public realtime_backend {
   public:
    void publish(realtime_event event) override {
        const auto found = rooms_.find(key_of(event.organization, event.room));
        if (found == rooms_.end()) {
            return;
        }
        for (memory_subscription* subscriber : found->second) {
            subscriber->take(event);
        }
    }

    [[nodiscard]] std::unique_ptr<realtime_subscription> subscribe(
        organization_id organization, room_id room
    ) override {
        return std::make_unique<memory_subscription>(this, key_of(organization, room));
    }

    [[nodiscard]] bool is_process_local() const noexcept override { return true; }

    void add(const std::string& key, memory_subscription* added) { rooms_[key].push_back(added); }

    void remove(const std::string& key, memory_subscription* removed) noexcept {
        const auto found = rooms_.find(key);
        std::erase(found->second, removed);
        if (found->second.empty()) {
            rooms_.erase(found);
        }
    }

   private:
    std::unordered_map<std::string, std::vector<memory_subscription*>> rooms_;
};

memory_subscription::memory_subscription(memory_realtime* from, std::string key)
    : from_(*from), key_(std::move(key)) {
    from_.add(key_, this);
}

memory_subscription::~memory_subscription() { from_.remove(key_, this); }

}  // namespace

std::unique_ptr<realtime_backend> make_in_memory_realtime() {
    return std::make_unique<memory_realtime>();
}

}  // namespace convene
