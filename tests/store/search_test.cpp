// SPDX-License-Identifier: Apache-2.0
// What every store promises about full-text search: whole words, newest first, and no input that
// breaks it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/conformance.hpp"

namespace convene {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Search : public conformance {
   protected:
    void say(const std::string& room, const std::string& id, std::string_view body) {
        must(batch(room).add(make_message(id, body)).take());
    }

    std::vector<std::string> find(
        std::string words, std::optional<std::string> room = "r", std::size_t limit = 20
    ) {
        ops::search_events request;
        request.organization = acme();
        if (room) {
            request.room = room_id{*room};
        }
        request.words = std::move(words);
        request.limit = limit;
        return ids_of(must(request));
    }
};

CONVENE_ON_EVERY_STORE(Search);

// All words must occur, in any order and case, each as a whole.
// Proves: S1
TEST_P(Search, FindsAllWordsInAnyOrder) {
    create("r");
    say("r", "a", "The invoice is late again");
    say("r", "b", "Late trains, early invoice!");
    say("r", "c", "invoices lately");
    EXPECT_THAT(find("late INVOICE"), ElementsAre("b", "a"));
    EXPECT_THAT(find("late again"), ElementsAre("a"));
    EXPECT_THAT(find("lat"), IsEmpty()) << "half a word";
    EXPECT_THAT(find("late, late?"), ElementsAre("b", "a"));
}

// Any script is searched; punctuation of any script separates.
// Proves: R16
TEST_P(Search, FindsWordsOfAnyScript) {
    create("r");
    say("r", "a", "Grüße aus Köln — bis morgen");
    say("r", "b", "こんにちは、世界。");
    say("r", "c", "naïve café 🎉");
    EXPECT_THAT(find("Köln"), ElementsAre("a"));
    EXPECT_THAT(find("morgen bis"), ElementsAre("a"));
    EXPECT_THAT(find("世界"), ElementsAre("b"));
    EXPECT_THAT(find("🎉"), ElementsAre("c"));
    EXPECT_THAT(find("cafe"), IsEmpty()) << "accents count";
}

// The latest commit comes first, over all rooms of the organisation, as many as asked for.
// Proves: S1, X1
TEST_P(Search, AnswersTheNewestFirst) {
    create("r");
    create("other");
    must(ops::create_room{make_room("foreign", organization_id{"globex"}), {}, {}});
    say("r", "a", "word");
    say("other", "b", "word");
    say("r", "c", "word");
    batch_on elsewhere{must(ops::get_room{organization_id{"globex"}, room_id{"foreign"}})};
    must(elsewhere.add(make_message("d", "word")).take());

    EXPECT_THAT(find("word", std::nullopt), ElementsAre("c", "b", "a"));
    EXPECT_THAT(find("word", std::nullopt, 2), ElementsAre("c", "b"));
    EXPECT_THAT(find("word", "other"), ElementsAre("b"));
    EXPECT_THAT(find("word", "foreign"), IsEmpty());
    EXPECT_THAT(find("word", "absent"), IsEmpty());
    EXPECT_THAT(find("word", std::nullopt, 0), IsEmpty());
}

// What is blocked, taken back or deleted is not found; what was edited is found by its new text.
// Proves: R9, R13
TEST_P(Search, FollowsWhatIsShown) {
    create("r");
    room_event blocked = make_message("blocked", "word");
    blocked.status = event_status::blocked;
    must(batch("r").add(blocked).add(make_message("taken back", "word")).take());
    say("r", "edited", "word");
    say("r", "deleted", "word");
    ops::commit changes = batch("r").take();
    changes.changes.push_back({event_id{"taken back"}, std::nullopt});
    changes.changes.push_back({event_id{"edited"}, content::text("phrase")});
    must(changes);
    must(ops::delete_event{acme(), room_id{"r"}, event_id{"deleted"}});
    EXPECT_THAT(find("word"), IsEmpty());
    EXPECT_THAT(find("phrase"), ElementsAre("edited"));
}

// The words of the search's own language, quotes, wildcards and broken bytes are only text.
// Proves: R16 (rk:C18)
TEST_P(Search, SurvivesHostileInput) {
    create("r");
    say("r", "a", "alpha AND beta");
    for (const std::string_view hostile :
         {"\"",
          "\"alpha",
          "alpha*",
          "alpha OR",
          "NOT",
          "AND",
          "NEAR(alpha beta)",
          "^alpha",
          "a:b",
          "alpha'); DROP TABLE events;--",
          "(((",
          "{alpha}",
          "-alpha",
          "+",
          "\\",
          "%",
          "_",
          "\xff\xfe",
          "\xc3",
          "alpha\x01"}) {
        SCOPED_TRACE(hostile);
        EXPECT_TRUE(run(ops::search_events{acme(), room_id{"r"}, std::string{hostile}, 20}));
    }
    EXPECT_THAT(find("alpha*"), ElementsAre("a"));
    EXPECT_THAT(find("\"beta\" AND"), ElementsAre("a"));
    EXPECT_THAT(find("alpha OR beta"), IsEmpty()) << "OR is a word like any other";
    EXPECT_THAT(find(std::string("alpha\0beta", 10)), ElementsAre("a"));
    EXPECT_THAT(find(std::string(100'000, '(')), IsEmpty());
    EXPECT_THAT(find(""), IsEmpty());
    EXPECT_THAT(find(" ,. "), IsEmpty());
    std::string long_query;
    for (int i = 0; i < 2000; ++i) {
        long_query += "alpha ";
    }
    EXPECT_THAT(find(long_query), ElementsAre("a"));
}

// However many events the index answers, each is looked at once, newest first: the only one with all words is found
// behind a few hundred others that have nearly all.
// Proves: S1
TEST_P(Search, LooksThroughManyHits) {
    create("r");
    std::string most;
    for (char letter = 'a'; letter <= 'p'; ++letter) {
        most += std::string{"word"} + letter + ' ';
    }
    say("r", "oldest", most + "zebra");
    for (int i = 0; i < 250; ++i) {
        say("r", "e" + std::to_string(i), most);
    }
    EXPECT_THAT(find(most + "zebra", "r", 1), ElementsAre("oldest"));
    const std::vector<std::string> found = find(most, "r", 220);
    ASSERT_EQ(found.size(), 220u);
    EXPECT_EQ(found.front(), "e249");
    EXPECT_EQ(found.back(), "e30");
}

// What was found before is found after a restart.
// Proves: S1
TEST_P(Search, SurvivesARestart) {
    create("r");
    say("r", "a", "word");
    harness().restart();
    EXPECT_THAT(find("word"), ElementsAre("a"));
    say("r", "b", "word");
    EXPECT_THAT(find("word"), ElementsAre("b", "a"));
}

}  // namespace

}  // namespace convene
