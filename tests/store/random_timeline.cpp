// SPDX-License-Identifier: Apache-2.0
// Drawing operations: commits, reads, deletions, markers and deliveries.
#include <algorithm>
#include <chrono>
#include <functional>

#include "store/random_operations.hpp"

namespace convene {

using namespace std::chrono_literals;

// -- drawing ----------------------------------------------------------------------------------

event_id random_operations::any_event() {
    // The last few: they are the ones that others refer to.
    const std::size_t back = below(12);
    return event_id{"e" + std::to_string(last_event_ > back ? last_event_ - back : 0)};
}

visibility random_operations::any_visibility() {
    if (happens(30)) {
        return visibility{{any_channel(), any_channel()}};
    }
    return visibility{static_cast<visibility::scope>(below(5))};
}

room_event random_operations::draw_event() {
    const std::string body = one_of<std::string>({"alpha", "beta", "Alpha beta", "gamma, alpha!"});
    room_event drawn = make_message(
        "e" + std::to_string(++last_event_), body, numbered("person", 3)
    );
    if (happens(2)) {
        const auto known = oracle_.run(ops::find_events{any_room(), {any_event()}}).value();
        drawn.id = known.empty() ? drawn.id : known.front().id;
    }
    if (happens(10)) {
        drawn.content = *parse_content(
            R"({"type":"media","url":"attachment:)" + any_attachment().str() +
            R"(","mime_type":"image/png"})"
        );
    }
    drawn.source.channel = any_channel();
    drawn.committed_by = any_worker();
    if (happens(20)) {
        drawn.type = one_up_to(event_type::custom);
    }
    if (happens(10)) {
        drawn.status = event_status::blocked;
    }
    if (happens(30)) {
        drawn.visibility = any_visibility();
    }
    if (happens(30)) {
        drawn.parent = any_event();
    }
    if (happens(20)) {
        drawn.correlation_id = any_key();
    }
    if (happens(15)) {
        drawn.idempotency_key = any_key();
        drawn.request_hash = any_key();
    }
    return drawn;
}

std::vector<delivery_row> random_operations::open_rows_of(const room_id& room) {
    std::vector<delivery_row> open;
    for (const auto& entry : oracle_.run(ops::load_lane{room, event_index{0}, 1000}).value()) {
        std::ranges::copy_if(entry.rows, std::back_inserter(open), [](const delivery_row& row) {
            return !is_final(row.state);
        });
    }
    return open;
}

ops::row_result random_operations::draw_result(const delivery_row& row) {
    ops::row_result drawn;
    drawn.id = row.id;
    drawn.state = one_up_to(delivery_state::skipped);
    drawn.attempts = row.attempts + 1;
    drawn.outcome.error_code = any_key();
    return drawn;
}

/// Makes one compare miss, or one part impossible.
void random_operations::spoil(ops::commit& batch) {
    const std::vector<std::function<void()>> faults{
        [&] { batch.expected_next = any_index(); },
        [&] { ++batch.expected_config; },
        [&] { batch.expected_status = one_up_to(room_status::archived); },
        [&] { batch.expected_lock_epoch = static_cast<std::int64_t>(below(3)); },
        [&] { batch.events.back().index = any_index(); },
        [&] { batch.changes.push_back({any_event(), std::nullopt}); },
        [&] { batch.guards.push_back({delivery_id{"unknown"}, any_worker()}); },
        [&] { batch.organization = organization_id{"nobody"}; },
        [&] { batch.session.push_back({static_cast<std::int64_t>(below(9)), {}, {}}); },
    };
    one_of(faults)();
}

