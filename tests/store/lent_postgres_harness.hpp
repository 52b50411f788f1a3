// SPDX-License-Identifier: Apache-2.0
// The PostgreSQL store as workers use it: every commit on the connection that holds the room's lock, the steps of lanes
// over one that writes them together.
#pragma once

#include "convene/postgres_lock_manager.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <utility>

#include "store/postgres_harness.hpp"

namespace convene {

/// What a writer finds under a lock is what the suite asks of plain operations: a room that is not there is a compare
/// that missed.
class lent_postgres_harness final : public postgres_harness {
   public:
    lent_postgres_harness()
        : postgres_harness(steps::together),
          locks_(make_postgres_lock_manager(where(), {schema().address(), {}, 3})) {}

    ~lent_postgres_harness() override {
        const result<> closed = where().run_until_done(locks_->close(soon()));
        EXPECT_TRUE(closed) << "a lease was left";
    }

   private:
    [[nodiscard]] result<ops::commit::answer> commit(ops::commit batch) override {
        auto inside = enter({batch.organization, batch.room, {}});
        if (!inside) {
            const bool is_unknown = inside.error() == errc::not_found;
            return is_unknown ? make_error_code(errc::room_changed) : inside.error();
        }
        const bool is_stale = inside->head.room.next_index != batch.expected_next;
        if (is_stale && !batch.events.empty() && batch.events.front().index < batch.expected_next) {
            // No writer decides on such a head; what is wrong with the batch beside that is not looked at.
            leave(*inside);
            return errc::room_changed;
        }
        auto stored = where().run_until_done(
            store().commit(&*inside, std::move(batch), unlock_mode::release)
        );
        leave(*inside);
        return stored;
    }

    [[nodiscard]] result<ops::load_room_head::answer> read_head(ops::load_room_head wanted
    ) override {
        auto inside = enter(std::move(wanted));
        if (!inside) {
            return inside.error();
        }
        leave(*inside);
        return std::move(inside->head);
    }

    [[nodiscard]] result<room_tenure> enter(ops::load_room_head wanted) {
        return where().run_until_done(store().enter_room(locks_.get(), std::move(wanted), soon()));
    }

    void leave(room_tenure& tenure) {
        if (tenure.lock != nullptr) {
            const result<> released = where().run_until_done(tenure.lock->release());
            EXPECT_TRUE(released) << released.error();
        }
    }

    [[nodiscard]] deadline soon() { return deadline{where().now() + std::chrono::seconds{20}}; }

    std::unique_ptr<postgres_lock_manager> locks_;
};

}  // namespace convene
