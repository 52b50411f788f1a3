// SPDX-License-Identifier: Apache-2.0
// Runs the rows of one event: transports and agents at once, each on its own; after-hooks when the set is done.
#pragma once

#include "convene/task_scope.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "channel/target_runner.hpp"
#include "room/agent_run.hpp"
#include "room/engine_core.hpp"
#include "room/lane_entry.hpp"

namespace convene {

enum class set_mode : std::uint8_t {
    concurrent,
    one_by_one,  ///< the last try of a poisoned head
};

/// What a set came to. Nothing is stored yet.
struct set_outcome {
    std::vector<ops::row_result> results;
    std::vector<outbound_item> deferred;
    std::vector<framework_event> notices;
    bool is_cut_off = false;  ///< cancelled before all rows were settled: the set has to run again
};

/// *Thread safety*: loop only. *Lifetime*: part of a lane; agents and after-hooks run in the slot's scope,
/// which is joined before it.
class set_runner {
   public:
    set_runner(engine_core* core, task_scope* scope);

    void connect(room_writer* writer) noexcept { writer_ = writer; }

    /// Runs all open channel and agent rows until each is settled.
    /// *Cancellation*: transports are stopped and joined; a generation goes on and is found again by the next
    /// call, because it is guarded by its row, not by the claim.
    [[nodiscard]] awaitable<set_outcome> run(
        const lane_entry* entry, set_mode mode, std::function<bool()> may_start
    );

    /// After the set's results are stored: runs the after-hooks in the background, once the answers of the
    /// entry's agents have ended.
    void start_after_effects(const lane_entry& entry);

    /// The set was executed elsewhere: agents that run here store their own ends, if they still may.
    void forget(const lane_entry& entry) { static_cast<void>(end_set_of_agents(entry)); }

    /// Rows whose agent or after-hook waits for its turn, runs, or has ended without its set.
    [[nodiscard]] std::unordered_set<delivery_id> at_work() const;

    /// A row behind the cursor that was adopted from a dead worker.
    void start_adopted(lane_entry entry, delivery_row row);

    /// Agents that are still generating.
    [[nodiscard]] std::size_t generating() const noexcept { return agents_.size(); }

   private:
    struct collected;

    [[nodiscard]] awaitable<void> run_row(
        const lane_entry* entry, delivery_row row, std::function<bool()> may_start, collected* into
    );
    [[nodiscard]] awaitable<void> run_transport(
        const lane_entry* entry, delivery_row row, std::function<bool()> may_start, collected* into
    );
    [[nodiscard]] awaitable<void> run_agent(
        const lane_entry* entry, delivery_row row, collected* into
    );
    [[nodiscard]] awaitable<void> drive_agent(std::shared_ptr<agent_run> run, delivery_id row);
    class hooks_at_work;

    [[nodiscard]] awaitable<void> run_after_hooks(
        lane_entry entry,
        std::vector<std::shared_ptr<agent_run>> agents,
        std::unique_ptr<hooks_at_work> known
    );
    /// Answers the word of the hook's failure, empty for none; counts the attempts in the row, and adds what is to be
    /// told of the hook itself.
    [[nodiscard]] awaitable<result<std::string>> call_after_hook(
        const lane_entry* entry, delivery_row* row, std::vector<framework_event>* notices
    );
    [[nodiscard]] awaitable<result<std::string>> tell_remote_hook(
        const lane_entry* entry,
        delivery_row* row,
        shared_remote_hook hook,
        std::vector<framework_event>* notices
    );
    /// The set of `entry` is stored, or not ours any more: its agents store their own ends from now on.
    std::vector<std::shared_ptr<agent_run>> end_set_of_agents(const lane_entry& entry);
    [[nodiscard]] std::optional<event_cause> cause_of(
        const lane_entry& entry, const delivery_row& row
    ) const;
    [[nodiscard]] std::shared_ptr<agent_run> agent_for(
        const lane_entry& entry, const delivery_row& row
    );

    // fixed after construction
    engine_core& core_;
    task_scope& scope_;
    room_writer* writer_ = nullptr;

    // touched on the loop only
    std::unordered_map<delivery_id, std::shared_ptr<agent_run>> agents_;
    std::unordered_set<delivery_id> after_hooks_;  ///< rows that wait for their turn, or run
};

}  // namespace convene
