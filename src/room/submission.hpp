// SPDX-License-Identifier: Apache-2.0
// A proposal in a writer's queue, and the answer its sender waits for.
#pragma once

#include "convene/wait.hpp"

#include <cstdint>
#include <memory>
#include <optional>

#include "room/cascade.hpp"
#include "room/hook_verdict.hpp"
#include "room/proposal.hpp"

namespace convene {

/// What became of a proposal that was not refused.
struct committed_event {
    room_event event;
    bool is_replay = false;
    bool is_left_to_other = false;  ///< another worker delivers it
};

/// Shared by the sender and the writer.
///
/// The sender may withdraw it until the writer has put it into a commit that is being sent; from then on its
/// fate is the commit's. *Thread safety*: loop only.
class submission {
   public:
    submission(proposal proposed, std::shared_ptr<cascade> caused_by, deadline until)
        : proposed_(std::move(proposed)), unit_(std::move(caused_by)), until_(until) {}

    [[nodiscard]] const proposal& what() const noexcept { return proposed_; }

    [[nodiscard]] const std::shared_ptr<cascade>& caused() const noexcept { return unit_.owner(); }

    [[nodiscard]] deadline until() const noexcept { return until_; }

    [[nodiscard]] wait_flag& answered() noexcept { return answered_; }

    [[nodiscard]] bool is_withdrawn() const noexcept { return state_ == state::withdrawn; }

    [[nodiscard]] bool is_answered() const noexcept { return answered_.is_set(); }

    /// The sender gives up. False: too late, wait for the answer.
    [[nodiscard]] bool try_withdraw() noexcept {
        if (state_ != state::waiting) {
            return false;
        }
        state_ = state::withdrawn;
        return true;
    }

    void mark_committing() noexcept { state_ = state::committing; }

    void mark_waiting() noexcept { state_ = state::waiting; }

    void answer(result<committed_event> outcome) {
        if (is_answered()) {
            return;
        }
        outcome_ = std::move(outcome);
        state_ = state::answered;
        answered_.set();
        unit_ = cascade::unit{};
    }

    [[nodiscard]] result<committed_event>& outcome() noexcept { return outcome_; }

    /// How often its batch met a changed room.
    std::int32_t attempts = 0;

    /// It shared a batch that failed because of one member: commit it by itself.
    bool is_alone = false;

    /// What the remote hooks said about it, and about which room: it counts for no other.
    struct remote_verdict {
        config_version room = 0;
        config_version organization = 0;
        hook_chain_outcome outcome;
    };

    /// It is decided inside a hook, under a lock that is held: nobody outside may be asked.
    bool is_nested = false;

    std::optional<remote_verdict> remote;
    std::int32_t times_asked = 0;

   private:
    enum class state : std::uint8_t { waiting, committing, withdrawn, answered };

    proposal proposed_;
    cascade::unit unit_;
    deadline until_;
    state state_ = state::waiting;
    wait_flag answered_;
    result<committed_event> outcome_ = errc::unavailable;
};

}  // namespace convene
