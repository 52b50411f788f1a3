// SPDX-License-Identifier: Apache-2.0
// How the conformance suite opens, drives and restarts a store, whichever it is.
#pragma once

#include "convene/loop.hpp"

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "store/store.hpp"
#include "support/manual_wall_clock.hpp"

namespace convene {

/// A store that was empty at first, with the loop it runs on and the clock it reads.
class store_harness {
   public:
    store_harness() = default;
    store_harness(const store_harness&) = delete;
    store_harness& operator=(const store_harness&) = delete;
    virtual ~store_harness() = default;

    [[nodiscard]] virtual conversation_store& store() = 0;

    /// Ends the store and opens it again: what was stored is there. A store without a memory of its
    /// own just goes on.
    virtual void restart() = 0;

    template <class Op>
    [[nodiscard]] result<typename Op::answer> run(Op request) {
        if constexpr (std::is_same_v<Op, ops::commit>) {
            return commit(std::move(request));
        } else if constexpr (std::is_same_v<Op, ops::load_room_head>) {
            return read_head(std::move(request));
        } else {
            return loop_.run_until_done(store().run(std::move(request)));
        }
    }

    [[nodiscard]] loop& where() noexcept { return loop_; }

    [[nodiscard]] manual_wall_clock& clock() noexcept { return clock_; }

   protected:
    // A store may have a way of its own for what every message takes.
    [[nodiscard]] virtual result<ops::commit::answer> commit(ops::commit batch) {
        return loop_.run_until_done(store().run(std::move(batch)));
    }

    [[nodiscard]] virtual result<ops::load_room_head::answer> read_head(ops::load_room_head wanted
    ) {
        return loop_.run_until_done(store().run(std::move(wanted)));
    }

   private:
    loop loop_;
    manual_wall_clock clock_;
};

/// A kind of store under test.
struct store_kind {
    std::string name;
    std::function<std::unique_ptr<store_harness>()> open;
};

/// Every kind there is. Adding a store to the suite is adding it here.
[[nodiscard]] std::vector<store_kind> all_stores();

/// The kinds whose rooms survive a restart: they are compared with the memory store.
[[nodiscard]] std::vector<store_kind> persistent_stores();

}  // namespace convene
