// SPDX-License-Identifier: Apache-2.0
// What every store promises about runs: their streams of frames, cancelling them, the tools they call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/sessions_fixture.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Runs : public session_conformance {
   protected:
    [[nodiscard]] static ops::append_frames::of_run frames_of(
        const std::string& room,
        const std::string& run,
        std::int64_t epoch,
        std::int64_t first,
        const std::vector<std::string>& data
    ) {
        ops::append_frames::of_run made{room_id{room}, run_id{run}, epoch, {}};
        for (const std::string& one : data) {
            made.frames.push_back({first++, one});
        }
        return made;
    }

    std::vector<run_id> append(std::vector<ops::append_frames::of_run> runs) {
        return must(ops::append_frames{std::move(runs)});
    }

    [[nodiscard]] std::vector<std::string> data_after(
        const std::string& run, std::int64_t after, std::size_t limit = 500
    ) {
        std::vector<std::string> data;
        for (const run_frame& frame :
             must(ops::list_frames{acme(), run_id{run}, after, limit}).frames) {
            EXPECT_EQ(frame.number, after + 1 + static_cast<std::int64_t>(data.size()));
            data.push_back(frame.data);
        }
        return data;
    }

    [[nodiscard]] std::vector<std::string> calls_of(const std::string& room) {
        std::vector<std::string> calls;
        for (const tool_intent& call : must(ops::list_tool_calls{acme(), room_id{room}})) {
            calls.push_back(call.call_id + ":" + std::string{word_of(call.state)});
        }
        return calls;
    }
};

CONVENE_ON_EVERY_STORE(Runs);

// A stream has its frames under dense numbers from 0 on, and is read behind any of them, also after a restart.
// Proves: A7
TEST_P(Runs, KeepTheirFrames) {
    open("r");
    const std::int64_t epoch = begin("r", "one");
    EXPECT_THAT(append({frames_of("r", "one", epoch, 0, {"a", "b\n\"\\{}"})}), IsEmpty());
    EXPECT_THAT(append({frames_of("r", "one", epoch, 2, {"ü", ""})}), IsEmpty());
    EXPECT_THAT(append({frames_of("r", "one", epoch, 4, {})}), IsEmpty());
    harness().restart();
    EXPECT_THAT(data_after("one", -1), ElementsAre("a", "b\n\"\\{}", "ü", ""));
    EXPECT_THAT(data_after("one", 1), ElementsAre("ü", ""));
    EXPECT_THAT(data_after("one", -1, 1), ElementsAre("a"));
    EXPECT_THAT(data_after("one", 9), IsEmpty());
    const auto read = must(ops::list_frames{acme(), run_id{"one"}});
    EXPECT_EQ(read.run.next_frame, 4);
    EXPECT_EQ(read.first_kept, 0);
    EXPECT_EQ(error_of(ops::list_frames{acme(), run_id{"none"}}), errc::not_found);
    const ops::list_frames foreign{organization_id{"globex"}, run_id{"one"}};
    EXPECT_EQ(error_of(foreign), errc::not_found);
}

// All runs of a worker go together. What does not go on where its stream ends, or is not of a driver, is left out and
// named; the rest is stored.
// Proves: A7, A4, L7
TEST_P(Runs, LeaveOutWhatIsNotTheirs) {
    for (const char* const id : {"gap", "good", "hole", "late", "old", "over"}) {
        open(id);
        begin(id, id);
    }
    append({frames_of("late", "late", 1, 0, {"x"})});
    must(run_of("old", "newer"));
    must(end_of("over", "over", 1));
    ops::append_frames::of_run hole = frames_of("hole", "hole", 1, 0, {"a", "b"});
    hole.frames[1].number = 2;
    EXPECT_THAT(
        append(
            {frames_of("gap", "gap", 1, 1, {"a"}),
             frames_of("good", "good", 1, 0, {"a"}),
             hole,
             frames_of("late", "late", 1, 2, {"behind a gap"}),
             frames_of("old", "newer", 1, 0, {"a"}),
             frames_of("old", "old", 1, 0, {"a"}),
             frames_of("good", "over", 1, 0, {"a"}),
             frames_of("good", "unknown", 1, 0, {"a"})}
        ),
        ElementsAre(
            run_id{"gap"},
            run_id{"hole"},
            run_id{"late"},
            run_id{"newer"},
            run_id{"old"},
            run_id{"over"},
            run_id{"unknown"}
        )
    );
    EXPECT_THAT(data_after("good", -1), ElementsAre("a"));
    EXPECT_THAT(data_after("late", -1), ElementsAre("x"));
    for (const char* const id : {"gap", "hole", "old", "newer", "over"}) {
        EXPECT_THAT(data_after(id, -1), IsEmpty()) << id;
        EXPECT_EQ(run_record(id).next_frame, 0) << id;
    }
    // Two pieces of one stream follow each other.
    EXPECT_THAT(
        append({frames_of("good", "good", 1, 1, {"b"}), frames_of("good", "good", 1, 2, {"c"})}),
        IsEmpty()
    );
    EXPECT_THAT(data_after("good", 0), ElementsAre("b", "c"));
}

