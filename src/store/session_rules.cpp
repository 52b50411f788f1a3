// SPDX-License-Identifier: Apache-2.0
// Merging state, and the order of turns.
#include "store/session_rules.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/canonical_json.hpp"
#include "base/json_writer.hpp"

namespace convene {

namespace {

enum class nulls {
    remove,  ///< their keys
    keep,
};

bool is_object(const json_text& value) { return value.str().front() == '{'; }

std::string quoted(std::string_view spelled) { return '"' + std::string{spelled} + '"'; }

/// One after the other, by what the keys mean.
json_text merge(const json_text& first, const json_text& then, nulls what) {
    std::map<std::string, json_member> members;
    for (const json_text* const object : {&first, &then}) {
        for (const json_member& member : members_of(object->str())) {
            std::string key = *decode_string(quoted(member.key));
            if (what == nulls::remove && member.value == "null") {
                members.erase(key);
            } else {
                members.insert_or_assign(std::move(key), member);
            }
        }
    }
    std::string text = "{";
    for (const auto& [key, member] : members) {
        text += text.size() > 1 ? "," : "";
        text.append(quoted(member.key)).append(":").append(member.value);
    }
    return json_text::trusted(text + '}');
}

}  // namespace

bool is_delta(const state_delta& delta) {
    return is_object(delta.session) && is_object(delta.user) && is_object(delta.app);
}

json_text merge_state(const json_text& state, const json_text& delta) {
    return merge(state, delta, nulls::remove);
}

state_delta combine(const std::vector<ops::commit::session_append>& appends) {
    state_delta all;
    for (const ops::commit::session_append& append : appends) {
        all.session = merge(all.session, append.delta.session, nulls::keep);
        all.user = merge(all.user, append.delta.user, nulls::keep);
        all.app = merge(all.app, append.delta.app, nulls::keep);
    }
    return all;
}

bool waiting_turns::has_room_for(turn_kind kind) const noexcept {
    return due + later < max_waiting_turns &&
           (kind != turn_kind::wake || wakes < max_waiting_wakes);
}

session_status status_at_rest(session_status quiet, waiting_turns waiting) {
    using enum session_status;
    if (quiet == quarantined || quiet == waiting_for_approval) {
        return quiet;
    }
    if (waiting.due > 0) {
        return queued;
    }
    // Nobody is to wait for what was promised for later.
    return waiting.later > 0 && quiet != waiting_for_input ? scheduled : quiet;
}

session_status status_once_decided(session_status before) {
    return before == session_status::quarantined ? before : session_status::idle;
}

session_status status_without_turns(session_status before) {
    using enum session_status;
    return before == queued || before == scheduled ? idle : before;
}

session_status status_for_retry(session_status before) {
    return before == session_status::waiting_for_approval ? before : session_status::idle;
}

session_turn as_queued(session_turn turn, wall_time now, std::chrono::milliseconds delay) {
    turn.status = turn_status::queued;
    turn.attempts = 0;
    turn.epoch = 0;
    turn.worker = incarnation_id{};
    turn.run = run_id{};
    turn.is_input_consumed = false;
    turn.last_error.clear();
    turn.not_before = std::max(turn.not_before, now + delay);
    turn.queued_at = now;
    return turn;
}

bool is_wake_ahead(const session_turn& turn) {
    return turn.kind == turn_kind::wake && turn.status == turn_status::queued && turn.run.empty();
}

turn_status status_of_turn_after(run_status ended) {
    const bool is_done = ended == run_status::finished || ended == run_status::cancelled;
    return is_done ? turn_status::done : turn_status::failed;
}

std::optional<std::vector<run_frame>> frames_to_add(
    const std::vector<run_frame>& given, std::int64_t next_frame
) {
    const std::int64_t first = given.empty() ? next_frame : given.front().number;
    if (first > next_frame || !are_next_frames(given, first)) {
        return std::nullopt;
    }
    const auto known = static_cast<std::size_t>(next_frame - first);
    const std::size_t from = std::min(known, given.size());
    return std::vector<run_frame>{given.begin() + static_cast<std::ptrdiff_t>(from), given.end()};
}

bool are_next_frames(const std::vector<run_frame>& frames, std::int64_t next_frame) {
    return std::ranges::all_of(frames, [&next_frame](const run_frame& frame) {
        return frame.number == next_frame++;
    });
}

std::string text_of_calls(const std::vector<open_call>& calls) {
    json_writer out;
    out.begin_array();
    for (const open_call& call : calls) {
        out.begin_object();
        out.key("id").string(call.id);
        out.key("name").string(call.name);
        out.key("arguments").json(call.arguments);
        out.end_object();
    }
    out.end_array();
    return out.take().str();
}

std::vector<open_call> calls_of_text(std::string_view text) {
    std::vector<open_call> calls;
    for (const std::string_view call : elements_of(text)) {
        open_call read{
            find_text(call, "id").value_or(""), find_text(call, "name").value_or(""), {}
        };
        if (const auto arguments = find_member(call, "arguments")) {
            read.arguments = json_text::trusted(std::string{*arguments});
        }
        calls.push_back(std::move(read));
    }
    return calls;
}

std::vector<session_turn> take_in_turn(std::vector<numbered_turn> due, std::size_t limit) {
    const auto age_of = [](const numbered_turn& one) {
        return std::tuple{one.turn.not_before, one.number};
    };
    std::ranges::sort(due, {}, age_of);
    std::map<organization_id, std::int64_t> places;
    std::vector<std::pair<std::int64_t, numbered_turn>> placed;
    placed.reserve(due.size());
    for (numbered_turn& one : due) {
        const std::int64_t place = ++places[one.turn.organization];
        placed.emplace_back(place, std::move(one));
    }
    std::ranges::sort(placed, {}, [&age_of](const auto& one) {
        return std::pair{one.first, age_of(one.second)};
    });
    std::vector<session_turn> taken;
    for (auto& [place, one] : placed) {
        if (taken.size() == limit) {
            break;
        }
        taken.push_back(std::move(one.turn));
    }
    return taken;
}

}  // namespace convene
