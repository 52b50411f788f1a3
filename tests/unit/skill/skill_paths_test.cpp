// SPDX-License-Identifier: Apache-2.0
// Names from outside: what becomes a file, a reference, a commit.
#include "skill/skill_paths.hpp"

#include <gtest/gtest.h>

#include <string>

namespace convene {
namespace {

// A path that could leave its folder, or be another one elsewhere, is none.
// Proves: K1, X2
TEST(SkillPaths, StayInside) {
    for (const char* path : {"SKILL.md", "a/b/c.txt", ".hidden", "...", "a..b", "\xC3\xA4/x"}) {
        EXPECT_TRUE(is_inner_path(path)) << path;
    }
    for (const char* path :
         {"",
          "/",
          "/etc/passwd",
          "..",
          "../x",
          "a/../b",
          "a//b",
          "a/",
          "./a",
          "a/.",
          ".git",
          "a/.git/hooks",
          ".GIT/config",
          "a\\b",
          "a\nb",
          "\x7F",
          "\xC2\x80",
          "\xFF"}) {
        EXPECT_FALSE(is_inner_path(path)) << path;
    }
    EXPECT_FALSE(is_inner_path(std::string(300, 'x')));
    EXPECT_FALSE(is_inner_path(std::string(600, '/')));
}

// What git could take for an option, a range or a refspec is no reference.
// Proves: K1, X2
TEST(SkillPaths, ReferencesAreOnlyThat) {
    for (const char* text : {"main", "v1.0", "feature/x-1", "0123abc", "a@b"}) {
        EXPECT_TRUE(is_reference(text)) << text;
    }
    for (const char* text : {"",       "-x",      "--upload-pack=evil",
                             "+main",  "a..b",    "a:b",
                             "a^",     "a~1",     "a b",
                             "a\n",    "@",       "/a",
                             "a/",     "a//b",    "a.",
                             "a.lock", "a*",      "a?",
                             "a[",     "a\\b",    "refs/@@{x",
                             "$(x)",   "\xC3\xA4"}) {
        EXPECT_FALSE(is_reference(text)) << text;
    }
}

TEST(SkillPaths, CommitsAreWhole) {
    EXPECT_TRUE(is_commit(std::string(40, 'a')));
    EXPECT_TRUE(is_commit(std::string(64, '0')));
    EXPECT_FALSE(is_commit(std::string(40, 'A')));
    EXPECT_FALSE(is_commit(std::string(39, 'a')));
    EXPECT_FALSE(is_commit("../" + std::string(37, 'a')));
}

// Links are followed by their text alone; one that leaves the folder leads nowhere.
// Proves: K1, X2
TEST(SkillPaths, LinksLeadInside) {
    EXPECT_EQ(path_of_link("a", "b"), "b");
    EXPECT_EQ(path_of_link("x/a", "b"), "x/b");
    EXPECT_EQ(path_of_link("x/y/a", "../../b/./c"), "b/c");
    EXPECT_EQ(path_of_link("a", "../b"), "");
    EXPECT_EQ(path_of_link("x/a", "../../etc/passwd"), "");
    EXPECT_EQ(path_of_link("a", "/etc/passwd"), "");
    EXPECT_EQ(path_of_link("a", ""), "");
    EXPECT_EQ(path_of_link("a", "."), "");
}

// A name in a message moves no cursor and has an end.
TEST(SkillPaths, NamesAreShownPlain) {
    EXPECT_EQ(shown_name("a\x1B[2Jb"), "a\xEF\xBF\xBD[2Jb");
    EXPECT_EQ(shown_name("\xFF"), "\xEF\xBF\xBD");
    EXPECT_LT(shown_name(std::string(5000, 'x')).size(), 200U);
}

}  // namespace
}  // namespace convene