// A piece whose answer was lost is said again: what is stored is passed over.
// Proves: A7
TEST_P(Runs, TakeFramesAgain) {
    open("r");
    const std::int64_t epoch = begin("r", "one");
    for (int time = 0; time < 2; ++time) {
        EXPECT_THAT(append({frames_of("r", "one", epoch, 0, {"a", "b"})}), IsEmpty());
    }
    EXPECT_THAT(append({frames_of("r", "one", epoch, 1, {"b", "c"})}), IsEmpty());
    EXPECT_THAT(data_after("one", -1), ElementsAre("a", "b", "c"));
    EXPECT_EQ(run_record("one").next_frame, 3);
}

// A run whose driver died or let go is gone on with by the next one, in the same stream; nothing of the former driver is
// stored any more.
// Proves: A7, L7, N3
TEST_P(Runs, AreTakenOver) {
    open("r");
    const std::int64_t first = begin("r", "one");
    append({frames_of("r", "one", first, 0, {"a"})});
    must(call_of("r", "one", "look", first));
    const auto taken = must(run_of("r", "one"));
    EXPECT_TRUE(taken.is_takeover);
    EXPECT_FALSE(taken.interrupted);
    EXPECT_EQ(taken.run.epoch, first + 1);
    EXPECT_EQ(taken.run.next_frame, 1);
    EXPECT_EQ(taken.run.status, run_status::running);
    ASSERT_EQ(taken.unknown_calls.size(), 1u);
    EXPECT_THAT(append({frames_of("r", "one", first, 1, {"late"})}), ElementsAre(run_id{"one"}));
    EXPECT_EQ(error_of(end_of("r", "one", first)), errc::driver_fenced);
    EXPECT_THAT(append({frames_of("r", "one", first + 1, 1, {"b"})}), IsEmpty());
    must(end_of("r", "one", first + 1));
    EXPECT_THAT(data_after("one", -1), ElementsAre("a", "b"));
    // What has ended is not gone on with.
    EXPECT_EQ(error_of(run_of("r", "one")), errc::already_exists);
}

// The end has the last frames; said again by the same driver it is the same end.
// Proves: A1, A5
TEST_P(Runs, EndWithTheirLastFrames) {
    open("r");
    const std::int64_t epoch = begin("r", "one");
    append({frames_of("r", "one", epoch, 0, {"a"})});
    ops::end_run ending = end_of("r", "one", epoch);
    ending.last_frames = {{2, "behind a gap"}};
    EXPECT_EQ(error_of(ending), errc::invalid_argument);
    EXPECT_EQ(run_record("one").status, run_status::running);
    ending.last_frames = {{1, "end"}};
    for (int time = 0; time < 2; ++time) {
        const agent_run_record ended = must(ending);
        EXPECT_EQ(ended.status, run_status::finished);
        EXPECT_TRUE(ended.is_stream_over);
        EXPECT_EQ(ended.next_frame, 2);
    }
    EXPECT_THAT(data_after("one", -1), ElementsAre("a", "end"));
}

// A run that somebody else's took the place of has a stream without an end until the new driver writes it.
// Proves: A5, A7
TEST_P(Runs, HaveTheirStreamsClosedByTheNextDriver) {
    open("r");
    const std::int64_t first = begin("r", "one");
    append({frames_of("r", "one", first, 0, {"a"})});
    const auto begun = must(run_of("r", "two"));
    ASSERT_TRUE(begun.interrupted);
    EXPECT_FALSE(begun.interrupted->is_stream_over);
    ops::close_stream closing{room_id{"r"}, run_id{"one"}, first, {{1, "end"}}};
    EXPECT_EQ(error_of(closing), errc::driver_fenced);
    closing.epoch = first + 1;
    for (int time = 0; time < 2; ++time) {
        EXPECT_TRUE(must(closing).is_stream_over);
    }
    EXPECT_THAT(data_after("one", -1), ElementsAre("a", "end"));
    closing.run = run_id{"two"};
    EXPECT_EQ(error_of(closing), errc::invalid_argument);
    closing.run = run_id{"none"};
    EXPECT_EQ(error_of(closing), errc::not_found);
}

