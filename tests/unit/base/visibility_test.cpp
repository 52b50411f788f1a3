// SPDX-License-Identifier: Apache-2.0
// The text form of a visibility: words, lists, and ids that try to be either.
#include "convene/event.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <string_view>
#include <vector>

namespace convene {
namespace {

visibility list_of(std::vector<std::string> ids) {
    std::vector<channel_id> channels;
    channels.reserve(ids.size());
    for (std::string& id : ids) {
        channels.emplace_back(std::move(id));
    }
    return visibility{std::move(channels)};
}

// The words are stored, and each reads back as its scope.
// Proves: R10
TEST(Visibility, KeepsItsWords) {
    using enum visibility::scope;
    EXPECT_EQ(visibility{}.text(), "all");
    EXPECT_EQ(visibility{none}.text(), "none");
    EXPECT_EQ(visibility{transport}.text(), "transport");
    EXPECT_EQ(visibility{intelligence}.text(), "intelligence");
    EXPECT_EQ(visibility{internal}.text(), "internal");
    for (const visibility::scope scope : {all, none, transport, intelligence, internal}) {
        EXPECT_EQ(visibility::parse(visibility{scope}.text()).value(), visibility{scope});
    }
}

// Any other text is a list of channel ids, in their order.
// Proves: R10
TEST(Visibility, ReadsAndWritesLists) {
    EXPECT_EQ(visibility::parse("sms").value(), list_of({"sms"}));
    EXPECT_EQ(visibility::parse("web,sms,all").value(), list_of({"web", "sms", "all"}));
    EXPECT_EQ(list_of({"web", "sms"}).text(), "web,sms");
    EXPECT_EQ(visibility::parse("ALL").value(), list_of({"ALL"}));
}

// An empty word, an empty id in a list and a broken escape are refused.
// Proves: R10
TEST(Visibility, RefusesWhatIsNeitherWordNorList) {
    for (const std::string_view text :
         {"", ",", "web,", ",web", "web,,sms", "a%", "a%2", "a%2g", "a%2c"}) {
        EXPECT_EQ(visibility::parse(text).error(), errc::invalid_argument) << text;
    }
}

// A channel whose id is spelled like a scope, or contains the separator, does not widen what is
// seen.
// Proves: R10
TEST(Visibility, IsNotWidenedByHostileIds) {
    EXPECT_EQ(list_of({"all"}).text(), "%61ll");
    EXPECT_EQ(list_of({"a,b"}).text(), "a%2Cb");
    EXPECT_EQ(list_of({"50%"}).text(), "50%25");
    EXPECT_EQ(list_of({"all", "none"}).text(), "all,none");
    for (const std::string_view word : {"all", "none", "transport", "intelligence", "internal"}) {
        const visibility alone = list_of({std::string{word}});
        EXPECT_EQ(visibility::parse(alone.text()).value(), alone);
    }
}

// A list without ids shows the event to nobody, and is written as that.
// Proves: R10
TEST(Visibility, WritesAnEmptyListAsNone) { EXPECT_EQ(list_of({}).text(), "none"); }

// Whatever bytes the ids consist of, a list reads back as it was.
// Proves: R10
TEST(Visibility, ReadsBackEveryList) {
    const bool holds = rc::check([] {
        const auto byte = rc::gen::oneOf(
            rc::gen::arbitrary<char>(), rc::gen::element(',', '%', 'a', '2', 'C')
        );
        const auto id = rc::gen::nonEmpty(rc::gen::container<std::string>(byte));
        const auto ids = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(id));
        const visibility list = list_of(ids);
        RC_ASSERT(visibility::parse(list.text()).value() == list);
    });
    EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace convene
