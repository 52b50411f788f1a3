// SPDX-License-Identifier: Apache-2.0
// The same random operations on two stores, every answer compared: the memory store is the oracle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/operation_traits.hpp"
#include "store/store_harness.hpp"
#include "support/describe.hpp"
#include "support/store_fixtures.hpp"

namespace convene {

/// Draws operations about a few rooms, workers, keys and addresses, so that they meet. Values that
/// a compare looks at are mostly read from the oracle, sometimes wrong.
class random_operations {
   public:
    /// Both stores are empty and outlive this object.
    random_operations(store_harness& oracle, store_harness& tested, std::uint64_t seed)
        : oracle_(oracle), tested_(tested), random_(seed) {}

    /// Applies one operation, or restarts the tested store, or moves both clocks.
    void step();

    /// Compares all that the stores hold.
    void compare_dumps();

    /// How the stores first differed, with the operations that led there; empty while they agree.
    [[nodiscard]] const std::string& difference() const noexcept { return difference_; }

   private:
    using action = void (random_operations::*)();
    static const std::vector<action>& actions();

    // -- drawing ------------------------------------------------------------------------------

    [[nodiscard]] std::size_t below(std::size_t bound) { return random_() % bound; }

    [[nodiscard]] bool happens(std::size_t percent) { return below(100) < percent; }

    template <class T>
    [[nodiscard]] const T& one_of(const std::vector<T>& choices) {
        return choices[below(choices.size())];
    }

    template <class Enumeration>
    [[nodiscard]] Enumeration one_up_to(Enumeration last) {
        return static_cast<Enumeration>(1 + below(static_cast<std::size_t>(last)));
    }

    [[nodiscard]] std::string numbered(std::string_view prefix, std::size_t count) {
        return std::string{prefix} + std::to_string(below(count));
    }

    [[nodiscard]] room_id any_room() { return room_id{numbered("r", 4)}; }

    [[nodiscard]] organization_id organization_of(const room_id& room);

    [[nodiscard]] channel_id any_channel() { return channel_id{numbered("channel", 3)}; }

    [[nodiscard]] incarnation_id any_worker();

    [[nodiscard]] std::string any_key() { return numbered("key", 6); }

    [[nodiscard]] event_id any_event();

    [[nodiscard]] std::int32_t any_format() { return static_cast<std::int32_t>(below(3)); }

    [[nodiscard]] event_index any_index() {
        return event_index{static_cast<std::int64_t>(below(24)) - 1};
    }

    [[nodiscard]] run_id any_run();

    [[nodiscard]] approval_id any_approval();
    [[nodiscard]] session_turn any_resume(const room_id& room);

    [[nodiscard]] turn_id any_turn() { return turn_id{numbered("turn", last_turn_ + 2)}; }

    /// Mostly the session's own.
    [[nodiscard]] std::int64_t epoch_of(const room_id& room);
    [[nodiscard]] run_id run_of(const room_id& room);
    [[nodiscard]] json_text any_delta();
    [[nodiscard]] std::vector<task_template> any_tasks();

    [[nodiscard]] attachment_id any_attachment() { return attachment_id{numbered("file", 5)}; }

    [[nodiscard]] room_timers any_timers();
    [[nodiscard]] visibility any_visibility();
    [[nodiscard]] room draw_room();
    [[nodiscard]] room_event draw_event();
    [[nodiscard]] room_task draw_task(const room_id& room);
    [[nodiscard]] observation draw_observation(const room_id& room);
    [[nodiscard]] framework_event draw_notice();
    [[nodiscard]] ops::row_result draw_result(const delivery_row& row);
    [[nodiscard]] std::vector<delivery_row> open_rows_of(const room_id& room);
    void spoil(ops::commit& batch);
    void decorate(ops::commit& batch);

    // -- actions ------------------------------------------------------------------------------

    void create_room();
    void create_routed_room();
    void update_room();
    void delete_room();
    void change_bindings();
    void change_participants();
    void read_rooms();
    void route();

    void commit();
    void raise_lock_epoch();
    void look_up_keys();
    void read_events();
    void list_events();
    void search();
    void delete_event();
    void move_marker();
    void count_unread();
    void dedupe();

    void claim();
    void finish_set();
    void put_results();
    void adopt_rows();
    void release_rows();
    void read_deliveries();
    void use_outbound();
    void mark_hooks();

    void change_people();
    void change_tasks();
    void change_workers();
    void use_notices();
    void upload_attachment();
    void change_attachments();
    void apply_retention();
    void erase_organization();
    void replay_skip();
    void operate_lane();

    void open_session();
    void begin_run();
    void end_run();
    void append_to_session();
    void append_frames();
    void read_runs();
    void call_tools();
    void queue_turn();
    void change_turns();
    void read_turns();
    void decide_approvals();
    void read_approvals();

    void change_secrets();
    void change_skills();

    void change_workflows();
    void execute();
    void work_on_tasks();
    void read_workflows();

    void apply_timers();
    void move_clock();
    void restart();

    // -- comparing ----------------------------------------------------------------------------

    /// Runs a request on both stores. Gives the oracle's answer; nothing if it refused.
    template <class Op>
    std::optional<typename Op::answer> both(const Op& request) {
        log_ += std::string{" "} + detail::operation_name<Op>;
        const result<typename Op::answer> expected = oracle_.run(request);
        const result<typename Op::answer> got = tested_.run(request);
        compare(detail::operation_name<Op>, describe(expected), describe(got));
        return expected ? std::optional{*expected} : std::nullopt;
    }

    void compare(std::string_view what, const std::string& expected, const std::string& got);

    store_harness& oracle_;
    store_harness& tested_;
    std::mt19937_64 random_;
    std::size_t last_event_ = 0;
    std::size_t last_item_ = 0;
    std::size_t last_worker_ = 0;
    std::size_t last_run_ = 0;
    std::size_t last_turn_ = 0;
    std::size_t last_approval_ = 0;
    std::string log_;
    std::string difference_;
};

}  // namespace convene
