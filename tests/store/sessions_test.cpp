// SPDX-License-Identifier: Apache-2.0
// What every store promises about sessions: who drives one, what it appends, how its state changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/sessions_fixture.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Sessions : public session_conformance {};

CONVENE_ON_EVERY_STORE(Sessions);

// A room becomes a session once; whoever opens it again gets the one that is there.
// Proves: A1
TEST_P(Sessions, AreOpenedOnce) {
    const ops::open_session missing{acme(), room_id{"r"}, channel_id{"agent"}, "ann"};
    EXPECT_EQ(error_of(missing), errc::not_found);
    const agent_session opened = open("r");
    EXPECT_EQ(opened.status, session_status::idle);
    EXPECT_EQ(opened.driver_epoch, 0);
    EXPECT_EQ(opened.created_at, clock().now());
    clock().advance(1s);
    const ops::open_session again{acme(), room_id{"r"}, channel_id{"other"}, "bob"};
    EXPECT_EQ(describe(must(again)), describe(opened));
    harness().restart();
    EXPECT_EQ(describe(session("r").session), describe(opened));
    const ops::open_session foreign{organization_id{"globex"}, room_id{"r"}, channel_id{"a"}, "b"};
    EXPECT_EQ(error_of(foreign), errc::not_found);
    EXPECT_EQ(error_of(ops::get_session{organization_id{"globex"}, room_id{"r"}}), errc::not_found);
}

// Taking a session raises its epoch, and what the driver before it writes from then on is refused, whatever it is.
// Proves: A4, L7
TEST_P(Sessions, FenceTheDriverBefore) {
    open("r");
    const std::int64_t first = begin("r", "one");
    must(call_of("r", "one", "call", first));
    const auto taken = must(run_of("r", "two", "", worker_two()));
    EXPECT_EQ(taken.session.driver_epoch, first + 1);
    EXPECT_EQ(taken.session.status, session_status::running);
    ASSERT_TRUE(taken.interrupted);
    EXPECT_EQ(taken.interrupted->id, run_id{"one"});
    EXPECT_EQ(taken.interrupted->status, run_status::interrupted);
    EXPECT_EQ(taken.interrupted->ended_at, clock().now());
    ASSERT_EQ(taken.unknown_calls.size(), 1u);
    EXPECT_EQ(taken.unknown_calls[0].state, tool_intent_state::unknown);

    const state_delta changed = delta(R"({"a":1})");
    EXPECT_EQ(error_of(append("r", "e", first, changed)), errc::driver_fenced);
    EXPECT_EQ(error_of(ops::append_state{room_id{"r"}, first, changed}), errc::driver_fenced);
    EXPECT_EQ(error_of(end_of("r", "one", first)), errc::driver_fenced);
    const ops::start_tool_call call = call_of("r", "one", "other", first);
    EXPECT_EQ(error_of(call), errc::driver_fenced);
    const ops::end_tool_call end{room_id{"r"}, run_id{"one"}, "call", first};
    EXPECT_EQ(error_of(end), errc::driver_fenced);
    const ops::append_frames::of_run frames{room_id{"r"}, run_id{"one"}, first, {{0, "f"}}};
    EXPECT_THAT(must(ops::append_frames{{frames}}), ElementsAre(run_id{"one"}));

    EXPECT_THAT(events_of("r"), IsEmpty());
    EXPECT_EQ(session("r").session.sequence, 0);
    EXPECT_EQ(session("r").state, session_state{});
    EXPECT_EQ(run_record("one").next_frame, 0);
    // An epoch that is higher than the stored one is another's, too: the database may have lost the last commits.
    EXPECT_EQ(error_of(append("r", "e", first + 2, changed)), errc::driver_fenced);
}

// A run's id is used once, and there are no runs of what is no session.
// Proves: A1
TEST_P(Sessions, BeginRuns) {
    EXPECT_EQ(error_of(run_of("r", "one")), errc::not_found);
    open("r");
    must(end_of("r", "one", begin("r", "one")));
    EXPECT_EQ(error_of(run_of("r", "one")), errc::already_exists);
    ops::begin_run foreign = run_of("r", "two");
    foreign.run.organization = organization_id{"globex"};
    EXPECT_EQ(error_of(foreign), errc::not_found);
    EXPECT_EQ(session("r").session.driver_epoch, 1);
}

