// SPDX-License-Identifier: Apache-2.0
// A worker's conversation store in the simulation: operations travel to the shared database and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "sim/support/connection_pool.hpp"
#include "sim/support/lock_manager.hpp"
#include "store/step_batches.hpp"
#include "store/store.hpp"

namespace convene {

/// What keeps a writer without its lock from committing.
enum class commit_fence : std::uint8_t {
    session,     ///< the commit runs on the session that holds the lock
    lock_epoch,  ///< the commit compares an epoch, as for locks that can't lend a connection
};

/// Whether a worker stores the steps of its lanes together.
enum class step_writing : std::uint8_t { together, one_by_one };

/// The connection that steps of all lanes go over together; a broken one is replaced when the next step comes.
class sim_step_sender final : public step_sender {
   public:
    sim_step_sender(sim_database& database, sim_host& host)
        : database_(database), connections_(database, host, connection_use::query, 1) {}

    [[nodiscard]] awaitable<sent_steps> send(step_batch steps) override;

    void close() { connections_.close(); }

   private:
    sim_database& database_;
    sim_connection_pool connections_;
};

/// *Lifetime*: as long as its worker's process.
class sim_store final : public conversation_store {
   public:
    sim_store(
        sim_database& database,
        sim_host& host,
        commit_fence fence,
        step_writing steps = step_writing::together
    );

    [[nodiscard]] awaitable<result<room_tenure>> enter_room(
        lock_manager* locks, ops::load_room_head head, deadline until
    ) override;
    [[nodiscard]] awaitable<result<ops::commit::answer>> commit(
        room_tenure* tenure, ops::commit batch, unlock_mode after
    ) override;
    [[nodiscard]] awaitable<void> close() override;

    [[nodiscard]] std::string name() const override { return "SimStore"; }

    [[nodiscard]] bool is_shared_between_processes() const noexcept override { return true; }

   protected:
    [[nodiscard]] awaitable<result<>> execute(std::shared_ptr<operation> request) override;

   private:
    // fixed after construction
    sim_database& database_;
    const commit_fence fence_;
    const step_writing steps_;

    sim_step_sender sender_;
    step_batches batches_;
    sim_connection_pool queries_;
    std::size_t running_ = 0;
    bool is_closed_ = false;
    wait_flag ended_;
};

}  // namespace convene
