// SPDX-License-Identifier: Apache-2.0
// One agent row being answered: asks the agent, commits what it says, and ends the row.
#pragma once

#include "convene/channel.hpp"
#include "convene/wait.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "room/agent_recovery.hpp"
#include "room/engine_core.hpp"
#include "room/lane_entry.hpp"
#include "room/proposal.hpp"

namespace convene {

class room_writer;

/// A generation and its answer (engine.md 5). Its commits are guarded by the row: once the row is final or
/// belongs to somebody else nothing of it is stored.
///
/// *Thread safety*: loop only. *Lifetime*: shared by the set that waits for it and the task that drives it.
class agent_run final : public answer_sink {
   public:
    agent_run(engine_core* core, room_writer* writer, const lane_entry& entry, delivery_row row);

    /// Makes the answer. Called once. *Cancellation*: the row stays open for whoever recovers it.
    [[nodiscard]] awaitable<void> run();

    [[nodiscard]] awaitable<result<>> segment(content piece) override;

    [[nodiscard]] awaitable<result<>> record(content call, visibility shown_to) override;

    /// Set once the row no longer keeps its set waiting: the answer is streaming or has ended.
    [[nodiscard]] wait_flag& settled() noexcept { return settled_; }

    [[nodiscard]] wait_flag& ended() noexcept { return ended_; }

    /// Nobody collects the result any more: the run stores its own end.
    void mark_set_over() noexcept { set_is_over_ = true; }

    [[nodiscard]] bool is_set_over() const noexcept { return set_is_over_; }

    /// False if it was cut off before it ended.
    [[nodiscard]] bool has_result() const noexcept { return result_.has_value() || segments_ > 0; }

    /// `streaming` while segments come, else how it ended.
    [[nodiscard]] ops::row_result current_result() const;

    [[nodiscard]] const std::vector<framework_event>& notices() const noexcept { return notices_; }

   private:
    [[nodiscard]] awaitable<void> make_answer();
    [[nodiscard]] awaitable<result<bool>> recover();
    [[nodiscard]] awaitable<result<>> close_answer(std::string finish_reason);
    [[nodiscard]] awaitable<result<std::vector<room_event>>> load_history(binding reader);
    [[nodiscard]] awaitable<result<std::vector<room_event>>> load_made_calls();
    [[nodiscard]] awaitable<result<agent_answer>> ask(agent_channel* agent, agent_request request);
    [[nodiscard]] awaitable<result<>> commit_reply(proposal reply);
    [[nodiscard]] awaitable<void> conclude(agent_answer answer);
    [[nodiscard]] awaitable<void> store_end();

    void end_with(delivery_state state, delivery_outcome outcome);
    [[nodiscard]] proposal make_reply(content said, std::string key) const;

    // fixed after construction
    engine_core& core_;
    room_writer& writer_;
    const room_event trigger_;
    const std::shared_ptr<const room_context> context_;
    const delivery_row row_;
    const std::size_t sharers_;  ///< rows of the trigger that share its budget
    const bool is_from_store_;
    const bool follows_crash_;
    const std::vector<room_id> chain_;

    // touched on the loop only
    cascade::unit unit_;
    std::int32_t generation_ = 0;
    std::int32_t segments_ = 0;
    std::int32_t records_ = 0;  ///< of tool calls
    bool set_is_over_ = false;
    std::optional<ops::row_result> result_;
    std::vector<framework_event> notices_;
    wait_flag settled_;
    wait_flag ended_;
};

}  // namespace convene
