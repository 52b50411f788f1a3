// SPDX-License-Identifier: Apache-2.0
// SKILL.md: what is read of it, and how what is wrong is named.
#include "skill/front_matter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace convene {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// What is wrong with a file that has this front matter.
std::string fault_in(const std::string& front) {
    const auto read = read_skill_file("---\n" + front + "---\nText\n");
    EXPECT_FALSE(read.has_value()) << front;
    if (read) {
        return {};
    }
    EXPECT_EQ(read.error().word, "skill_file_invalid");
    return read.error().detail;
}

const std::string needed = "name: orders\ndescription: Finds orders.\n";

// All fields of the format come back, and the text behind them as it stands.
// Proves: K1
TEST(FrontMatter, IsReadWhole) {
    const auto read = read_skill_file(
        "---\r\n"
        "name: find-orders-2\n"
        "description: >\n  Finds orders,\n  also old ones.\n"
        "license: Apache-2.0\n"
        "compatibility: needs the network\n"
        "allowed-tools: Read Grep\n"
        "metadata:\n  author: someone\n  version: \"1.0\"\n"
        "further: {a: [1, 2]}\n"
        "---\n"
        "# Orders\n\n---\n"
    );
    ASSERT_TRUE(read.has_value()) << read.error().detail;
    EXPECT_EQ(read->about.name, "find-orders-2");
    EXPECT_EQ(read->about.description, "Finds orders, also old ones.");
    EXPECT_EQ(read->about.license, "Apache-2.0");
    EXPECT_EQ(read->about.compatibility, "needs the network");
    EXPECT_THAT(read->about.allowed_tools, ElementsAre("Read", "Grep"));
    EXPECT_THAT(
        read->about.metadata, ElementsAre(Pair("author", "someone"), Pair("version", "1.0"))
    );
    EXPECT_EQ(read->body, "# Orders\n\n---\n");
}

// What may be left out is empty; tools may be a list.
TEST(FrontMatter, NeedsNameAndDescriptionAlone) {
    const auto read = read_skill_file("---\n" + needed + "allowed-tools: [Read, Grep]\n---\n");
    ASSERT_TRUE(read.has_value()) << read.error().detail;
    EXPECT_EQ(read->about.license, "");
    EXPECT_THAT(read->about.allowed_tools, ElementsAre("Read", "Grep"));
    EXPECT_EQ(read->body, "");
}

// What is wrong is told with the file, the field or line, and what helps.
// Proves: K1
TEST(FrontMatter, NamesWhatIsWrong) {
    EXPECT_THAT(
        fault_in("description: d\n"), AllOf(HasSubstr("SKILL.md"), HasSubstr("`name` is missing"))
    );
    EXPECT_THAT(fault_in("name: a\n"), HasSubstr("`description` is missing; add a line"));
    EXPECT_THAT(fault_in("name: Orders\ndescription: d\n"), HasSubstr("`name` takes lower-case"));
    EXPECT_THAT(fault_in("name: a--b\ndescription: d\n"), HasSubstr("`name` takes"));
    EXPECT_THAT(fault_in("name: ../a\ndescription: d\n"), HasSubstr("`name` takes"));
    EXPECT_THAT(fault_in("name: [a]\ndescription: d\n"), HasSubstr("`name` must be a text"));
    EXPECT_THAT(
        fault_in("name: a\ndescription: " + std::string(1025, 'x') + '\n'),
        HasSubstr("more than 1024 characters")
    );
    EXPECT_THAT(fault_in(needed + "metadata: text\n"), HasSubstr("`metadata` must be a map"));
    EXPECT_THAT(fault_in("name: a\ndescription: x: y\n"), HasSubstr("line 3"));
    EXPECT_THAT(fault_in("- a\n- b\n"), HasSubstr("must be fields"));
    EXPECT_THAT(fault_in(""), HasSubstr("must be fields"));
    EXPECT_THAT(fault_in("name: a\nname: b\n"), HasSubstr("line 3: a key is there twice"));
}

// A small text that would become a large one is refused before it does: no aliases, no depth, no tags.
// Proves: K1
TEST(FrontMatter, RefusesWhatGrows) {
    EXPECT_THAT(fault_in("a: &a [x]\nb: [*a, *a]\n" + needed), HasSubstr("anchors are not taken"));
    EXPECT_THAT(fault_in("a: *b\n" + needed), HasSubstr("SKILL.md"));
    EXPECT_THAT(fault_in("a: [[[[[[x]]]]]]\n" + needed), HasSubstr("nested too deep"));
    EXPECT_THAT(fault_in("a: !!binary aGk=\n" + needed), HasSubstr("tags are not taken"));
    std::string many = "a: [";
    for (int i = 0; i < 600; ++i) {
        many += "x,";
    }
    EXPECT_THAT(fault_in(many + "]\n" + needed), HasSubstr("too many values"));
    EXPECT_THAT(fault_in("a: " + std::string(10'000, '[') + '\n'), HasSubstr("SKILL.md"));
}

// A file without front matter, with half of one, too long, or no text at all.
// Proves: K1
TEST(FrontMatter, RefusesOtherFiles) {
    const auto fault_of = [](const std::string& text) {
        const auto read = read_skill_file(text);
        return read ? std::string{"read"} : read.error().detail;
    };
    EXPECT_THAT(fault_of("# Orders\n"), HasSubstr("does not begin with a line `---`"));
    EXPECT_THAT(fault_of("---\n" + needed), HasSubstr("does not end"));
    EXPECT_THAT(fault_of("---\n" + needed + "a: \xFF\n---\n"), HasSubstr("not UTF-8"));
    EXPECT_THAT(fault_of("---\n#" + std::string(20'000, 'x') + "\n---\n"), HasSubstr("shorten it"));
    EXPECT_THAT(
        fault_of("---\n" + needed + "---\n" + std::string(600'000, 'x')),
        HasSubstr("into files beside it")
    );
}

}  // namespace
}  // namespace convene
