// SPDX-License-Identifier: Apache-2.0
// The auditor of sessions: one driver at a time, whole streams, calls with results, turns that come to an end.
#pragma once

#include "convene/tool.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/session/run_feed.hpp"
#include "sim/support/world.hpp"
#include "store/operation_traits.hpp"
#include "store/store.hpp"

namespace convene {

/// Sees what all workers write of sessions, and what their readers, tools and clients got of it. A promise that breaks
/// fails the world.
///
/// *Lifetime*: as long as the world; `data` outlives it.
class sim_session_auditor {
   public:
    sim_session_auditor(sim_world& world, tables& data, std::int32_t most_attempts)
        : world_(world), data_(data), most_attempts_(most_attempts) {}

    // -- what the database did: called after each operation that succeeded ---------------------------

    void applied(const ops::open_session& request, const agent_session& opened);
    void applied(const ops::begin_run& request, const ops::begin_run::answer& begun);
    void applied(const ops::append_frames& request, const std::vector<run_id>& left_out);
    void applied(const ops::end_run& request, const agent_run_record& ended);
    void applied(const ops::close_stream& request, const agent_run_record& closed);
    void applied(const ops::commit& request, const ops::commit::answer&);
    void applied(const ops::start_tool_call& request, const tool_intent& started);
    void applied(const ops::end_tool_call& request, const tool_intent& ended);
    void applied(const ops::queue_turn& request, const session_turn& queued);
    void applied(const ops::requeue_turn& request, const session_turn& queued);
    void applied(const ops::quarantine_turn& request, const session_turn& set_aside);
    void applied(const ops::set_worker_state& request, const std::monostate&);

    template <class Op>
    void applied(const Op&, const typename Op::answer&) {}

    // -- what workers and clients saw ----------------------------------------------------------------

    /// A tool did what it was called for.
    void has_effect(
        const incarnation_id& by, const tool_context& asked, const json_text& arguments
    );

    /// A reader that has all up to `after` was given a page.
    void page_read(const run_id& run, std::int64_t after, const run_page& page);

    /// A client was told that its message is in this run, or in this turn.
    void accepted(const std::string& message, const run_id& run) { in_runs_[message] = run; }

    void accepted(const std::string& message, const turn_id& turn) { in_turns_[message] = turn; }

    // -- the end -------------------------------------------------------------------------------------

    /// True when no session has anything left to do.
    [[nodiscard]] bool is_quiet();

    /// What keeps it from being quiet.
    [[nodiscard]] std::string describe_unrest();

    /// Checks what must hold once it is quiet.
    void check_end();

    [[nodiscard]] std::vector<run_id> runs() const;

   private:
    struct session_facts {
        organization_id organization;
        channel_id agent;
        std::int64_t epoch = 0;     ///< the highest that was given out
        std::int64_t sequence = 0;  ///< appends so far
        std::int64_t newest = 0;  ///< the number of the last run that began and has said something
        std::set<std::string> keys;  ///< of its state
    };

    /// A call as readers were shown it.
    struct shown_call {
        int results = 0;
        std::string result_event;
    };

    struct run_facts {
        room_id room;
        std::int64_t number = 0;  ///< by when it began
        std::vector<std::string> frames;
        std::vector<std::string> messages;  ///< that it told text of, in order
        std::map<std::string, shown_call> calls;
        std::set<std::string> pending;  ///< calls that its end leaves to the client
        int ends = 0;
        bool is_over = false;
        bool is_driven_to_its_end = false;  ///< by a driver, which has stored all that it showed
    };

    struct turn_facts {
        room_id room;
        bool is_running = false;
        std::vector<incarnation_id> attempts;  ///< those that count
    };

    struct stored_text {
        std::string text;
        std::string finish_reason;
    };

    template <class... Args>
    void fail(fmt::format_string<Args...> format, Args&&... args) {
        world_.fail(fmt::format(format, std::forward<Args>(args)...));
    }

    [[nodiscard]] bool is_dead(const incarnation_id& worker) const {
        return dead_.contains(worker);
    }

    void check_driver(const room_id& room, std::int64_t epoch, std::string_view what);

    // streams
    void note_speaking(const run_id& id, const run_facts& run);
    void add_frames(const run_id& run, const std::vector<run_frame>& frames);
    void add_frame(const run_id& id, run_facts& run, const std::string& data);
    void add_event(const room_event& event, session_facts& session);

    // the end
    void check_session_at_end(const room_id& room, const session_facts& session);
    void check_run_at_end(const run_id& id, const run_facts& run);
    void check_texts_at_end(const run_id& id, const run_facts& run);
    void check_calls_at_end(const run_id& id, const run_facts& run);
    void check_messages_at_end();
    void check_message(const std::string& message, const run_id& run);
    [[nodiscard]] std::vector<session_turn> all_turns();

    // fixed after construction
    sim_world& world_;
    tables& data_;
    const std::int32_t most_attempts_;

    std::map<room_id, session_facts> sessions_;
    std::map<run_id, run_facts> runs_;
    std::map<turn_id, turn_facts> turns_;
    std::map<std::pair<run_id, std::string>, tool_intent> intents_;
    std::map<std::string, std::string> told_;   ///< texts by the ids of their messages
    std::map<std::string, stored_text> texts_;  ///< the same, as they are stored
    std::map<std::string, std::vector<std::string>> results_;  ///< events by the ids of their calls
    std::map<std::string, int> keys_;                          ///< of stored events
    std::set<std::string> effects_;                            ///< by the keys of calls
    std::map<std::string, run_id> in_runs_;
    std::map<std::string, turn_id> in_turns_;
    std::set<incarnation_id> dead_;
};

}  // namespace convene
