// SPDX-License-Identifier: Apache-2.0
// The auditor's view of what leaves the workers: what tools did, and what readers got.
#include <algorithm>
#include <charconv>

#include "base/hash.hpp"
#include "sim/support/session_auditor.hpp"

namespace convene {

void sim_session_auditor::applied(const ops::start_tool_call&, const tool_intent& started) {
    check_driver(started.room, started.epoch, "a tool call");
    world_.note("db: call {} of run {} is to be made", started.call_id, started.run.str());
    // A9: whoever takes over knows of the call by what was shown.
    if (!runs_.at(started.run).calls.contains(started.call_id)) {
        fail("A9: call {} is to be made and was not shown", started.call_id);
    }
    intents_[{started.run, started.call_id}] = started;
}

void sim_session_auditor::applied(const ops::end_tool_call& request, const tool_intent& ended) {
    check_driver(request.room, request.epoch, "the end of a tool call");
    world_.note("db: call {} is {}", ended.call_id, word_of(ended.state));
    intents_[{ended.run, ended.call_id}] = ended;
}

/// The key is `run:epoch:number`, where a run's id has no colon.
void sim_session_auditor::has_effect(
    const incarnation_id& by, const tool_context& asked, const json_text& arguments
) {
    const std::string& key = asked.call_key;
    world_.note("{} acts: call {} with {}", by.str(), key, arguments.str());
    // A9: at most once for a key.
    if (!effects_.insert(key).second) {
        fail("A9: call {} has its effect twice", key);
    }
    const std::size_t colon = key.find(':');
    const run_id run{key.substr(0, colon)};
    std::int64_t epoch = 0;
    std::from_chars(key.data() + colon + 1, key.data() + key.size(), epoch);
    const std::string digest = to_hex(sha256(arguments.str()));
    bool is_on_record = false;
    bool is_open = false;
    for (const auto& [id, intent] : intents_) {
        const bool is_this = id.first == run && intent.epoch == epoch &&
                             intent.arguments_digest == digest;
        is_on_record = is_on_record || is_this;
        is_open = is_open || (is_this && intent.state == tool_intent_state::started);
    }
    // A9: on record before it can have an effect.
    if (!is_on_record) {
        fail("A9: call {} has its effect and is not on record", key);
    }
    // Who was superseded may have one round in flight, which is recorded as unknown (engine.md 7).
    const bool is_driver = sessions_.at(asked.room).epoch == epoch;
    if (is_driver && is_on_record && !is_open) {
        fail("A9: call {} has its effect after its end was told", key);
    }
}

/// A7: every frame once, in order, as it is stored, and not before.
void sim_session_auditor::page_read(const run_id& run, std::int64_t after, const run_page& page) {
    const run_facts& facts = runs_.at(run);
    const auto stored = static_cast<std::int64_t>(facts.frames.size());
    if (page.has_missed) {
        fail("A7: a reader of run {} is told that it missed something", run.str());
    }
    std::int64_t last = after;
    for (const run_frame& frame : page.frames) {
        if (frame.number != last + 1) {
            fail("A7: a reader of run {} gets {} after {}", run.str(), frame.number, last);
        }
        if (frame.number >= stored ||
            facts.frames[static_cast<std::size_t>(frame.number)] != frame.data) {
            fail(
                "A7: a reader of run {} gets frame {} that is not stored", run.str(), frame.number
            );
        }
        last = frame.number;
    }
    if (page.is_whole && (!facts.is_over || last + 1 != stored)) {
        fail("A7: a reader of run {} is told that {} was the last", run.str(), last);
    }
}

std::vector<run_id> sim_session_auditor::runs() const {
    std::vector<run_id> ids;
    ids.reserve(runs_.size());
    for (const auto& [id, run] : runs_) {
        ids.push_back(id);
    }
    return ids;
}

}  // namespace convene
