// SPDX-License-Identifier: Apache-2.0
// The conformance fixture's short forms, and the invariants it ends every test with.
#include "store/conformance.hpp"

#include <algorithm>
#include <utility>

namespace convene {

namespace {

constexpr std::size_t page = 50;

/// R1, R3, D3: counters agree with each other and with what is stored.
void expect_counters_agree(const room& info, const std::vector<room_event>& events) {
    SCOPED_TRACE("room " + info.id.str());
    EXPECT_EQ(info.next_index, info.latest_index.next());
    EXPECT_EQ(info.event_count, info.next_index.value());
    EXPECT_LE(events.size(), static_cast<std::size_t>(info.event_count));
    EXPECT_LE(info.delivered_index, info.latest_index);
    event_index last = event_index::none();
    for (const room_event& event : events) {
        EXPECT_GT(event.index, last);
        EXPECT_EQ(event.room, info.id);
        last = event.index;
    }
    EXPECT_LE(last, info.latest_index);
}

}  // namespace

void conformance::TearDown() {
    ops::list_rooms all;
    all.limit = 1000;
    for (const room& info : must(all)) {
        ops::list_events every = list_of(info.id.str());
        every.organization = info.organization;
        every.limit = 10'000;
        expect_counters_agree(info, must(every));
    }
    harness_->where().run_until_done(harness_->store().close());
}

room conformance::create(const std::string& id) {
    return must(ops::create_room{make_room(id), {}, {}});
}

room conformance::get(const std::string& id) { return must(ops::get_room{acme(), room_id{id}}); }

void conformance::commit_messages(const std::string& id, const std::vector<std::string>& ids) {
    for (const std::string& event : ids) {
        must(batch(id).add(make_message(event)).take());
    }
}

std::vector<room_event> conformance::events_of(const std::string& id) {
    std::vector<room_event> events;
    ops::list_events next = list_of(id);
    next.limit = page;
    for (;;) {
        std::vector<room_event> more = must(next);
        std::ranges::move(more, std::back_inserter(events));
        if (more.size() < page) {
            return events;
        }
        next.after = events.back().index;
    }
}

room_event conformance::event(const std::string& room, const std::string& id) {
    return must(ops::get_event{acme(), room_id{room}, event_id{id}});
}

std::vector<delivery_row> conformance::rows_of(const std::string& room, const std::string& event) {
    return must(ops::list_deliveries{room_id{room}, event_id{event}});
}

delivery_cursor conformance::cursor_of(const std::string& id) {
    return must(ops::get_cursor{room_id{id}});
}

delivery_cursor conformance::claim(const std::string& id, incarnation_id worker) {
    const std::int64_t epoch = cursor_of(id).claim_epoch;
    return must(ops::claim_cursor{room_id{id}, std::move(worker), epoch, std::nullopt});
}

void conformance::register_worker(const incarnation_id& worker) {
    ops::register_worker registration;
    registration.worker.incarnation = worker;
    must(registration);
}

void conformance::bury(const incarnation_id& worker) {
    must(ops::set_worker_state{worker, ops::worker_state::dead});
}

std::vector<std::string> ids_of(const std::vector<room_event>& events) {
    std::vector<std::string> ids(events.size());
    std::ranges::transform(events, ids.begin(), [](const room_event& e) { return e.id.str(); });
    return ids;
}

std::vector<std::string> ids_of(const std::vector<room>& rooms) {
    std::vector<std::string> ids(rooms.size());
    std::ranges::transform(rooms, ids.begin(), [](const room& info) { return info.id.str(); });
    return ids;
}

ops::finish_set step(const std::string& room, std::int64_t epoch, std::int64_t index) {
    ops::finish_set finished;
    finished.room = room_id{room};
    finished.claim_epoch = epoch;
    finished.index = event_index{index};
    finished.advance_to = event_index{index};
    return finished;
}

ops::row_result outcome_of(const delivery_row& row, delivery_state state) {
    ops::row_result outcome;
    outcome.id = row.id;
    outcome.state = state;
    outcome.attempts = row.attempts + 1;
    return outcome;
}

void PrintTo(errc code, std::ostream* out) {
    *out << (code == succeeded ? "succeeded" : name_of(code));
}

void PrintTo(const store_kind& kind, std::ostream* out) { *out << kind.name; }

std::string name_of_store(const testing::TestParamInfo<store_kind>& info) {
    return info.param.name;
}

}  // namespace convene
