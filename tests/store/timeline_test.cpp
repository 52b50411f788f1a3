// SPDX-License-Identifier: Apache-2.0
// What every store promises about reading a timeline: order by index, cursors, filters, threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "store/conformance.hpp"
#include "support/describe.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Timeline : public conformance {
   protected:
    /// A room "r" with the events e0, e1, ...
    void create_with_events(int count) {
        create("r");
        batch_on all = batch("r");
        for (int i = 0; i < count; ++i) {
            all.add(make_message("e" + std::to_string(i)));
        }
        must(all.take());
    }

    std::vector<std::string> list(const ops::list_events& request) { return ids_of(must(request)); }

    std::vector<std::string> filtered(const ops::event_filter& filter) {
        ops::list_events request = list_of("r");
        request.filter = filter;
        return list(request);
    }
};

CONVENE_ON_EVERY_STORE(Timeline);

// Behind a cursor come the first events with a greater index, ascending.
// Proves: R14 (rk:C9)
TEST_P(Timeline, ReadsForwardFromACursor) {
    create_with_events(5);
    ops::list_events request = list_of("r");
    request.after = event_index{1};
    request.limit = 2;
    EXPECT_THAT(list(request), ElementsAre("e2", "e3"));
    request.after = event_index::none();
    EXPECT_THAT(list(request), ElementsAre("e0", "e1"));
    request.after = event_index{4};
    EXPECT_THAT(list(request), IsEmpty());
    request.after = event_index{400};
    EXPECT_THAT(list(request), IsEmpty());
}

// Before a cursor come the last events with a smaller index, ascending too.
// Proves: R14 (rk:C9)
TEST_P(Timeline, ReadsBackwardFromACursor) {
    create_with_events(5);
    ops::list_events request = list_of("r");
    request.before = event_index{3};
    request.limit = 2;
    EXPECT_THAT(list(request), ElementsAre("e1", "e2"));
    request.before = event_index{1};
    EXPECT_THAT(list(request), ElementsAre("e0"));
    request.before = event_index{0};
    EXPECT_THAT(list(request), IsEmpty());
    request.before = event_index{400};
    EXPECT_THAT(list(request), ElementsAre("e3", "e4"));
}

// Without a cursor the oldest page comes, or on request the newest, both ascending.
// Proves: R14 (rk:C10)
TEST_P(Timeline, ReadsTheOldestOrTheNewestPage) {
    create_with_events(5);
    ops::list_events request = list_of("r");
    request.limit = 2;
    EXPECT_THAT(list(request), ElementsAre("e0", "e1"));
    request.newest_first = true;
    EXPECT_THAT(list(request), ElementsAre("e3", "e4"));
    request.limit = 10;
    EXPECT_THAT(list(request), ElementsAre("e0", "e1", "e2", "e3", "e4"));
    request.limit = 0;
    EXPECT_THAT(list(request), IsEmpty());
}

// Requests that contradict themselves are refused, not guessed at.
// Proves: R14 (rk:C9, rk:C15)
TEST_P(Timeline, RefusesContradictions) {
    create_with_events(1);
    ops::list_events both = list_of("r");
    both.after = event_index{0};
    both.before = event_index{1};
    EXPECT_EQ(error_of(both), errc::invalid_argument);

    ops::list_events reply_at_top = list_of("r");
    reply_at_top.filter.top_level_only = true;
    reply_at_top.filter.parent = event_id{"e0"};
    EXPECT_EQ(error_of(reply_at_top), errc::invalid_argument);

    ops::list_events empty_span = list_of("r");
    empty_span.filter.after_time = clock().now();
    empty_span.filter.before_time = clock().now();
    EXPECT_EQ(error_of(empty_span), errc::invalid_argument);
}

// The timeline of an absent room, or of another organisation's, is not there.
// Proves: X1
TEST_P(Timeline, IsSeenByItsOrganizationOnly) {
    create_with_events(1);
    ops::list_events request = list_of("r");
    request.organization = organization_id{"globex"};
    EXPECT_EQ(error_of(request), errc::not_found);
    EXPECT_EQ(error_of(list_of("absent")), errc::not_found);
    const ops::get_event foreign{organization_id{"globex"}, room_id{"r"}, event_id{"e0"}};
    EXPECT_EQ(error_of(foreign), errc::not_found);
}

