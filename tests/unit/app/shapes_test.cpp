// SPDX-License-Identifier: Apache-2.0
// What a server answers: read as it is written, and every field that is not as it has to be is named.
#include "app/remote/shapes.hpp"

#include <gtest/gtest.h>

#include <string>

#include "app/remote/problem_report.hpp"
#include "app/remote/retry_pace.hpp"
#include "base/json_writer.hpp"
#include "http/view/event_view.hpp"
#include "http/view/room_view.hpp"
#include "support/scripted_random.hpp"

namespace convene {

namespace {

using namespace std::chrono_literals;

room_event full_event() {
    room_event event;
    event.id = event_id{"e-1"};
    event.room = room_id{"r"};
    event.index = event_index{7};
    event.type = event_type::system;
    event.content = content::system("Ann \"left\"", "left");
    event.source.channel = channel_id{"web"};
    event.source.channel_type = "websocket";
    event.source.participant = participant_id{"ann"};
    event.source.external_id = "x";
    event.source.provider_message_id = "m";
    event.status = event_status::blocked;
    event.blocked_by = "hook";
    event.block_reason = "no_links";
    event.visibility = visibility{{channel_id{"a"}, channel_id{"b"}}};
    event.addressed_to = {channel_id{"bot"}};
    event.response_visibility = visibility{visibility::scope::none};
    event.chain_depth = 2;
    event.caused_by = event_id{"e-0"};
    event.parent = event_id{"e-9"};
    event.correlation_id = "c";
    event.idempotency_key = "k";
    event.metadata = json_text::trusted(R"({"n":1.50,"mentions":["ann"]})");
    event.is_edited = true;
    event.created_at = parse_rfc3339("2026-01-31T09:05:00.123456Z").value();
    return event;
}

// What the commands print of a remote event is what the server has.
TEST(Shapes, AnEventComesBackAsItWasWritten) {
    for (const room_event& event : {room_event{}, full_event()}) {
        const json_text written = event_as_json(event);
        const auto read = read_event(written.str());
        ASSERT_TRUE(read.has_value()) << read.error().field;
        EXPECT_EQ(event_as_json(*read).str(), written.str());
        EXPECT_EQ(*read, event);
    }
}

TEST(Shapes, ARoomComesBackWithItsPeople) {
    room_context around;
    around.room.id = room_id{"r"};
    around.room.external_id = "kitchen";
    around.room.status = room_status::paused;
    around.room.metadata = json_text::trusted(R"({"name":"Kitchen"})");
    around.room.timeline_epoch = 2;
    around.room.event_count = 9;
    around.room.latest_index = event_index{7};
    around.room.delivered_index = event_index{6};
    around.room.created_at = parse_rfc3339("2026-01-31T09:05:00Z").value();
    around.room.last_activity_at = parse_rfc3339("2026-01-31T09:06:00Z").value();
    binding bound;
    bound.channel = channel_id{"web"};
    bound.visibility = visibility{visibility::scope::intelligence};
    around.bindings.push_back(bound);
    participant who;
    who.id = participant_id{"ann"};
    who.display_name = "Ann";
    who.role = participant_role::owner;
    who.status = participant_status::left;
    who.external_id = "+1";
    who.metadata = json_text::trusted(R"({"a":[1]})");
    around.participants.push_back(who);

    json_writer out;
    write_room_detail(out, around);
    const json_text written = out.take();
    const auto read = read_room_context(written.str());
    ASSERT_TRUE(read.has_value()) << read.error().field;
    EXPECT_EQ(read->room, around.room);
    EXPECT_EQ(read->participants, around.participants);
    ASSERT_EQ(read->bindings.size(), 1U);
    EXPECT_EQ(read->bindings.front().channel, bound.channel);
    EXPECT_EQ(read->bindings.front().visibility, bound.visibility);
}

TEST(Shapes, AReceiptComesBackWithItsDeliveries) {
    send_receipt receipt;
    receipt.event = full_event();
    receipt.is_replay = true;
    receipt.progress = delivery_progress::delivering;
    target_result target;
    target.channel = channel_id{"file"};
    target.state = delivery_state::failed;
    target.attempts = 3;
    target.outcome.error_code = "file_unavailable";
    target.outcome.error_message = "no such folder";
    receipt.targets.push_back(target);
    const auto read = read_receipt(event_answer_as_json(receipt.event, receipt).str());
    ASSERT_TRUE(read.has_value()) << read.error().field;
    EXPECT_EQ(read->event, receipt.event);
    EXPECT_TRUE(read->is_replay);
    EXPECT_EQ(read->progress, delivery_progress::delivering);
    ASSERT_EQ(read->targets.size(), 1U);
    EXPECT_EQ(read->targets.front().state, delivery_state::failed);
    EXPECT_EQ(read->targets.front().outcome, target.outcome);
}

// The database's reader shows which message such an edit changed, and so does the server's.
TEST(Shapes, AnEditOfADeletedMessageKeepsItsTarget) {
    room_event tombstone;
    tombstone.type = event_type::edit;
    tombstone.is_deleted = true;
    tombstone.content = content::system(
        "[Message deleted]", "message_deleted", json_text::trusted(R"({"target_event_id":"e-1"})")
    );
    const auto read = read_event(event_as_json(tombstone).str());
    ASSERT_TRUE(read.has_value());
    EXPECT_FALSE(read->is_deleted);
    EXPECT_EQ(read->content, content::edit(event_id{"e-1"}, content::text("[Message deleted]")));
}

/// The field that `read` finds at fault in a document.
template <class Value>
std::string fault_in(checked<Value> (*read)(std::string_view), std::string_view text) {
    const auto value = read(text);
    return value ? "none" : value.error().field;
}

TEST(Shapes, NameTheFieldThatIsNotAsItHasToBe) {
    const std::string good = event_as_json(full_event()).str();
    const auto with = [&good](std::string_view part, std::string_view other) {
        std::string changed = good;
        const std::size_t at = changed.find(part);
        EXPECT_NE(at, std::string::npos) << part;
        return changed.replace(at, part.size(), other);
    };
    EXPECT_EQ(fault_in(read_event, good), "none");
    EXPECT_EQ(fault_in(read_event, with(R"("index":7)", R"("index":"7")")), "index");
    EXPECT_EQ(fault_in(read_event, with(R"("index":7)", R"("index":7.5)")), "index");
    EXPECT_EQ(fault_in(read_event, with(R"("index":7,)", "")), "index");
    EXPECT_EQ(fault_in(read_event, with(R"("type":"system")", R"("type":"odd")")), "type");
    EXPECT_EQ(fault_in(read_event, with(R"("status":"blocked")", R"("status":1)")), "status");
    EXPECT_EQ(fault_in(read_event, with("2026-01-31T", "yesterday")), "created_at");
    EXPECT_EQ(fault_in(read_event, with(R"("channel_id":"web",)", "")), "source.channel_id");
    EXPECT_EQ(
        fault_in(read_event, with(R"("is_edited":true)", R"("is_edited":null)")), "is_edited"
    );
    EXPECT_EQ(fault_in(read_event, "[]"), "");
    EXPECT_EQ(fault_in(read_event_page, R"({"events":[{"id":1}],"next_index":null})"), "events.id");
    EXPECT_EQ(fault_in(read_room_page, R"({"rooms":{}})"), "rooms");
}

// A newer server may say more.
TEST(Shapes, PassOverWhatTheyDoNotKnow) {
    const auto page = read_event_page(
        R"({"later":true,"events":[],"latest_index":3,"next_index":3,"timeline_epoch":0})"
    );
    ASSERT_TRUE(page.has_value());
    EXPECT_EQ(page->next_after, event_index{3});
}

// -- refusals --------------------------------------------------------------------------------------

TEST(ProblemReport, ReadsWhatTheServerSays) {
    const problem_report read = read_problem(
        422,
        R"({"type":"x","status":422,"code":"VALIDATION_ERROR","detail":"a value breaks a rule",
            "errors":[{"field":"content.body","reason":"too_long"}],"retryable":false})"
    );
    const problem_report wanted{
        422, "VALIDATION_ERROR", "a value breaks a rule", {{"content.body", "too_long"}}, {}
    };
    EXPECT_EQ(read, wanted);
    const failure why = failure_of(read, "sending");
    EXPECT_EQ(why.ends_with, exit_code::refused);
    for (const char* part : {"sending", "a value breaks", "VALIDATION_ERROR", "content.body"}) {
        EXPECT_NE(why.text.find(part), std::string::npos) << part << why.text;
    }
    EXPECT_EQ(why.reason, "validation_error");
}