// Events, sequence and state of all scopes are one: all of it is stored, or nothing.
// Proves: A4
TEST_P(Sessions, AppendEventsWithTheirState) {
    open("r");
    const std::int64_t epoch = begin("r", "one");
    must(append("r", "a", epoch, delta(R"({"k":1})", R"({"u":"x"})", R"({"p":[2]})")));
    const auto stored = session("r");
    EXPECT_EQ(stored.session.sequence, 1);
    EXPECT_EQ(stored.state.session.str(), R"({"k":1})");
    EXPECT_EQ(stored.state.user.str(), R"({"u":"x"})");
    EXPECT_EQ(stored.state.app.str(), R"({"p":[2]})");

    ops::commit stale = append("r", "b", epoch, delta(R"({"k":2})", R"({"u":2})", R"({"p":2})"));
    ++stale.expected_config;
    EXPECT_EQ(error_of(stale), errc::room_changed);
    ops::commit no_object = append("r", "b", epoch, delta(R"([1])"));
    EXPECT_EQ(error_of(no_object), errc::invalid_argument);
    const ops::append_state no_state{room_id{"r"}, epoch, delta("{}", "3")};
    EXPECT_EQ(error_of(no_state), errc::invalid_argument);
    EXPECT_EQ(describe(session("r").session), describe(stored.session));
    EXPECT_EQ(session("r").state, stored.state);
    EXPECT_THAT(ids_of(events_of("r")), ElementsAre("a"));
}

// Appends of one batch count one by one and change state one after the other; of two epochs one is another's.
// Proves: A4
TEST_P(Sessions, AppendSeveralInOneBatch) {
    open("r");
    const std::int64_t epoch = begin("r", "one");
    must(ops::append_state{room_id{"r"}, epoch, delta(R"({"gone":1,"kept":1})")});
    ops::commit both = batch("r").add(make_message("a")).add(make_message("b")).take();
    both.session.push_back({epoch, delta(R"({"gone":null,"x":1})", R"({"u":1})"), {}});
    both.session.push_back({epoch, delta(R"({"x":2})", R"({"u":null})"), {}});
    must(both);
    EXPECT_EQ(session("r").session.sequence, 3);
    EXPECT_EQ(session("r").state.session.str(), R"({"kept":1,"x":2})");
    EXPECT_EQ(session("r").state.user.str(), "{}");
    ops::commit mixed = batch("r").add(make_message("c")).add(make_message("d")).take();
    mixed.session.push_back({epoch, {}, {}});
    mixed.session.push_back({epoch - 1, {}, {}});
    EXPECT_EQ(error_of(mixed), errc::driver_fenced);
    EXPECT_EQ(session("r").session.sequence, 3);
}

// Every store answers the same bytes: keys in the order of their bytes, values as they were spelled, `null` removes
// the key and only at the top.
// Proves: A4
TEST_P(Sessions, MergeStateToTheByte) {
    open("r");
    const std::int64_t epoch = begin("r", "one");
    const auto change = [&](const char* way, std::string changed) {
        if (std::string_view{way} == "commit") {
            const std::string id = "e" + std::to_string(events_of("r").size());
            must(append("r", id, epoch, delta(changed, changed, changed)));
        } else {
            must(ops::append_state{room_id{"r"}, epoch, delta(changed, changed, changed)});
        }
    };
    const auto all_are = [&](std::string_view expected) {
        const session_state state = session("r").state;
        EXPECT_EQ(state.session.str(), expected);
        EXPECT_EQ(state.user.str(), expected);
        EXPECT_EQ(state.app.str(), expected);
    };
    for (const char* const way : {"commit", "alone"}) {
        SCOPED_TRACE(way);
        change(way, R"({"b":1.0,"a":1e5,"Z":{"y":null,"x":[1,2]},"é":"\u0001"})");
        all_are(R"({"Z":{"y":null,"x":[1,2]},"a":1e5,"b":1.0,"é":"\u0001"})");
        change(way, R"({"a":null,"\"\\\n\t\u0001/":true,"Z":"{\"q\":null}","10":-0,"9":""})");
        all_are(R"({"\"\\\n\t\u0001/":true,"10":-0,"9":"","Z":"{\"q\":null}","b":1.0,"é":"\u0001"})"
        );
        change(
            way,
            R"({"\"\\\n\t\u0001/":null,"10":null,"9":null,"Z":null,"b":null,"é":null,"none":null})"
        );
        all_are("{}");
    }
}

