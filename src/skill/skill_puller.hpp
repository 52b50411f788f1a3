// SPDX-License-Identifier: Apache-2.0
// The pulls of a worker: what is wanted is pulled by one worker of all, and folders are kept tidy.
#pragma once

#include "convene/lease.hpp"
#include "convene/random.hpp"
#include "convene/task_scope.hpp"
#include "convene/wait.hpp"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/uuid.hpp"
#include "skill/skill_pull.hpp"

namespace convene {

/// Owns none; they outlive the puller.
struct skill_puller_parts {
    skill_pull_parts pull;
    lock_manager* locks = nullptr;
    const wall_clock* clock = nullptr;
    random_source* random = nullptr;
};

/// Looks for skills that want a pull and makes it, under the lease of the skill. A worker that dies in the middle leaves
/// the wish in the store: whoever looks next takes it up. A pull that stops with its worker is left to another one.
///
/// *Thread safety*: loop only. *Lifetime*: stopped before it is destroyed.
class skill_puller {
   public:
    explicit skill_puller(skill_puller_parts parts);

    skill_puller(const skill_puller&) = delete;
    skill_puller& operator=(const skill_puller&) = delete;

    void start();

    /// What runs is broken off. Idempotent.
    [[nodiscard]] awaitable<void> stop();

    /// Something may be wanted.
    void wake() noexcept { wanted_.set(); }

    /// A revision that something is pinned to is missing: it is fetched by its commit, where the server gives it.
    void fetch(const skill& of, const revision_id& revision);

    /// Notified whenever a pull of this worker has ended.
    [[nodiscard]] wait_flag& ended() noexcept { return ended_; }

   private:
    using missing_revision = std::pair<skill_id, revision_id>;

    [[nodiscard]] awaitable<void> run();
    [[nodiscard]] awaitable<void> take_wanted();
    [[nodiscard]] awaitable<void> pull(organization_id of, skill_id id);
    [[nodiscard]] awaitable<bool> pull_under(lease* held, organization_id of, skill_id id);
    [[nodiscard]] awaitable<result<skill>> note_end(skill begun, pulled<revision_id> came);
    [[nodiscard]] awaitable<void> fetch_missing(skill of, revision_id revision);
    [[nodiscard]] awaitable<std::unique_ptr<lease>> hold(organization_id of, skill_id id);
    [[nodiscard]] awaitable<void> let_go(std::unique_ptr<lease> held);
    [[nodiscard]] awaitable<void> prune(skill of);
    [[nodiscard]] awaitable<void> sweep();
    [[nodiscard]] awaitable<void> sweep_one(skill of);

    // fixed after construction
    const skill_puller_parts parts_;

    // touched on the loop only
    id_generator ids_;
    std::set<skill_id> pulling_;
    std::set<missing_revision> fetching_;
    monotonic_time sweep_at_{};
    wait_flag wanted_;
    wait_flag ended_;

    // the last member: its tasks use the others
    task_scope scope_;
};

}  // namespace convene
