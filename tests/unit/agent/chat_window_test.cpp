// SPDX-License-Identifier: Apache-2.0
// The window of a room that a model is shown.
#include "agent/chat_window.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace convene {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A timeline, told one event after another; the last one is the trigger.
class timeline {
   public:
    timeline& says(std::string who, std::string text) {
        return add(std::move(who), content::text(text), event_type::message);
    }

    timeline& calls(std::string id, std::string name, std::string arguments = "{}") {
        tool_call_fields fields;
        fields.tool_id = std::move(id);
        fields.tool_name = std::move(name);
        fields.arguments = json_text::trusted(std::move(arguments));
        return add("bot", content::tool_call(fields), event_type::tool_call_start);
    }

    timeline& ends(std::string id, std::string result) {
        tool_call_fields fields;
        fields.tool_id = std::move(id);
        fields.tool_name = "search";
        fields.status = tool_call_status::completed;
        fields.result = json_text::trusted("\"" + result + "\"");
        return add("bot", content::tool_call(fields), event_type::tool_call_end);
    }

    timeline& fails(std::string id, std::string error) {
        tool_call_fields fields;
        fields.tool_id = std::move(id);
        fields.tool_name = "search";
        fields.status = tool_call_status::failed;
        fields.error = std::move(error);
        return add("bot", content::tool_call(fields), event_type::tool_call_end);
    }

    timeline& add(std::string who, content said, event_type type) {
        room_event event;
        event.id = event_id{"e" + std::to_string(events_.size())};
        event.index = event_index{static_cast<std::int64_t>(events_.size())};
        event.type = type;
        event.content = std::move(said);
        event.source.channel = channel_id{who == "bot" ? "bot" : "web"};
        event.source.participant = participant_id{who == "bot" ? "" : who};
        events_.push_back(std::move(event));
        return *this;
    }

    room_event& last() { return events_.back(); }

    [[nodiscard]] chat_window_source source() const {
        chat_window_source made;
        made.agent = channel_id{"bot"};
        made.history = events_;
        made.trigger = events_.back();
        participant ann;
        ann.id = participant_id{"ann"};
        ann.display_name = "Ann Lee";
        made.participants.push_back(ann);
        return made;
    }

   private:
    std::vector<room_event> events_;
};

/// `u:text`, `u(name):text`, `a:text`, `a[id=name(arguments)]`, `t[id]:text`, `t[id]!text` for errors.
std::vector<std::string> shown(const chat_window& window) {
    std::vector<std::string> lines;
    for (const chat_message& message : window.messages) {
        std::string line;
        if (message.role == chat_role::user) {
            line = message.name.empty() ? "u:" : "u(" + message.name + "):";
        } else if (message.role == chat_role::assistant) {
            line = message.calls.empty() ? "a:" : "a";
            for (const tool_call& call : message.calls) {
                line += "[" + call.id + "=" + call.name + "(" + call.arguments.str() + ")]";
            }
        } else {
            line = "t[" + message.call_id + "]" + (message.is_error ? "!" : ":");
        }
        lines.push_back(line + message.text);
    }
    return lines;
}

std::vector<std::string> shown(const timeline& of, chat_window_limits limits = {}) {
    return shown(make_chat_window(of.source(), limits));
}

const std::string
    unknown = "!The outcome of this call is unknown: it was cut off. It may have had an effect.";

// Own messages are the assistant's; names are there only where several others speak.
// Proves: A9
TEST(ChatWindow, TellsWhoSpeaks) {
    EXPECT_THAT(
        shown(timeline{}.says("ann", "hi").says("bot", "hello").says("ann", "bye")),
        ElementsAre("u:hi", "a:hello", "u:bye")
    );
    EXPECT_THAT(
        shown(timeline{}.says("ann", "hi").says("bot", "hello").says("bob", "and me")),
        ElementsAre("u(Ann Lee):hi", "a:hello", "u(bob):and me")
    );
}