// What belongs to the owner is shared by all sessions of the owner in the organisation, what belongs to the app by all
// of the organisation, and nothing by another one.
// Proves: A4
TEST_P(Sessions, ShareStateByScope) {
    open("r");
    open("same");
    open("other", "bob");
    open("foreign", "ann", organization_id{"globex"});
    const std::int64_t epoch = begin("r", "one");
    must(ops::append_state{room_id{"r"}, epoch, delta(R"({"s":1})", R"({"u":1})", R"({"a":1})")});
    const auto state_of = [&](const std::string& id) { return describe(session(id).state); };
    EXPECT_EQ(state_of("same"), R"(state{session={} user={"u":1} app={"a":1}})");
    EXPECT_EQ(state_of("other"), R"(state{session={} user={} app={"a":1}})");
    EXPECT_EQ(session("foreign", organization_id{"globex"}).state, session_state{});
    // Each adds its own key, and what is there already stays.
    const std::int64_t next = begin("same", "two");
    must(append("same", "e", next, delta("{}", R"({"v":2})", R"({"a":null,"b":2})")));
    EXPECT_EQ(state_of("r"), R"(state{session={"s":1} user={"u":1,"v":2} app={"b":2}})");
    EXPECT_EQ(must(run_of("other", "three")).state.app.str(), R"({"b":2})");
}

// A run ends once, with what it came to; the session goes where its driver says.
// Proves: A3, A5
TEST_P(Sessions, EndARunOnce) {
    open("r");
    const std::int64_t epoch = begin("r", "one");
    ops::end_run ending = end_of("r", "one", epoch);
    ending.status = run_status::failed;
    ending.finish_reason = "error";
    ending.error_code = "model_unavailable";
    ending.then = session_status::waiting_for_input;
    ending.open_calls = {
        {"c1", "pick \"one\"", json_text::trusted(R"({"a":[1.50,"é"]})")}, {"c2", "ask", {}}
    };
    ops::end_run endless = ending;
    endless.status = run_status::running;
    EXPECT_EQ(error_of(endless), errc::invalid_argument);
    clock().advance(1s);
    const agent_run_record ended = must(ending);
    EXPECT_EQ(ended.status, run_status::failed);
    EXPECT_EQ(ended.finish_reason, "error");
    EXPECT_EQ(ended.error_code, "model_unavailable");
    EXPECT_EQ(ended.ended_at, clock().now());
    // Said again it is the same end; another one comes too late.
    EXPECT_EQ(describe(must(ending)), describe(ended));
    ops::end_run other = ending;
    other.status = run_status::cancelled;
    EXPECT_EQ(error_of(other), errc::driver_fenced);
    EXPECT_EQ(describe(run_record("one")), describe(ended));
    const agent_session after = session("r").session;
    EXPECT_EQ(after.status, session_status::waiting_for_input);
    EXPECT_EQ(after.open_calls, ending.open_calls);
    // Open calls wait for the next run, which says what is open then.
    const auto next = must(run_of("r", "two"));
    EXPECT_EQ(next.session.open_calls, ending.open_calls);
    EXPECT_FALSE(next.interrupted);
    must(end_of("r", "two", next.session.driver_epoch));
    EXPECT_THAT(session("r").session.open_calls, IsEmpty());
}

// A room goes with all that its sessions left, an organisation with the state it shared.
// Proves: R20
TEST_P(Sessions, GoWithTheirRoom) {
    open("r");
    open("kept");
    const std::int64_t epoch = begin("r", "one");
    must(ops::append_frames{{{room_id{"r"}, run_id{"one"}, epoch, {{0, "f"}}}}});
    must(call_of("r", "one", "call", epoch));
    queue("r", "turn");
    queue("kept", "other");
    must(ops::delete_room{acme(), room_id{"r"}});
    EXPECT_EQ(error_of(ops::get_session{acme(), room_id{"r"}}), errc::not_found);
    EXPECT_EQ(error_of(ops::get_run{acme(), run_id{"one"}}), errc::not_found);
    EXPECT_EQ(error_of(ops::append_state{room_id{"r"}, epoch, {}}), errc::driver_fenced);
    EXPECT_THAT(due(), ElementsAre("other"));
    // Nothing of it is left for who takes its ids again.
    open("r");
    EXPECT_EQ(begin("r", "one"), 1);
    EXPECT_THAT(must(ops::list_tool_calls{acme(), room_id{"r"}}), IsEmpty());
    EXPECT_THAT(must(ops::list_frames{acme(), run_id{"one"}}).frames, IsEmpty());
    queue("r", "turn");
}

// An organisation that is erased takes the state with it that its sessions shared.
// Proves: R20
TEST_P(Sessions, LeaveNoStateOfAnErasedOrganisation) {
    must(ops::create_organization{{acme(), "Acme"}, {}, {}});
    open("r");
    const std::int64_t epoch = begin("r", "one");
    must(ops::append_state{room_id{"r"}, epoch, delta("{}", R"({"u":1})", R"({"a":1})")});
    must(ops::begin_erasure{acme(), {}});
    while (must(ops::continue_erasure{10}).has_more) {
    }
    open("r");
    EXPECT_EQ(session("r").state, session_state{});
}

}  // namespace

}  // namespace convene