// Frames of runs that ended long ago go, oldest first; the runs stay and tell that there were some.
// Proves: A7
TEST_P(Runs, ForgetFramesOfOldRuns) {
    for (const char* const id : {"first", "second", "running"}) {
        open(id);
        begin(id, id);
        append({frames_of(id, id, 1, 0, {"a", "b"})});
        if (std::string_view{id} != "running") {
            must(end_of(id, id, 1));
        }
        clock().advance(1min);
    }
    EXPECT_EQ(must(ops::prune_frames{10min, 10}), 0u);
    EXPECT_EQ(must(ops::prune_frames{1min, 1}), 1u);
    EXPECT_THAT(data_after("first", -1), IsEmpty());
    EXPECT_THAT(data_after("second", -1), ElementsAre("a", "b"));
    EXPECT_EQ(must(ops::prune_frames{0ms, 10}), 1u);
    EXPECT_EQ(must(ops::prune_frames{0ms, 10}), 0u);
    const auto read = must(ops::list_frames{acme(), run_id{"second"}});
    EXPECT_THAT(read.frames, IsEmpty());
    EXPECT_EQ(read.first_kept, 2);
    EXPECT_EQ(read.run.next_frame, 2);
    EXPECT_THAT(data_after("running", -1), ElementsAre("a", "b"));
}

// What a turn that may still be run has left is kept, however old: one that is quarantined, or was given back.
// Proves: A7, N4
TEST_P(Runs, KeepWhatAnOperatorMayHaveToLookAt) {
    register_worker(worker_one());
    open("r");
    queue("r", "t");
    must(run_of("r", "one", "t"));
    append({frames_of("r", "one", 1, 0, {"a"})});
    must(ops::requeue_turn{turn_id{"t"}, 1, false, {}, {}});
    must(ops::quarantine_turn{turn_id{"t"}, "too_many_attempts", {{1, "end"}}});
    clock().advance(1h);
    EXPECT_EQ(must(ops::prune_frames{1min, 10}), 0u);
    must(ops::retry_turn{acme(), turn_id{"t"}});
    EXPECT_EQ(must(ops::prune_frames{1min, 10}), 0u);
    must(run_of("r", "two", "t"));
    must(end_of("r", "two", 3));
    EXPECT_EQ(must(ops::prune_frames{1min, 10}), 1u);
    EXPECT_THAT(data_after("one", -1), IsEmpty());
    // The turn is of its last run.
    EXPECT_EQ(must(ops::prune_runs{1min, 10}), 1u);
    EXPECT_EQ(error_of(ops::get_run{acme(), run_id{"one"}}), errc::not_found);
    EXPECT_EQ(must(ops::get_turn{acme(), turn_id{"t"}}).run, run_id{"two"});
}

// Runs whose frames are gone go later, oldest first, with their calls and the turn that ended with them; the session then
// names none. Others stay as they are.
// Proves: A7
TEST_P(Runs, GoWithWhatHangsOnThem) {
    register_worker(worker_one());
    for (const char* const id : {"first", "second", "running"}) {
        open(id);
        queue(id, std::string{"turn of "} + id);
        must(run_of(id, id, std::string{"turn of "} + id));
        must(call_of(id, id, "call", 1));
        if (std::string_view{id} != "running") {
            must(end_of(id, id, 1));
        }
        clock().advance(1min);
    }
    EXPECT_EQ(must(ops::prune_runs{0ms, 10}), 0u);
    EXPECT_EQ(must(ops::prune_frames{0ms, 10}), 2u);
    EXPECT_EQ(must(ops::prune_runs{10min, 10}), 0u);
    EXPECT_EQ(must(ops::prune_runs{0ms, 1}), 1u);
    EXPECT_EQ(error_of(ops::get_run{acme(), run_id{"first"}}), errc::not_found);
    EXPECT_EQ(error_of(ops::get_turn{acme(), turn_id{"turn of first"}}), errc::not_found);
    EXPECT_THAT(calls_of("first"), IsEmpty());
    EXPECT_EQ(session("first").session.run, run_id{});
    EXPECT_EQ(session("second").session.run, run_id{"second"});
    EXPECT_EQ(must(ops::prune_runs{0ms, 10}), 1u);
    EXPECT_EQ(must(ops::prune_runs{0ms, 10}), 0u);
    EXPECT_EQ(run_record("running").status, run_status::running);
    EXPECT_THAT(calls_of("running"), ElementsAre("call:started"));
    // The session is used on.
    begin("first", "next");
    EXPECT_EQ(session("first").session.run, run_id{"next"});
}