/// Adds what a commit may carry beside events and rows.
void random_operations::decorate(ops::commit& batch) {
    if (happens(20)) {
        batch.changes.push_back({any_event(), std::nullopt});
        if (happens(60)) {
            batch.changes.back().new_content = content::text("gamma");
        }
    }
    if (happens(15)) {
        batch.inbound_keys.push_back({any_channel(), any_key(), batch.events.back().id, "hash"});
    }
    if (happens(10)) {
        batch.tasks.push_back(draw_task(batch.room));
        batch.observations.push_back(draw_observation(batch.room));
    }
    if (happens(10)) {
        batch.notices.push_back(draw_notice());
    }
    if (happens(30)) {
        const state_delta delta{any_delta(), any_delta(), any_delta()};
        batch.session.push_back({epoch_of(batch.room), delta, any_turn()});
    }
    if (happens(10)) {
        batch.new_status = one_up_to(room_status::archived);
    }
    const std::vector<delivery_row> open = open_rows_of(batch.room);
    if (happens(15) && !open.empty()) {
        const delivery_row& row = one_of(open);
        batch.guards.push_back({row.id, happens(80) ? row.committed_by : any_worker()});
        batch.row_ends.push_back({row.id, one_up_to(delivery_state::skipped), row.attempts + 1});
    }
}

// -- timeline ---------------------------------------------------------------------------------

void random_operations::commit() {
    const room_id id = any_room();
    const auto read = oracle_.run(ops::get_room{organization_of(id), id});
    batch_on drawn{read ? *read : make_room(id.str())};
    for (std::size_t i = 1 + below(3); i > 0; --i) {
        drawn.add(draw_event());
        for (std::size_t rows = below(3); rows > 0; --rows) {
            drawn.deliver_to("target" + std::to_string(rows), any_worker());
        }
    }
    ops::commit batch = drawn.take();
    decorate(batch);
    if (happens(10)) {
        spoil(batch);
    }
    both(batch);
}

void random_operations::raise_lock_epoch() {
    const room_id id = any_room();
    both(ops::raise_lock_epoch{organization_of(id), id});
}

void random_operations::look_up_keys() {
    const room_id id = any_room();
    both(ops::load_room_head{
        organization_of(id), id, {any_key(), any_key(), "unknown"}, any_format()
    });
    both(ops::find_inbound_key{acme(), any_channel(), any_key()});
}

void random_operations::read_events() {
    const room_id id = any_room();
    both(ops::get_event{organization_of(id), id, any_event()});
    both(ops::find_events{id, {any_event(), any_event(), any_event()}});
    both(ops::summarize_threads{organization_of(id), id, {any_event(), any_event()}});
}

void random_operations::list_events() {
    ops::list_events request;
    request.room = any_room();
    request.organization = organization_of(request.room);
    if (happens(40)) {
        request.after = any_index();
    }
    if (happens(30)) {
        request.before = any_index();
    }
    request.newest_first = happens(30);
    request.limit = below(8);
    ops::event_filter& filter = request.filter;
    const std::vector<std::function<void()>> wishes{
        [&] { filter.types = {event_type::message, one_up_to(event_type::custom)}; },
        [&] { filter.excluded_types = {event_type::message}; },
        [&] { filter.status = one_up_to(event_status::blocked); },
        [&] { filter.visibility = any_visibility().text(); },
        [&] { filter.channel = any_channel(); },
        [&] { filter.participant = participant_id{numbered("person", 3)}; },
        [&] { filter.correlation_id = any_key(); },
        [&] { filter.parent = any_event(); },
        [&] { filter.top_level_only = true; },
        [&] { filter.after_time = oracle_.clock().now() - 1h; },
        [&] { filter.before_time = oracle_.clock().now() - 30min; },
    };
    for (std::size_t i = below(3); i > 0; --i) {
        one_of(wishes)();
    }
    both(request);
}

void random_operations::search() {
    ops::search_events request;
    request.organization = acme();
    if (happens(50)) {
        request.room = any_room();
    }
    request.words = one_of<std::string>({"alpha", "BETA alpha", "gamma", "alph", "\"alpha* OR"});
    request.limit = below(8);
    both(request);
}

void random_operations::delete_event() {
    const room_id id = any_room();
    both(ops::delete_event{organization_of(id), id, any_event(), happens(70)});
}

void random_operations::move_marker() {
    const room_id id = any_room();
    const std::string thread = happens(70) ? "" : any_event().str();
    const std::string reader = numbered("person", 3);
    // Twice: a marker that was not there can't show which way it may move.
    for (int i = 0; i < 2; ++i) {
        const ops::read_marker marker{thread, reader, any_index()};
        both(ops::put_read_marker{organization_of(id), id, marker, happens(20)});
    }
    both(ops::list_read_markers{organization_of(id), id, happens(50) ? reader : ""});
}