// A call and its result stand together, whatever was said between them; calls after a result are the next round.
// Proves: A9
TEST(ChatWindow, KeepsCallsWithTheirResults) {
    EXPECT_THAT(
        shown(timeline{}
                  .says("ann", "look")
                  .calls("1", "search", R"({"q":1})")
                  .calls("2", "search")
                  .says("ann", "hurry")
                  .ends("2", "two")
                  .ends("1", "one")
                  .calls("3", "search")
                  .fails("3", "broken")
                  .says("bot", "found")
                  .says("ann", "thanks")),
        ElementsAre(
            "u:look",
            R"(a[1=search({"q":1})][2=search({})])",
            "t[1]:one",
            "t[2]:two",
            "u:hurry",
            "a[3=search({})]",
            "t[3]!broken",
            "a:found",
            "u:thanks"
        )
    );
}

// What an agent said and then called was one answer, and is shown as one; calls behind an answer that was cut off are
// another one's.
// Proves: A9
TEST(ChatWindow, JoinsCallsToWhatWasSaidBeforeThem) {
    EXPECT_THAT(
        shown(timeline{}
                  .says("ann", "look")
                  .says("bot", "I do.")
                  .calls("1", "search")
                  .ends("1", "one")
                  .calls("2", "search")
                  .ends("2", "two")
                  .says("ann", "thanks")),
        ElementsAre(
            "u:look", "a[1=search({})]I do.", "t[1]:one", "a[2=search({})]", "t[2]:two", "u:thanks"
        )
    );
    timeline cut;
    cut.says("ann", "look").says("bot", "I d");
    cut.last().metadata = json_text::trusted(R"({"finish_reason":"interrupted"})");
    EXPECT_THAT(
        shown(cut.calls("1", "search").ends("1", "one").says("ann", "thanks")),
        ElementsAre("u:look", "a:I d", "a[1=search({})]", "t[1]:one", "u:thanks")
    );
}

// Nobody knows what became of a call without a result, and a provider wants one.
// Proves: A9
TEST(ChatWindow, ClosesCallsWithoutAResult) {
    EXPECT_THAT(
        shown(timeline{}.calls("1", "search").says("bot", "so").calls("2", "f").says("ann", "?")),
        ElementsAre("a[1=search({})]", "t[1]" + unknown, "a[2=f({})]so", "t[2]" + unknown, "u:?")
    );
}

// Models that number their calls anew in each answer do not make two of one id.
// Proves: A9
TEST(ChatWindow, MakesIdsUnique) {
    EXPECT_THAT(
        shown(timeline{}
                  .calls("1", "f")
                  .ends("1", "a")
                  .says("bot", "x")
                  .calls("1", "g")
                  .ends("1", "b")
                  .says("ann", "?")),
        ElementsAre("a[1=f({})]", "t[1]:a", "a[1-2=g({})]x", "t[1-2]:b", "u:?")
    );
}

