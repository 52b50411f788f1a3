// SPDX-License-Identifier: Apache-2.0
// What every store promises about read markers and unread counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Markers : public conformance {
   protected:
    event_index mark(std::int64_t index, std::string thread = "") {
        return put({std::move(thread), "bob", event_index{index}}, false);
    }

    event_index mark_unread_from(std::int64_t index) {
        return put({"", "bob", event_index{index}}, true);
    }

    std::int64_t unread(std::string thread = "", std::vector<channel_id> channels = {}) {
        return count(std::move(thread), std::move(channels)).unread;
    }

    ops::count_unread::answer count(
        std::string thread = "", std::vector<channel_id> channels = {}
    ) {
        return must(
            ops::count_unread{acme(), room_id{"r"}, std::move(thread), "bob", std::move(channels)}
        );
    }

    std::vector<ops::read_marker> markers(std::string reader = "") {
        return must(ops::list_read_markers{acme(), room_id{"r"}, std::move(reader)});
    }

   private:
    event_index put(ops::read_marker marker, bool may_rewind) {
        return must(ops::put_read_marker{acme(), room_id{"r"}, std::move(marker), may_rewind})
            .index;
    }
};

CONVENE_ON_EVERY_STORE(Markers);

// Without a marker everything is unread; behind a marker only what came later.
// Proves: R15 (rk:C13)
TEST_P(Markers, CountWhatCameLater) {
    create("r");
    EXPECT_EQ(unread(), 0);
    commit_messages("r", {"a", "b", "c"});
    EXPECT_EQ(unread(), 3);
    EXPECT_EQ(mark(1), event_index{1});
    EXPECT_EQ(unread(), 1);
    mark(2);
    EXPECT_EQ(unread(), 0);
    commit_messages("r", {"d"});
    EXPECT_EQ(unread(), 1);
}

// An automatic receipt moves a marker forward only; a late one changes nothing.
// Proves: R15
TEST_P(Markers, MoveForwardOnly) {
    create("r");
    commit_messages("r", {"a", "b", "c"});
    mark(2);
    EXPECT_EQ(mark(0), event_index{2}) << "the stored marker is the answer";
    EXPECT_EQ(unread(), 0);
}

// "Mark unread" moves a marker back, to before the first event if wanted.
// Proves: R15
TEST_P(Markers, RewindWhenAsked) {
    create("r");
    commit_messages("r", {"a", "b", "c"});
    mark(2);
    EXPECT_EQ(mark_unread_from(0), event_index{0});
    EXPECT_EQ(unread(), 2);
    EXPECT_EQ(mark_unread_from(-1), event_index::none());
    EXPECT_EQ(unread(), 3);
    EXPECT_EQ(mark_unread_from(-70), event_index::none());
    EXPECT_EQ(mark(1), event_index{1}) << "and receipts go on from there";
}

// The marker of an empty room, or one ahead of its room, hides no event that comes.
// Proves: R15
TEST_P(Markers, HideNothingThatComesLater) {
    create("r");
    EXPECT_EQ(mark(0), event_index::none());
    EXPECT_EQ(mark(70), event_index::none());
    commit_messages("r", {"a"});
    EXPECT_EQ(unread(), 1);
    EXPECT_EQ(mark(70), event_index{0});
    commit_messages("r", {"b"});
    EXPECT_EQ(unread(), 1);
}

// Only messages by others that are part of the conversation are unread.
// Proves: R15
TEST_P(Markers, CountOnlyMessagesByOthers) {
    create("r");
    room_event notice = make_message("notice");
    notice.type = event_type::system;
    room_event unsigned_message = make_message("unsigned", "hello", "");
    must(batch("r")
             .add(make_message("own", "hello", "bob"))
             .add(make_blocked("blocked"))
             .add(notice)
             .add(make_message("taken back"))
             .add(make_message("counted"))
             .add(unsigned_message)
             .take());
    ops::commit removal = batch("r").take();
    removal.changes.push_back({event_id{"taken back"}, std::nullopt});
    must(removal);
    EXPECT_EQ(unread(), 2);
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"counted"}});
    EXPECT_EQ(unread(), 1);
}

