// SPDX-License-Identifier: Apache-2.0
// The auditor: knows what the database, the workers and the clients did, and holds it against the promises.
#pragma once

#include "convene/channel.hpp"
#include "convene/room_kit.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/support/world.hpp"
#include "store/operation_traits.hpp"
#include "store/store.hpp"

namespace convene {

/// Sees all workers at once, which no worker can. A promise that breaks fails the world.
///
/// *Lifetime*: as long as the world; `data` outlives it.
class sim_auditor {
   public:
    sim_auditor(sim_world& world, tables& data, delivery_recovery policy);

    // -- what the database did: called after each operation that succeeded ---------------------------

    void applied(const ops::commit& request, const ops::commit::answer&);
    void applied(const ops::finish_set& request, const ops::finish_set::answer&);
    void applied(const ops::put_results& request, const std::monostate&);
    void applied(const ops::adopt_rows& request, const std::vector<delivery_row>& adopted);
    void applied(const ops::release_rows& request, const std::int64_t&);
    void applied(const ops::finish_outbound& request, const bool& is_stored);
    void applied(const ops::set_worker_state& request, const std::monostate&);
    void applied(const ops::create_room& request, const room&);
    void applied(const ops::create_routed_room& request, const room_id& routed);
    void applied(const ops::delete_event& request, const std::vector<event_id>& deleted);

    /// Of all others only the rooms' rows are looked at, if it could have changed them.
    template <class Op>
    void applied(const Op&, const typename Op::answer&) {
        if constexpr (!detail::operation_is_read_only<Op>) {
            check_rooms();
        }
    }

    // -- what workers did ----------------------------------------------------------------------------

    void attempt_begins(const incarnation_id& by, const delivery_request& request);
    void attempt_ends(const delivery_request& request, send_result::verdict verdict);
    void answer_begins(const incarnation_id& by, const agent_request& request);

    void after_hook_ran(const event_id& event) { hooked_.insert(event); }

    /// A subscriber was given a framework event, and took it or not.
    void notice_given(const std::string& subscriber, const framework_event& notice, bool is_taken);

    // -- what clients were told ----------------------------------------------------------------------

    void acknowledged(const std::string& key, const send_receipt& receipt);
    void refused(const std::string& key, error_code why);
    void tail_seen(const room_id& room, event_index after, const std::vector<room_event>& events);

    // -- the end -------------------------------------------------------------------------------------

    /// True when nothing is left to deliver.
    [[nodiscard]] bool is_quiet();

    /// What keeps it from being quiet, for the message of a run that never is.
    [[nodiscard]] std::string describe_unrest();

    /// Checks what must hold once it is quiet.
    void check_end();

    [[nodiscard]] bool is_dead(const incarnation_id& incarnation) const {
        return dead_.contains(incarnation);
    }

    [[nodiscard]] std::size_t events() const noexcept { return events_.size(); }

    [[nodiscard]] std::size_t attempts() const noexcept { return attempts_; }

   private:
    struct room_facts {
        organization_id organization;
        event_index latest;
        event_index delivered;
        std::vector<event_id> events;  ///< by index
    };

    struct event_facts {
        room_id room;
        event_index index;
        incarnation_id committed_by;
        bool is_deleted = false;
    };

    struct row_facts {
        room_id room;
        event_id event;
        event_index index;
        channel_id channel;
        incarnation_id executor;
        bool was_attempted = false;
        bool was_deferred = false;  ///< an attempt found it in the outbound queue
        bool was_sent = false;
        bool was_failed = false;
        incarnation_id begun_by{};  ///< the attempt in the outbound queue that has no end
    };

    /// What is stored of the answers to one event by one agent.
    struct answer_facts {
        std::vector<std::string> answers;  ///< each asking has its own words
        bool is_closed = false;            ///< the last one was marked as cut off
    };

    template <class... Args>
    void fail(fmt::format_string<Args...> format, Args&&... args) {
        world_.fail(fmt::format(format, std::forward<Args>(args)...));
    }

    // timeline
    void check_rooms();
    void check_room(const room_id& id, room_facts& facts);
    void add_event(const room_event& event);
    void add_reply(const room_event& event);

    // deliveries
    void check_step(const room_id& id, event_index from, event_index to);
    void check_skip(const delivery_skip& skip);
    [[nodiscard]] const delivery_row* find_row(
        const std::vector<delivery_row>& rows, const delivery_id& id
    ) const;
    [[nodiscard]] std::vector<delivery_row> rows_of(const room_id& room, const event_id& event);
    [[nodiscard]] std::vector<delivery_row> rows_of(const room_facts& facts, const room_id& room);
    [[nodiscard]] std::int32_t format_of(const incarnation_id& worker);
    void check_reads_plan(const incarnation_id& by, const incarnation_id& planner);
    void check_may_execute(
        const incarnation_id& by, const room_event& event, const delivery_id& row
    );
    void check_order(row_facts& row);

    // the end
    void check_rows_at_end(const room_id& id, const room_facts& facts);
    void check_row_at_end(const delivery_row& row);
    void check_acknowledgements();
    void check_skip_notices();

    // fixed after construction
    sim_world& world_;
    tables& data_;
    const delivery_recovery policy_;

    std::map<room_id, room_facts> rooms_;
    std::map<event_id, event_facts> events_;
    std::map<delivery_id, row_facts> rows_;
    std::map<std::pair<event_id, channel_id>, answer_facts> answers_;  ///< by trigger and agent
    std::map<std::string, std::size_t> stored_keys_;
    std::set<incarnation_id> dead_;
    std::map<std::pair<room_id, channel_id>, event_index> first_attempts_;  ///< the last one
    std::set<event_id> hooked_;
    std::map<std::string, std::int64_t> notices_taken_;  ///< by subscriber: the last one
    std::set<event_id> skipped_;                         ///< on record
    std::size_t attempts_ = 0;

    struct acknowledgement {
        room_id room;
        std::string key;
        event_id event;
        event_index index;
    };

    std::vector<acknowledgement> acknowledged_;
};

}  // namespace convene
