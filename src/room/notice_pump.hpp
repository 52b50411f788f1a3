// SPDX-License-Identifier: Apache-2.0
// Hands framework events to named subscribers: in order, at least once, from where each had got to.
#pragma once

#include "convene/task_scope.hpp"

#include <string>
#include <unordered_set>

#include "room/engine_core.hpp"

namespace convene {

/// One loop a subscriber, so that a slow one delays nobody (R19). *Lifetime*: runs in the given scope.
class notice_pump {
   public:
    explicit notice_pump(engine_core* core) : core_(*core) {}

    /// *Errors*: `already_exists`.
    result<> subscribe(task_scope* scope, std::string name, framework_callback callback);

   private:
    [[nodiscard]] awaitable<void> run(std::string name, framework_callback callback);
    [[nodiscard]] awaitable<result<std::int64_t>> hand_out(
        std::string name, framework_callback callback, std::int64_t after
    );

    engine_core& core_;
    std::unordered_set<std::string> names_;
};

}  // namespace convene