// Runs are listed newest first.
// Proves: A1
TEST_P(Runs, AreListedNewestFirst) {
    open("r");
    for (const char* const id : {"c", "a", "b"}) {
        begin("r", id);
    }
    const auto listed = [&](organization_id of, std::size_t limit) {
        std::vector<std::string> ids;
        for (const auto& run : must(ops::list_runs{std::move(of), room_id{"r"}, limit})) {
            ids.push_back(run.id.str());
        }
        return ids;
    };
    EXPECT_THAT(listed(acme(), 20), ElementsAre("b", "a", "c"));
    EXPECT_THAT(listed(acme(), 1), ElementsAre("b"));
    EXPECT_THAT(listed(organization_id{"globex"}, 20), IsEmpty());
}

// A wish to cancel stays with its run until it ends; what has ended can't be cancelled.
// Proves: A3
TEST_P(Runs, AreAskedToEnd) {
    open("r");
    const std::int64_t epoch = begin("r", "one");
    const ops::request_cancel wish{acme(), run_id{"one"}};
    EXPECT_TRUE(must(wish).is_cancel_requested);
    EXPECT_TRUE(run_record("one").is_cancel_requested);
    ops::end_run ending = end_of("r", "one", epoch);
    ending.status = run_status::cancelled;
    EXPECT_TRUE(must(ending).is_cancel_requested);
    const std::int64_t next = begin("r", "two");
    must(end_of("r", "two", next));
    const agent_run_record over = must(ops::request_cancel{acme(), run_id{"two"}});
    EXPECT_FALSE(over.is_cancel_requested);
    EXPECT_EQ(over.status, run_status::finished);
    EXPECT_EQ(error_of(ops::request_cancel{acme(), run_id{"none"}}), errc::not_found);
    const ops::request_cancel foreign{organization_id{"globex"}, run_id{"one"}};
    EXPECT_EQ(error_of(foreign), errc::not_found);
}

// A call is on record before it is made, once, and ends once.
// Proves: A9
TEST_P(Runs, RecordToolCalls) {
    open("r");
    const std::int64_t epoch = begin("r", "one");
    const auto start = [&](const std::string& run, const std::string& call) {
        return call_of("r", run, call, epoch);
    };
    const auto end = [&](const std::string& call, tool_intent_state state) {
        return ops::end_tool_call{room_id{"r"}, run_id{"one"}, call, epoch, state};
    };
    const tool_intent started = must(start("one", "a"));
    EXPECT_EQ(started.state, tool_intent_state::started);
    EXPECT_EQ(started.started_at, clock().now());
    EXPECT_EQ(error_of(start("one", "a")), errc::already_exists);
    EXPECT_EQ(error_of(start("other", "b")), errc::driver_fenced);
    EXPECT_EQ(error_of(end("a", tool_intent_state::started)), errc::invalid_argument);
    EXPECT_EQ(error_of(end("b", tool_intent_state::done)), errc::not_found);
    clock().advance(1s);
    const tool_intent ended = must(end("a", tool_intent_state::failed));
    EXPECT_EQ(ended.state, tool_intent_state::failed);
    EXPECT_EQ(ended.ended_at, clock().now());
    EXPECT_EQ(ended.tool, "search");
    EXPECT_EQ(error_of(end("a", tool_intent_state::done)), errc::not_found);
    must(start("one", "b"));
    EXPECT_THAT(calls_of("r"), ElementsAre("b:started", "a:failed"));
    // Whoever drives next is told of those that nobody ended, once.
    const auto taken = must(run_of("r", "two"));
    ASSERT_EQ(taken.unknown_calls.size(), 1u);
    EXPECT_EQ(taken.unknown_calls[0].call_id, "b");
    EXPECT_THAT(calls_of("r"), ElementsAre("b:unknown", "a:failed"));
    EXPECT_THAT(must(run_of("r", "three")).unknown_calls, IsEmpty());
}

}  // namespace

}  // namespace convene
