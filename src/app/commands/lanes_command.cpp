// SPDX-License-Identifier: Apache-2.0
// `convene lanes`: rooms whose deliveries are behind or stopped, and what can be done to one by hand.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/command.hpp"
#include "app/database.hpp"
#include "app/event_view.hpp"
#include "app/printable.hpp"
#include "app/reading.hpp"
#include "app/remote/answer_fields.hpp"
#include "app/remote/server_operation.hpp"
#include "app/room_lookup.hpp"
#include "base/json_writer.hpp"
#include "store/operations/operating.hpp"

namespace convene {

namespace {

constexpr std::size_t page_size = 200;

outcome<std::unique_ptr<server_conversations>> connect(loop& where, const command_context& with) {
    return std::make_unique<server_conversations>(where, *with.server);
}

// -- listing ---------------------------------------------------------------------------------------

std::string for_people(const lane_report& lane, const output_stream& out) {
    return fmt::format(
        "{:>9}  {:>7}  {}  {}",
        lane.delivered.value(),
        lane.latest.value() - lane.delivered.value(),
        lane.paused_at ? out.styled(text_style::warning, time_for_people(*lane.paused_at))
                       : fmt::format("{:<19}", "-"),
        printable_name(lane.room.str())
    );
}

std::string for_programs(const lane_report& lane) {
    json_writer out;
    out.begin_object();
    out.key("room_id").string(lane.room.str());
    out.key("delivered_index").integer(lane.delivered.value());
    out.key("latest_index").integer(lane.latest.value());
    out.key("lag").integer(lane.latest.value() - lane.delivered.value());
    out.key("paused_at");
    if (lane.paused_at) {
        out.string(format_rfc3339(*lane.paused_at));
    } else {
        out.null();
    }
    out.end_object();
    return out.take().str();
}

void print(const std::vector<lane_report>& lanes, output_form form, output_stream& out) {
    if (form == output_form::text) {
        out.write_line(out.styled(text_style::dim, "DELIVERED   BEHIND  STOPPED (UTC)        ROOM")
        );
    }
    for (const lane_report& lane : lanes) {
        out.write_line(form == output_form::text ? for_people(lane, out) : for_programs(lane));
    }
}

/// All of a database that are stopped or behind, by room.
awaitable<outcome<std::vector<lane_report>>> stored_lanes(
    conversation_store* store, organization_id organization
) {
    std::vector<lane_report> lanes;
    ops::list_paused_lanes stopped{organization, room_id{}, page_size};
    for (;;) {
        ops::list_paused_lanes asked = stopped;
        const auto page = co_await store->run(std::move(asked));
        if (!page) {
            co_return store_failure(page.error(), "listing the lanes");
        }
        for (const ops::list_paused_lanes::item& one : *page) {
            lanes.push_back({one.room, one.delivered, one.latest, one.paused_at});
        }
        if (page->size() < page_size) {
            break;
        }
        stopped.after = page->back().room;
    }
    const std::size_t paused = lanes.size();
    const auto is_listed = [&lanes, paused](const room& one) {
        const auto end = lanes.begin() + static_cast<std::ptrdiff_t>(paused);
        return std::ranges::binary_search(lanes.begin(), end, one.id, {}, &lane_report::room);
    };
    ops::list_rooms rooms;
    rooms.organization = organization;
    rooms.limit = page_size;
    for (;;) {
        ops::list_rooms asked = rooms;
        const auto page = co_await store->run(std::move(asked));
        if (!page) {
            co_return store_failure(page.error(), "listing the rooms");
        }
        for (const room& one : *page) {
            if (one.delivered_index < one.latest_index && !is_listed(one)) {
                lanes.push_back({one.id, one.delivered_index, one.latest_index, std::nullopt});
            }
        }
        if (page->size() < page_size) {
            break;
        }
        rooms.after = page->back().id;
    }
    std::ranges::sort(lanes, {}, &lane_report::room);
    co_return lanes;
}

awaitable<outcome<exit_code>> show(
    awaitable<outcome<std::vector<lane_report>>> listing, output_form form, output_stream* out
) {
    const auto lanes = co_await std::move(listing);
    if (!lanes) {
        co_return lanes.error();
    }
    print(*lanes, form, *out);
    co_return exit_code::ok;
}

outcome<exit_code> list(const command_context& with, output_form form) {
    output_stream* const out = &with.terminal->out;
    if (with.server) {
        return run_asking(
            [&with](loop& where) { return connect(where, with); },
            [form, out](server_conversations* asked) { return show(list_lanes(asked), form, out); }
        );
    }
    return run_asking(
        [&with](loop& where) { return open_for_reading(where, with.database); },
        [form, out, &with](conversation_store* store) {
            return show(stored_lanes(store, with.organization), form, out);
        }
    );
}

// -- by hand ---------------------------------------------------------------------------------------

/// What the command prints for people of what a server answered.
std::string told(const lanes_options& how, const std::string& answer) {
    answer_fields fields{answer};
    switch (how.verb) {
        case lane_verb::pause:
            return fields.text("state") == "paused"
                       ? "stopped: nothing is delivered until `convene lanes resume`"
                       : "stopped: nothing more is started, but what runs is not finished yet";
        case lane_verb::resume:
            return "the lane goes on";
        case lane_verb::skip:
            return fmt::format(
                "passed over index {}: {} deliveries are on record as skipped",
                fields.integer("index"),
                fields.integer("skipped")
            );
        case lane_verb::redeliver:
            return fmt::format(
                "under way: {} queued, {} made again; {} can't be reached any more",
                fields.integer("queued"),
                fields.integer("reopened"),
                fields.integer("left")
            );
        case lane_verb::list:
            break;
    }
    return "";
}

awaitable<outcome<exit_code>> ask_server(
    server_conversations* asked, const lanes_options* how, output_stream* out
) {
    const auto found = co_await find_room(asked, how->room);
    if (!found) {
        co_return found.error();
    }
    const auto answer = co_await operate_lane(asked, found->room.id, *how);
    if (!answer) {
        co_return answer.error();
    }
    out->write_line(how->form == output_form::text ? told(*how, *answer) : *answer);
    co_return exit_code::ok;
}

awaitable<outcome<exit_code>> change_database(
    conversation_store* store,
    organization_id organization,
    const lanes_options* how,
    output_stream* out
) {
    const auto found = co_await look_up_room(store, organization, how->room);
    if (!found) {
        co_return store_failure(found.error(), "looking for the room");
    }
    if (!*found) {
        co_return failure{
            exit_code::refused,
            fmt::format("ROOM: there is no room '{}'", printable_name(how->room)),
            "`convene rooms` lists them"
        };
    }
    const bool is_to_pause = how->verb == lane_verb::pause;
    const ops::lane_state to = is_to_pause ? ops::lane_state::paused : ops::lane_state::running;
    ops::set_lane_state request{organization, (*found)->id, to};
    const auto changed = co_await store->run(std::move(request));
    if (!changed) {
        co_return store_failure(changed.error(), "changing the lane");
    }
    if (!changed->is_changed) {
        co_return failure{
            exit_code::refused,
            is_to_pause ? "the lane is stopped already" : "the lane is not stopped",
            {}
        };
    }
    json_writer answer;
    answer.begin_object();
    answer.key("delivered_index").integer(changed->cursor.delivered.value());
    answer.key("room_id").string((*found)->id.str());
    answer.key("state").string(is_to_pause ? "paused" : "running");
    answer.end_object();
    const std::string said = answer.take().str();
    out->write_line(how->form == output_form::text ? told(*how, said) : said);
    co_return exit_code::ok;
}

outcome<exit_code> operate(const command_context& with, const lanes_options& how) {
    output_stream* const out = &with.terminal->out;
    if (with.server) {
        return run_asking(
            [&with](loop& where) { return connect(where, with); },
            [&how, out](server_conversations* asked) { return ask_server(asked, &how, out); }
        );
    }
    if (how.verb == lane_verb::skip || how.verb == lane_verb::redeliver) {
        return failure{
            exit_code::usage,
            "skip and redeliver are done by the process that delivers",
            "start the server, and name it with --url"
        };
    }
    return run_asking(
        [&with](loop& where) {
            return open_for_writing(where, with.database, sqlite_creation::must_exist);
        },
        [&how, &with, out](conversation_store* store) {
            return change_database(store, with.organization, &how, out);
        }
    );
}

}  // namespace

outcome<exit_code> run_command(const command_context& with, const lanes_options& options) {
    return options.verb == lane_verb::list ? list(with, options.form) : operate(with, options);
}

}  // namespace convene