// How a command ends tells a wrong token from a refused input from a server in trouble.
TEST(ProblemReport, EndsTheCommandAsItShould) {
    const auto ending = [](int status, const std::string& code) {
        return failure_of({status, code, "detail", {}, {}}, "sending").ends_with;
    };
    EXPECT_EQ(ending(401, "UNAUTHENTICATED"), exit_code::usage);
    EXPECT_EQ(ending(403, "FORBIDDEN"), exit_code::usage);
    EXPECT_EQ(ending(409, "ROOM_CLOSED"), exit_code::refused);
    EXPECT_EQ(ending(404, "NOT_FOUND"), exit_code::refused);
    EXPECT_EQ(ending(429, "RATE_LIMITED"), exit_code::database_problem);
    EXPECT_EQ(ending(503, "DRAINING"), exit_code::database_problem);
    EXPECT_EQ(ending(500, "INTERNAL_ERROR"), exit_code::database_problem);
    EXPECT_EQ(ending(404, ""), exit_code::database_problem) << "a page of something else";
}

// What is no problem document, or a hostile one, says its status and nothing that moves a cursor.
TEST(ProblemReport, TakesAnyBody) {
    for (const char* body : {"", "<html>", "[]", R"({"code":1,"errors":"x"})"}) {
        EXPECT_EQ(read_problem(502, body), (problem_report{502, "", "", {}, {}})) << body;
    }
    const problem_report hostile = read_problem(400, R"({"code":"A\u001b[2J","detail":"b\nc"})");
    const std::string text = failure_of(hostile, "sending").text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(read_problem(503, R"({"retry_after":5})").retry_after, 5s);
    EXPECT_EQ(read_problem(503, R"({"retry_after":999999999999})").retry_after, 3600s);
}

// -- trying again ----------------------------------------------------------------------------------

TEST(RetryPace, DoublesWithinItsLimitsAndEnds) {
    scripted_random lowest{{0}};
    retry_pace pace{10s};
    monotonic_time now{};
    std::vector<std::int64_t> waits;
    for (int i = 0; i < 100; ++i) {
        const auto wait = pace.failed(now, 0ms, lowest);
        if (!wait) {
            break;
        }
        waits.push_back(wait->count());
        now += *wait;
    }
    ASSERT_GE(waits.size(), 8U);
    EXPECT_EQ(
        (std::vector(waits.begin(), waits.begin() + 6)),
        (std::vector<std::int64_t>{50, 100, 200, 400, 800, 1000})
    );
    EXPECT_EQ(waits.back(), 1000);
    EXPECT_LE(now.time_since_epoch(), 10s);
    EXPECT_GT(now.time_since_epoch(), 8s);
}

TEST(RetryPace, BeginsAnewAfterASuccess) {
    scripted_random lowest{{0}};
    retry_pace pace{1s};
    EXPECT_EQ(pace.failed(monotonic_time{}, 0ms, lowest), 50ms);
    EXPECT_FALSE(pace.failed(monotonic_time{2s}, 0ms, lowest).has_value());
    pace.succeeded();
    EXPECT_EQ(pace.failed(monotonic_time{3s}, 0ms, lowest), 50ms);
}

// The server's own wish goes before the pace, and not beyond the patience.
TEST(RetryPace, WaitsAsLongAsTheServerAsks) {
    scripted_random lowest{{0}};
    retry_pace pace{10s};
    EXPECT_EQ(pace.failed(monotonic_time{}, 3s, lowest), 3s);
    EXPECT_FALSE(pace.failed(monotonic_time{3s}, 8s, lowest).has_value());
    retry_pace none{0ms};
    EXPECT_FALSE(none.failed(monotonic_time{}, 0ms, lowest).has_value());
}

}  // namespace

}  // namespace convene