// What the reader can't see is not unread: only what all or transports see, or a list with one of
// the reader's channels.
// Proves: R15
TEST_P(Markers, CountOnlyWhatTheReaderSees) {
    create("r");
    const std::vector<std::pair<std::string, visibility>> events{
        {"all", visibility{visibility::scope::all}},
        {"transport", visibility{visibility::scope::transport}},
        {"none", visibility{visibility::scope::none}},
        {"intelligence", visibility{visibility::scope::intelligence}},
        {"internal", visibility{visibility::scope::internal}},
        {"channels", visibility{{channel_id{"sms"}, channel_id{"w,b\""}}}},
    };
    batch_on all = batch("r");
    for (const auto& [id, who] : events) {
        room_event next = make_message(id);
        next.visibility = who;
        all.add(next);
    }
    must(all.take());
    EXPECT_EQ(unread(), 2);
    EXPECT_EQ(unread("", {channel_id{"email"}, channel_id{"sms"}}), 3);
    EXPECT_EQ(unread("", {channel_id{"sm"}, channel_id{"ms"}}), 2) << "no part of an id";
}

// A thread has a marker of its own and counts its replies; the room counts all.
// Proves: R15, R12
TEST_P(Markers, CountThreadsByThemselves) {
    create("r");
    must(batch("r")
             .add(make_message("root"))
             .add(make_reply("one", "root"))
             .add(make_reply("two", "root"))
             .add(make_reply("elsewhere", "other"))
             .take());
    EXPECT_EQ(unread("root"), 2);
    EXPECT_EQ(unread(), 4);
    mark(1, "root");
    EXPECT_EQ(unread("root"), 1);
    EXPECT_EQ(unread(), 4);
    mark(3);
    EXPECT_EQ(unread("root"), 1);
    EXPECT_EQ(unread(), 0);
}

// Markers are listed by thread and reader, for all readers or one.
// Proves: R15 (rk:C13)
TEST_P(Markers, AreListed) {
    create("r");
    commit_messages("r", {"a", "b"});
    mark(0);
    mark(1, "root");
    must(ops::put_read_marker{acme(), room_id{"r"}, {"", "alice", event_index{1}}, false});
    EXPECT_THAT(
        markers(),
        ElementsAre(
            ops::read_marker{"", "alice", event_index{1}},
            ops::read_marker{"", "bob", event_index{0}},
            ops::read_marker{"root", "bob", event_index{1}}
        )
    );
    EXPECT_THAT(markers("alice"), ElementsAre(ops::read_marker{"", "alice", event_index{1}}));
    EXPECT_THAT(markers("eve"), IsEmpty());
}

// Markers need their room, in their organisation.
// Proves: X1
TEST_P(Markers, BelongToTheirOrganization) {
    create("r");
    commit_messages("r", {"a"});
    const organization_id globex{"globex"};
    const ops::read_marker marker{"", "bob", event_index{0}};
    EXPECT_EQ(error_of(ops::put_read_marker{globex, room_id{"r"}, marker, false}), errc::not_found);
    mark(0);
    EXPECT_THAT(must(ops::list_read_markers{globex, room_id{"r"}, ""}), IsEmpty());
    EXPECT_EQ(must(ops::count_unread{globex, room_id{"r"}, "", "alice", {}}).unread, 0);
}

// An unread message that names the reader is a mention, until it is read; one that names others is not.
// Proves: R15
TEST_P(Markers, CountMentions) {
    create("r");
    const auto naming = [](std::string id, std::string metadata) {
        room_event event = make_message(std::move(id));
        event.metadata = json_text::trusted(std::move(metadata));
        return event;
    };
    must(batch("r")
             .add(naming("a", R"({"mentions":["ann","bob"]})"))
             .add(naming("b", R"({"mentions":["bobby"],"text":"bob"})"))
             .add(naming("c", R"({"mentions":"bob"})"))
             .add(naming("d", R"({"mentions":["bob"]})"))
             .take());
    EXPECT_EQ(count(), (ops::count_unread::answer{4, 2}));
    mark(0);
    EXPECT_EQ(count(), (ops::count_unread::answer{3, 1}));
    mark(3);
    EXPECT_EQ(count(), (ops::count_unread::answer{0, 0}));
}

}  // namespace

}  // namespace convene
