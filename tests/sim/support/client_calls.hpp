// SPDX-License-Identifier: Apache-2.0
// How clients make sure of an answer: one worker after the other, until one gives an answer that will not change.
#pragma once

#include "convene/awaitable.hpp"
#include "convene/wait.hpp"

#include <chrono>
#include <string>
#include <utility>

#include "sim/support/cluster.hpp"

namespace convene {

/// Whether a repetition could have another answer.
[[nodiscard]] bool is_final_answer(error_code answer);

/// A client's way to the workers. *Lifetime*: as long as the client; what it names outlives it.
class client_calls {
   public:
    client_calls(
        sim_world& world,
        sim_cluster& cluster,
        sim_executor& where,
        sim_random& random,
        std::string name
    )
        : world_(world),
          cluster_(cluster),
          where_(where),
          random_(random),
          name_(std::move(name)) {}

    /// Fails the world if nobody ever gives one.
    template <class T, class Request>
    [[nodiscard]] awaitable<result<T>> until_known(Request request) {
        for (int tries = 0; tries < most_tries; ++tries) {
            const std::size_t worker = cluster_.draw_serving();
            result<T> answer = errc::unavailable;
            if (worker != cluster_.size()) {
                const deadline until{where_.now() + patience};
                answer = co_await cluster_.call<T>(&where_, worker, request, until);
            }
            if (answer || is_final_answer(answer.error())) {
                co_return answer;
            }
            world_.note("{} is told '{}' and tries again", name_, answer.error().message());
            const result<> paused = co_await sleep_for(random_.skewed(shortest_pause, longest_pause)
            );
            static_cast<void>(paused);  // nobody cancels
        }
        world_.fail("O4: " + name_ + " never gets an answer");
        co_return errc::unavailable;
    }

    /// A client gives one worker that long before it asks another.
    static constexpr std::chrono::seconds patience{15};

   private:
    static constexpr int most_tries = 200;
    static constexpr std::chrono::milliseconds shortest_pause{5};
    static constexpr std::chrono::seconds longest_pause{2};

    sim_world& world_;
    sim_cluster& cluster_;
    sim_executor& where_;
    sim_random& random_;
    const std::string name_;
};

}  // namespace convene
