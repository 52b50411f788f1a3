// SPDX-License-Identifier: Apache-2.0
// Agent sessions in memory: their state, runs with frames, tool calls, and turns.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "store/session_rules.hpp"

namespace convene {

/// *Thread safety*: as `tables`. *Complexity*: what asks for due turns looks at every session that has some open.
class session_tables {
   public:
    struct run_row {
        agent_run_record info;
        std::vector<run_frame> frames;  ///< all below `next_frame`, or none
        bool is_pruned = false;
    };

    struct session_row {
        agent_session info;
        std::vector<run_id> runs;        ///< in the order of epochs
        std::vector<tool_intent> calls;  ///< in the order in which they were started
        std::map<std::int64_t, session_turn> turns;
        std::map<approval_id, approval> approvals;
    };

    // Null if there is none.
    [[nodiscard]] session_row* find(const room_id& room);
    [[nodiscard]] const session_row* find(const room_id& room) const;
    [[nodiscard]] run_row* find_run(const run_id& run);
    [[nodiscard]] session_turn* find_turn(const turn_id& turn);
    [[nodiscard]] approval* find_approval(const approval_id& id);

    /// Those whose epoch it is. Null: another has the session, or there is none.
    [[nodiscard]] session_row* find_driven(const room_id& room, std::int64_t epoch);

    void add(agent_session opened);
    void add_run(session_row& of, agent_run_record begun);
    void add_turn(session_row& of, session_turn queued);
    void remove_turn(const turn_id& id);
    void add_approval(session_row& of, approval asked);

    [[nodiscard]] session_state state_of(const agent_session& session) const;

    /// `count` appends, by whoever drives the session.
    void append(session_row& to, std::int64_t count, const state_delta& delta, wall_time now);

    /// Null unless the run was still open.
    agent_run_record* end_run(
        const run_id& run, run_status status, std::string reason, wall_time now
    );

    static void add_frames(run_row& to, const std::vector<run_frame>& frames);

    /// With its last frames.
    static void end_stream(run_row& of, const std::vector<run_frame>& last);

    /// Nobody drives it any more.
    static void settle(session_row& of, session_status quiet, wall_time now);

    /// Ends what is open.
    static void cancel_approvals(session_row& of, wall_time now);

    /// Whoever drives any of them.
    void fence_all();

    void forget_room(const room_id& room);

    /// With its calls, and the turn that it was the last run of.
    void forget_run(agent_run_record of);

    /// Of an organisation without rooms. True if there may be more than `limit` of some kind.
    bool forget_organization(const organization_id& leaving, std::size_t limit);

    [[nodiscard]] const std::map<room_id, session_row>& all() const noexcept { return sessions_; }

    [[nodiscard]] std::map<run_id, run_row>& runs() noexcept { return runs_; }

   private:
    using owner_key = std::pair<organization_id, std::string>;

    std::map<room_id, session_row> sessions_;
    std::map<owner_key, json_text> users_;
    std::map<organization_id, json_text> apps_;
    std::map<run_id, run_row> runs_;
    std::map<turn_id, std::pair<room_id, std::int64_t>> turn_places_;
    std::map<approval_id, room_id> approval_places_;
    std::int64_t last_turn_ = 0;
};

[[nodiscard]] waiting_turns waiting_in(const session_tables::session_row& session, wall_time now);

}  // namespace convene
