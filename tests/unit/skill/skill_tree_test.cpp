// SPDX-License-Identifier: Apache-2.0
// What git lists of a commit, read without trust.
#include "skill/skill_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace convene {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

const std::string object(40, 'a');

std::string line(
    const std::string& mode, std::size_t size, const std::string& path, const char* type = "blob"
) {
    const std::string digits = std::to_string(size);
    const std::string padding(digits.size() < 7 ? 7 - digits.size() : 0, ' ');
    return mode + ' ' + type + ' ' + object + ' ' + padding + digits + '\t' + path + '\0';
}

std::string fault_in(const std::string& listing, const tree_limits& limits = {}) {
    const auto read = read_tree(listing, limits);
    return read ? "read" : read.error().word;
}

tree_entry entry(const std::string& path, std::size_t size, tree_entry::kind what) {
    return {what, object, size, path};
}

std::string blob(const std::string& content) {
    return object + " blob " + std::to_string(content.size()) + '\n' + content + '\n';
}

// Files, programs and links come back with their sizes.
// Proves: K1
TEST(SkillTree, IsRead) {
    const auto read = read_tree(
        line("100644", 7, "SKILL.md") + line("100755", 0, "bin/run me") + line("120000", 3, "l"), {}
    );
    ASSERT_TRUE(read.has_value());
    ASSERT_THAT(*read, SizeIs(3));
    EXPECT_EQ(read->at(0).size, 7U);
    EXPECT_EQ(read->at(1).path, "bin/run me");
    EXPECT_EQ(read->at(1).what, tree_entry::kind::program);
    EXPECT_EQ(read->at(2).what, tree_entry::kind::link);
    EXPECT_EQ(blobs_wanted(*read), object + '\n' + object + '\n' + object + '\n');
}

// A commit that asks for more than a skill may have is refused before anything of it is written, by the file's name.
// Proves: K1
TEST(SkillTree, RefusesHostileOnes) {
    EXPECT_EQ(fault_in("160000 commit " + object + "       -\tsub" + '\0'), "submodule");
    EXPECT_EQ(fault_in(line("100644", 1, "../x")), "bad_file_name");
    EXPECT_EQ(fault_in(line("100644", 1, "..")), "bad_file_name");
    EXPECT_EQ(fault_in(line("100644", 1, ".git/hooks/post-checkout")), "bad_file_name");
    EXPECT_EQ(fault_in(line("100644", 1, "/etc/x")), "bad_file_name");
    EXPECT_EQ(fault_in(line("100644", 1, "a") + line("100644", 1, "a")), "bad_file_name");
    tree_limits small;
    small.files = 2;
    small.file_bytes = 10;
    small.all_bytes = 15;
    EXPECT_EQ(fault_in(line("100644", 11, "a"), small), "file_too_large");
    EXPECT_EQ(fault_in(line("100644", 8, "a") + line("100644", 8, "b"), small), "too_large");
    EXPECT_EQ(
        fault_in(line("100644", 1, "a") + line("100644", 1, "b") + line("100644", 1, "c"), small),
        "too_many_files"
    );
    const auto named = read_tree(line("100644", 11, "big\nfile"), small);
    EXPECT_THAT(named.error().detail, HasSubstr("big"));
}

// What is none of git's answers is not guessed at.
TEST(SkillTree, RefusesOtherText) {
    EXPECT_EQ(fault_in("nonsense"), "git_failed");
    EXPECT_EQ(fault_in(std::string{"nonsense\0", 9}), "git_failed");
    EXPECT_EQ(fault_in(line("100644", 1, "a", "tree") + line("040000", 1, "b")), "git_failed");
    EXPECT_EQ(fault_in("100644 blob " + object + "      x\ta" + '\0'), "git_failed");
}

// Contents go with their paths, whatever is in them; a link becomes what it leads to.
// Proves: K1
TEST(SkillTree, ContentsAreRead) {
    using enum tree_entry::kind;
    const std::string odd{"a\nb\0c", 5};
    const std::vector<tree_entry> entries{
        entry("a", 5, file), entry("x/l", 4, link), entry("x/p", 2, program), entry("z", 3, link)
    };
    const auto read = read_files(
        entries, blob(odd) + blob("../a") + blob("hi") + blob("x/p"), tree_limits{}
    );
    ASSERT_TRUE(read.has_value()) << read.error().detail;
    ASSERT_THAT(*read, SizeIs(4));
    EXPECT_EQ(read->at(0).content, odd);
    EXPECT_EQ(read->at(1).content, odd);
    EXPECT_EQ(read->at(1).path, "x/l");
    EXPECT_FALSE(read->at(1).is_program);
    EXPECT_EQ(read->at(3).content, "hi");
    EXPECT_TRUE(read->at(3).is_program);
}

// Links out of the skill, to nothing, or round in a circle are refused, and so are copies that add up.
// Proves: K1, X2
TEST(SkillTree, LinksStayInside) {
    using enum tree_entry::kind;
    const auto fault_of = [](const std::string& target) {
        const auto read = read_files(
            {entry("l", target.size(), link)}, blob(target), tree_limits{}
        );
        return read ? std::string{"read"} : read.error().word;
    };
    EXPECT_EQ(fault_of("../../etc/passwd"), "link_leaves_skill");
    EXPECT_EQ(fault_of("/etc/passwd"), "link_leaves_skill");
    EXPECT_EQ(fault_of("nowhere"), "link_to_no_file");
    EXPECT_EQ(fault_of("l"), "link_to_no_file");
    tree_limits small;
    small.all_bytes = 10;
    const auto copied = read_files(
        {entry("a", 6, file), entry("l", 1, link)}, blob("123456") + blob("a"), small
    );
    EXPECT_EQ(copied.error().word, "too_large");
}

// An answer that is cut off, or about another object, is none.
TEST(SkillTree, RefusesOtherContents) {
    using enum tree_entry::kind;
    const std::vector<tree_entry> one{entry("a", 3, file)};
    for (const std::string& blobs :
         {std::string{}, blob("1234"), object + " missing\n", object + " blob 3\n12"}) {
        const auto read = read_files(one, blobs, tree_limits{});
        ASSERT_FALSE(read.has_value());
        EXPECT_EQ(read.error().word, "git_failed");
    }
}

}  // namespace
}  // namespace convene