// Order is by index, even when the clock went back between two commits.
// Proves: R14
TEST_P(Timeline, IsOrderedByIndexNotByTime) {
    create("r");
    commit_messages("r", {"a"});
    clock().advance(-1h);
    commit_messages("r", {"b"});
    EXPECT_LT(event("r", "b").created_at, event("r", "a").created_at);
    EXPECT_THAT(list(list_of("r")), ElementsAre("a", "b"));
    ops::list_events newest = list_of("r");
    newest.newest_first = true;
    newest.limit = 1;
    EXPECT_THAT(list(newest), ElementsAre("b"));
}

// Types are chosen and excluded; excluding wins.
// Proves: R14 (rk:C14, rk:C15)
TEST_P(Timeline, FiltersByType) {
    create("r");
    room_event notice = make_message("notice");
    notice.type = event_type::system;
    room_event reaction = make_message("reaction");
    reaction.type = event_type::reaction;
    must(batch("r").add(make_message("message")).add(notice).add(reaction).take());

    ops::event_filter filter;
    filter.types = {event_type::message, event_type::system};
    EXPECT_THAT(filtered(filter), ElementsAre("message", "notice"));
    filter.excluded_types = {event_type::system};
    EXPECT_THAT(filtered(filter), ElementsAre("message"));
    filter.types = {};
    EXPECT_THAT(filtered(filter), ElementsAre("message", "reaction"));
}

// Status, source, correlation and visibility each pick their events, and all hold together.
// Proves: R14 (rk:C15)
TEST_P(Timeline, FiltersByStatusSourceCorrelationAndVisibility) {
    create("r");
    room_event odd = make_message("odd", "hello", "bob");
    odd.source.channel = channel_id{"sms"};
    odd.source.channel_type = "sms";
    odd.correlation_id = "order-7";
    odd.visibility = visibility{{channel_id{"sms"}, channel_id{"web"}}};
    must(batch("r").add(make_message("plain")).add(odd).add(make_blocked("blocked")).take());

    const std::vector<std::function<void(ops::event_filter&)>> wishes{
        [](ops::event_filter& f) { f.channel = channel_id{"sms"}; },
        [](ops::event_filter& f) { f.channel_type = "sms"; },
        [](ops::event_filter& f) { f.participant = participant_id{"bob"}; },
        [](ops::event_filter& f) { f.correlation_id = "order-7"; },
        [](ops::event_filter& f) { f.visibility = "sms,web"; },
    };
    for (const auto& wish : wishes) {
        ops::event_filter filter;
        wish(filter);
        EXPECT_THAT(filtered(filter), ElementsAre("odd"));
        filter.status = event_status::blocked;
        EXPECT_THAT(filtered(filter), IsEmpty());
    }
    ops::event_filter blocked;
    blocked.status = event_status::blocked;
    EXPECT_THAT(filtered(blocked), ElementsAre("blocked"));
    ops::event_filter everybody;
    everybody.visibility = "all";
    EXPECT_THAT(filtered(everybody), ElementsAre("plain", "blocked"));
}

// A span of time excludes both its ends.
// Proves: R14 (rk:C15)
TEST_P(Timeline, FiltersByTime) {
    create("r");
    std::vector<wall_time> times;
    for (const char* const id : {"a", "b", "c"}) {
        clock().advance(1s);
        commit_messages("r", {id});
        times.push_back(clock().now());
    }
    ops::event_filter filter;
    filter.after_time = times[0];
    EXPECT_THAT(filtered(filter), ElementsAre("b", "c"));
    filter.before_time = times[2];
    EXPECT_THAT(filtered(filter), ElementsAre("b"));
    filter.after_time.reset();
    EXPECT_THAT(filtered(filter), ElementsAre("a", "b"));
}

// Replies of one root, or only what stands at the top.
// Proves: R12, R14 (rk:C15, rk:C16)
TEST_P(Timeline, FiltersByThread) {
    create("r");
    must(batch("r").add(make_message("root")).add(make_reply("reply", "root")).take());
    must(batch("r").add(make_reply("other", "elsewhere")).add(make_message("top")).take());
    ops::event_filter filter;
    filter.parent = event_id{"root"};
    EXPECT_THAT(filtered(filter), ElementsAre("reply"));
    filter.parent = event_id{};
    filter.top_level_only = true;
    EXPECT_THAT(filtered(filter), ElementsAre("root", "top"));
}