void random_operations::count_unread() {
    const room_id id = any_room();
    const std::string thread = happens(50) ? "" : any_event().str();
    both(ops::count_unread{organization_of(id), id, thread, numbered("person", 3), {any_channel()}}
    );
}

void random_operations::dedupe() { both(ops::dedupe_event_indices{happens(50)}); }

// -- deliveries -------------------------------------------------------------------------------

void random_operations::claim() {
    const room_id id = any_room();
    const auto cursor = both(ops::get_cursor{id});
    ops::claim_cursor request;
    request.room = id;
    request.claimer = any_worker();
    request.expected_epoch = cursor && happens(80) ? cursor->claim_epoch : 0;
    if (happens(30)) {
        request.takeovers = static_cast<std::int32_t>(below(4));
    }
    both(request);
}

void random_operations::finish_set() {
    const room_id id = any_room();
    const auto read = oracle_.run(ops::get_cursor{id});
    const delivery_cursor cursor = read ? *read : delivery_cursor{};
    ops::finish_set request;
    request.room = id;
    request.claim_epoch = cursor.claim_epoch - (happens(5) ? 1 : 0);
    request.index = happens(85) ? cursor.delivered.next() : any_index();
    request.advance_to = event_index{
        request.index.value() + (happens(20) ? static_cast<std::int64_t>(below(3)) : 0)
    };
    for (const delivery_row& row : open_rows_of(id)) {
        if (row.index > request.advance_to) {
            break;
        }
        if (row.index < request.index) {
            continue;
        }
        request.results.push_back(draw_result(row));
        if (request.results.back().state == delivery_state::deferred) {
            request.deferred.push_back(make_outbound(row));
        }
    }
    if (happens(10)) {
        delivery_skip& skip = request.skip.emplace();
        skip.room = id;
        skip.from = request.index;
        skip.to = request.advance_to;
        skip.events = {any_event(), any_event()};
        skip.owner = any_worker();
        skip.reason = "poison";
        request.notices.push_back(draw_notice());
    }
    both(request);
    if (happens(10)) {
        // The answer was lost, and the step is repeated.
        both(request);
    }
}

void random_operations::put_results() {
    ops::put_results request;
    request.room = any_room();
    request.executor = any_worker();
    for (const delivery_row& row : open_rows_of(request.room)) {
        if (happens(40)) {
            request.results.push_back(draw_result(row));
        }
    }
    both(request);
}

void random_operations::adopt_rows() {
    both(ops::adopt_rows{any_room(), any_worker(), any_index(), any_format()});
}

void random_operations::release_rows() { both(ops::release_rows{any_worker()}); }

void random_operations::read_deliveries() {
    const room_id id = any_room();
    both(ops::load_lane{id, any_index(), below(6)});
    both(ops::list_deliveries{id, any_event()});
    ops::find_orphaned_rooms orphaned{room_id{happens(50) ? "" : "r1"}, below(4)};
    if (happens(30)) {
        orphaned.also_of = any_worker();
    }
    both(orphaned);
    ops::list_skips skips;
    skips.room = id;
    skips.limit = below(4);
    both(skips);
}

void random_operations::use_outbound() {
    both(ops::list_outbound_addresses{});
    both(ops::list_outbound_addresses{any_room()});
    const auto due = both(ops::take_due_outbound{1 + below(3)});
    if (!due || due->empty()) {
        return;
    }
    const outbound_item& item = one_of(*due);
    ops::finish_outbound request;
    request.id = item.id;
    request.result.id = item.delivery;
    request.result.state = happens(70) ? delivery_state::done : delivery_state::failed;
    request.result.attempts = item.attempts + 1;
    request.result.outcome.error_message = any_key();
    request.seen_attempts = happens(80) ? item.attempts : item.attempts + 1;
    if (happens(50)) {
        request.retry_at = oracle_.clock().now() + 10min;
    }
    both(request);
}

void random_operations::mark_hooks() {
    both(ops::mark_hook{hook_id{numbered("hook", 2)}, any_key()});
    both(ops::clear_hook_mark{hook_id{numbered("hook", 2)}, any_key()});
}

}  // namespace convene
