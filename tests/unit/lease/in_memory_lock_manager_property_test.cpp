// SPDX-License-Identifier: Apache-2.0
// The in-memory lock manager against a model: random callers that come, leave and vanish at any
// moment.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lease/memory/in_memory_lock_manager.hpp"
#include "runtime/manual_loop.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

/// One caller: its coroutine, and what came of it.
struct caller {
    explicit caller(deadline latest) : until(latest) {}

    cancel_source stop;
    deadline until;
    std::optional<awaitable<void>> coroutine;
    std::unique_ptr<lease> lock;
    std::optional<error_code> refused;
};

awaitable<void> contend(lock_manager* locks, lease_name name, caller* self) {
    result<std::unique_ptr<lease>> lock = co_await locks->acquire(std::move(name), self->until);
    if (lock) {
        self->lock = std::move(*lock);
    } else {
        self->refused = lock.error();
    }
}

/// The callers of one name as they should stand in line: the first holds, the others wait.
struct model_line {
    lease_name name;
    std::vector<std::unique_ptr<caller>> callers;
};

class random_world {
   public:
    explicit random_world(std::uint32_t seed) : random_(seed) {}

    /// Does a few things at once, so that they meet in one turn, then lets time pass and compares.
    void step() {
        const int deeds = pick(1, 4);
        for (int i = 0; i < deeds; ++i) {
            do_something(lines_[static_cast<std::size_t>(pick(0, 2))]);
        }
        loop_.advance(milliseconds{pick(0, 2)});
        for (model_line& line : lines_) {
            remove_leavers(line);
            check(line);
        }
    }

    /// Everybody vanishes in the order they came: nothing may be left.
    void end() {
        for (model_line& line : lines_) {
            for (auto& gone : line.callers) {
                gone.reset();
            }
        }
        loop_.run_ready();
        EXPECT_EQ(locks_.size(), 0U);
    }

   private:
    int pick(int from, int to) { return std::uniform_int_distribution{from, to}(random_); }

    void do_something(model_line& line) {
        const int deed = pick(0, 9);
        if (deed < 4 || line.callers.empty()) {
            arrive(line);
            return;
        }
        const auto last = static_cast<int>(line.callers.size()) - 1;
        const auto chosen = line.callers.begin() + pick(0, last);
        if (deed < 6) {
            (*chosen)->stop.request(errc::cancelled);
        } else if (deed < 8) {
            line.callers.erase(chosen);
        } else {
            let_go(line);
        }
    }

    void arrive(model_line& line) {
        const deadline until = pick(0, 2) == 0 ? deadline::never()
                                               : deadline{loop_.now() + milliseconds{pick(1, 9)}};
        auto& self = *line.callers.emplace_back(std::make_unique<caller>(until));
        self.coroutine.emplace(contend(&locks_, line.name, &self));
        run(*self.coroutine, &self.stop);
    }

    /// The holder, if there is one by now, releases or drops its lease.
    void let_go(model_line& line) {
        const auto holder = std::ranges::find_if(line.callers, [](const auto& c) {
            return c->lock != nullptr;
        });
        if (holder == line.callers.end()) {
            return;
        }
        if (pick(0, 1) == 0) {
            auto release = (*holder)->lock->release();
            run(release, nullptr);
        }
        line.callers.erase(holder);
    }

    template <class T>
    void run(awaitable<T>& started, cancel_source* stop) {
        const coroutine_context context{&loop_, stop, nullptr};
        started.start_under(context, std::noop_coroutine()).resume();
    }

    /// Who was cancelled or late before it held the name must have been told so, and no longer
    /// stands in line.
    void remove_leavers(model_line& line) {
        std::erase_if(line.callers, [this](const std::unique_ptr<caller>& left) {
            if (left->lock != nullptr) {
                return false;
            }
            const bool is_late = left->until.has_passed(loop_.now());
            if (!left->stop.is_requested() && !is_late) {
                return false;
            }
            EXPECT_TRUE(left->refused.has_value());
            EXPECT_TRUE(left->refused == errc::cancelled || left->refused == errc::timed_out);
            return true;
        });
    }

    static void check(const model_line& line) {
        for (std::size_t i = 0; i < line.callers.size(); ++i) {
            const caller& standing = *line.callers[i];
            EXPECT_EQ(standing.lock != nullptr, i == 0);
            EXPECT_FALSE(standing.refused.has_value());
        }
        if (!line.callers.empty() && line.callers.front()->lock != nullptr) {
            EXPECT_EQ(line.callers.front()->lock->is_wanted(), line.callers.size() > 1);
        }
    }

    std::minstd_rand random_;
    manual_loop loop_;
    in_memory_lock_manager locks_{loop_};
    std::array<model_line, 3> lines_{{
        {lease_name::leader("a"), {}},
        {lease_name::leader("b"), {}},
        {lease_name::leader("c"), {}},
    }};
};

// Whatever callers do and whenever they vanish, the one who came first among those left holds the
// name, the others wait, and nothing stays behind.
// Proves: L1, L3
TEST(InMemoryLockManagerProperty, FollowsItsModelThroughRandomInterleavings) {
    for (std::uint32_t seed = 1; seed <= 300 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        random_world world{seed};
        for (int step = 0; step < 150; ++step) {
            world.step();
        }
        world.end();
    }
}

}  // namespace
}  // namespace convene