// A filter and a cursor together: the limit counts what passes, in both directions.
// Proves: R14 (rk:C9, rk:C14)
TEST_P(Timeline, CombinesFiltersWithCursors) {
    create("r");
    batch_on mixed = batch("r");
    for (int i = 0; i < 6; ++i) {
        room_event next = make_message(
            "e" + std::to_string(i), "hello", i % 2 == 0 ? "alice" : "bob"
        );
        mixed.add(next);
    }
    must(mixed.take());
    ops::list_events request = list_of("r");
    request.filter.participant = participant_id{"alice"};
    request.limit = 2;
    request.after = event_index{0};
    EXPECT_THAT(list(request), ElementsAre("e2", "e4"));
    request.after.reset();
    request.before = event_index{4};
    EXPECT_THAT(list(request), ElementsAre("e0", "e2"));
    request.before.reset();
    request.newest_first = true;
    EXPECT_THAT(list(request), ElementsAre("e2", "e4"));
}

// The outcome of a commit that was lost on the way is settled by looking its events up.
// Proves: R1
TEST_P(Timeline, FindsWhichEventsExist) {
    create_with_events(3);
    create("other");
    commit_messages("other", {"elsewhere"});
    const ops::find_events request{
        room_id{"r"}, {event_id{"e2"}, event_id{"lost"}, event_id{"elsewhere"}, event_id{"e0"}}
    };
    EXPECT_THAT(ids_of(must(request)), ElementsAre("e0", "e2"));
    EXPECT_THAT(must(ops::find_events{room_id{"absent"}, {event_id{"e0"}}}), IsEmpty());
}

// A thread's summary has the number of its replies and the latest; roots without replies have none.
// Proves: R12 (rk:C16)
TEST_P(Timeline, SummarizesThreads) {
    create("r");
    must(batch("r").add(make_message("root")).add(make_message("lonely")).take());
    clock().advance(1s);
    must(batch("r").add(make_reply("one", "root")).add(make_reply("two", "root")).take());
    must(batch("r").add(make_reply("three", "second")).take());

    const auto summaries = must(ops::summarize_threads{
        acme(),
        room_id{"r"},
        {event_id{"second"}, event_id{"lonely"}, event_id{"root"}, event_id{"root"}}
    });
    ASSERT_EQ(summaries.size(), 2u);
    EXPECT_EQ(summaries[0].root, event_id{"second"});
    EXPECT_EQ(summaries[0].replies, 1);
    EXPECT_EQ(summaries[1].root, event_id{"root"});
    EXPECT_EQ(summaries[1].replies, 2);
    EXPECT_EQ(summaries[1].latest_reply, event_index{3});
    EXPECT_EQ(summaries[1].latest_reply_at, clock().now());
}

// Blocked and taken back replies are not shown, so they are not counted.
// Proves: R9, R12
TEST_P(Timeline, SummarizesShownRepliesOnly) {
    create("r");
    room_event blocked = make_blocked("blocked");
    blocked.parent = event_id{"root"};
    must(batch("r")
             .add(make_message("root"))
             .add(make_reply("shown", "root"))
             .add(make_reply("taken back", "root"))
             .add(blocked)
             .take());
    ops::commit removal = batch("r").take();
    removal.changes.push_back({event_id{"taken back"}, std::nullopt});
    must(removal);
    const auto summaries = must(ops::summarize_threads{acme(), room_id{"r"}, {event_id{"root"}}});
    ASSERT_EQ(summaries.size(), 1u);
    EXPECT_EQ(summaries.front().replies, 1);
    EXPECT_EQ(summaries.front().latest_reply, event_index{1});
}

// What was read stays as it was read, whatever becomes of the event.
// Proves: S1 (rk:C17)
TEST_P(Timeline, IsCopiedOut) {
    create_with_events(1);
    const room_event read = event("r", "e0");
    ops::commit edit = batch("r").take();
    edit.changes.push_back({event_id{"e0"}, content::text("changed")});
    must(edit);
    EXPECT_EQ(read.content.body(), "hello");
    EXPECT_EQ(event("r", "e0").content.body(), "changed");
}

}  // namespace

}  // namespace convene
