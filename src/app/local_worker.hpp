// SPDX-License-Identifier: Apache-2.0
// A worker of this process for as long as a command runs: store, locks, channels, kit.
#pragma once

#include "convene/blocking_pool.hpp"
#include "convene/lease.hpp"
#include "convene/loop.hpp"
#include "convene/room_kit.hpp"
#include "convene/sqlite_store.hpp"

#include <functional>
#include <memory>

#include "app/command.hpp"
#include "app/model_maker.hpp"
#include "app/worker_database.hpp"
#include "base/secret_box.hpp"
#include "hook/http_hook_caller.hpp"
#include "integration/channel_service.hpp"
#include "live/worker_bell.hpp"
#include "net/http_client.hpp"

namespace convene {

/// *Lifetime*: started, used and stopped inside one run of the loop; stopped before it is destroyed.
class local_worker {
   public:
    /// Opens the database: a file as its one writing process, a server's beside other workers. `commits` may be null; it
    /// outlives the worker.
    [[nodiscard]] static outcome<std::unique_ptr<local_worker>> open(
        loop& where,
        const command_context& with,
        sqlite_creation creation,
        commit_listener* commits = nullptr
    );

    [[nodiscard]] room_kit& kit() noexcept { return kit_; }

    [[nodiscard]] conversation_store& store() noexcept { return *store_; }

    [[nodiscard]] channel_service& channels() noexcept { return channels_; }

    [[nodiscard]] worker_bell& bell() noexcept { return bell_; }

    /// Who is told that a message has made a turn; nobody: whoever looks finds it.
    void tell_of_turns(std::function<void()> told) { turn_queued_ = std::move(told); }

    [[nodiscard]] lock_manager& locks() noexcept { return *locks_; }

    [[nodiscard]] const secret_box& secrets() const noexcept { return secrets_; }

    /// Sends requests to other servers, to addresses that the settings allow.
    [[nodiscard]] http_sender sender();

    /// The database's locks, where other processes share them; else null.
    [[nodiscard]] const postgres_lock_manager* shared_locks() const noexcept {
        return shared_locks_;
    }

    /// Takes up the registered channels, then what a crashed process left undelivered.
    [[nodiscard]] awaitable<outcome<>> start();

    /// Waits until nothing is left to deliver, or until nothing moves any more; answers what is left. Beside other
    /// workers: of what this one has taken on.
    /// *Cancellation*: at any time; the rest is delivered by the next command that writes.
    [[nodiscard]] awaitable<result<std::int64_t>> settle();

    /// Drains the lanes and closes everything. Not cancellable.
    [[nodiscard]] awaitable<void> stop();

   private:
    local_worker(
        loop& where,
        const configuration& settings,
        const deployment_key& key,
        worker_database database,
        commit_listener* commits
    );

    [[nodiscard]] bool has_busy_lane() const;
    [[nodiscard]] awaitable<result<std::int64_t>> count_waiting();

    // fixed after construction; the kit uses what stands above it
    blocking_pool files_;
    std::unique_ptr<conversation_store> store_;
    std::unique_ptr<lock_manager> locks_;
    postgres_lock_manager* const shared_locks_;
    const secret_box secrets_;
    http_client http_;
    http_hook_caller hooks_;
    model_maker models_;
    std::function<void()> turn_queued_;
    channel_service channels_;
    worker_bell bell_;
    room_kit kit_;
};

}  // namespace convene