// The calls of an answer that was cut off come behind its trigger, and stay whatever the limits are.
// Proves: A9, D7
TEST(ChatWindow, GoesOnAfterCallsThatWereMade) {
    chat_window_source source = timeline{}.says("ann", "old").says("ann", "look").source();
    timeline made;
    made.calls("1", "search").ends("1", "one").calls("2", "search");
    for (int i = 0; i < 3; ++i) {
        source.made_calls.push_back(made.source().history[static_cast<std::size_t>(i)]);
    }
    EXPECT_THAT(
        shown(make_chat_window(source, {1, 1'000})),
        ElementsAre("u:look", "a[1=search({})]", "t[1]:one", "a[2=search({})]", "t[2]" + unknown)
    );
}

// Notices, edits, deletions and what was deleted say nothing; an edited message says what it says now.
// Proves: A9, R10, R13
TEST(ChatWindow, LeavesOutWhatIsNotSaid) {
    timeline of;
    of.says("ann", "as edited");
    of.last().is_edited = true;
    of.says("ann", "secret");
    of.last().is_deleted = true;
    of.add("ann", content::edit(event_id{"e0"}, content::text("as edited")), event_type::edit);
    of.add("ann", content::remove(event_id{"e1"}, delete_kind::sender), event_type::remove);
    of.add("ann", content::system("joined"), event_type::participant_joined);
    of.add("ann", content::system("notes"), event_type::observation);
    of.says("ann", "so?");
    EXPECT_THAT(shown(of), ElementsAre("u:as edited", "u:so?"));
}

// A trigger that is no message is shown all the same: something is asked.
// Proves: A9
TEST(ChatWindow, AlwaysShowsTheTrigger) {
    timeline of;
    of.says("ann", "hi").says("bot", "no");
    of.add("ann", content::system("Answer again"), event_type::custom);
    EXPECT_THAT(shown(of), ElementsAre("u:hi", "a:no", "u:Answer again"));
    timeline large;
    large.says("ann", "old").says("ann", std::string(1'000, 'x'));
    EXPECT_THAT(shown(large, {10, 100}), ElementsAre("u:" + std::string(1'000, 'x')));
}

// Old results are cut, so that one of them does not push everything else out.
// Proves: A9, R16
TEST(ChatWindow, CutsOldResults) {
    timeline of;
    of.calls("1", "f").ends("1", "0123456789").says("ann", "?");
    EXPECT_THAT(
        shown(of, {1'000, 4}), ElementsAre("a[1=f({})]", "t[1]:0123\n[6 bytes left out]", "u:?")
    );
}

// The window says where it begins: what is older can be read by a tool.
// Proves: A9
TEST(ChatWindow, TellsWhereItBegins) {
    timeline of;
    of.says("ann", std::string(400, 'x')).says("ann", "short").says("ann", "last");
    const chat_window window = make_chat_window(of.source(), {40, 100});
    EXPECT_THAT(shown(window), ElementsAre("u:short", "u:last"));
    EXPECT_EQ(window.first, event_index{1});
}

// A run may begin in a room in which nobody has spoken.
// Proves: A9
TEST(ChatWindow, IsEmptyWhereNobodyHasSpoken) {
    chat_window_source source;
    source.agent = channel_id{"bot"};
    const chat_window window = make_chat_window(source, {});
    EXPECT_THAT(shown(window), IsEmpty());
    EXPECT_EQ(window.first, event_index{});
}

// Characters beyond ASCII count for more, as models count.
// Proves: A9
TEST(ChatWindow, CountsTokensRoughly) {
    EXPECT_EQ(approx_tokens(""), 0);
    EXPECT_EQ(approx_tokens("word"), 1);
    EXPECT_EQ(approx_tokens("words"), 2);
    EXPECT_EQ(approx_tokens("日本"), 2);
}

/// Whether a provider would take the conversation.
void check_pairs(const std::vector<chat_message>& messages) {
    std::set<std::string> ids;
    std::vector<std::string> wanted;
    for (const chat_message& message : messages) {
        if (message.role == chat_role::tool) {
            RC_ASSERT(!wanted.empty());
            RC_ASSERT(wanted.front() == message.call_id);
            wanted.erase(wanted.begin());
            continue;
        }
        RC_ASSERT(wanted.empty());
        for (const tool_call& call : message.calls) {
            RC_ASSERT(ids.insert(call.id).second);
            wanted.push_back(call.id);
        }
    }
    RC_ASSERT(wanted.empty());
}

// Whatever happened in a room, and however small the window is: every call has its result right behind it, no result
// is without its call, and the trigger is there.
// Proves: A9
TEST(ChatWindow, IsAlwaysAConversation) {
    EXPECT_TRUE(rc::check([] {
        timeline of;
        const auto count = *rc::gen::inRange(0, 30);
        for (int i = 0; i < count; ++i) {
            const std::string id = std::to_string(*rc::gen::inRange(0, 4));
            switch (*rc::gen::inRange(0, 5)) {
                case 0:
                    of.says("ann", "text " + id);
                    break;
                case 1:
                    of.says("bot", "text " + id);
                    break;
                case 2:
                    of.calls(id, "f");
                    break;
                case 3:
                    of.ends(id, "result");
                    break;
                default:
                    of.fails(id, "error");
            }
        }
        of.says("ann", "trigger");
        const auto tokens = *rc::gen::inRange(0, 200);
        const chat_window window = make_chat_window(of.source(), {tokens, 100});
        check_pairs(window.messages);
        RC_ASSERT(window.messages.back().text == "trigger");
    }));
}

}  // namespace
}  // namespace convene
