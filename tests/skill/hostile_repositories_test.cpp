// SPDX-License-Identifier: Apache-2.0
// Repositories that mean harm: refused by name, with nothing written outside, run, or left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "skill/skill_scene.hpp"

namespace convene {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HostileRepositories : public skill_scene {
   protected:
    /// A repository that would be a good skill, were it not for what is added.
    git_source& make_disguised(const std::string& name) {
        git_source& source = make_source(name);
        source.write("SKILL.md", front_matter);
        return source;
    }

    /// The word that a pull fails with; nothing of it is left.
    std::string fault_of(const git_source& source) {
        const skill failed = add(wanted(source.url()));
        EXPECT_EQ(failed.state, skill_state::failed);
        EXPECT_TRUE(failed.revision.empty());
        EXPECT_TRUE(eventually([&] { return names_in(place_of(failed)).empty(); }));
        detail_ = failed.error_detail;
        return failed.error;
    }

    std::string detail_;
};

// Links out of the skill are refused, wherever they lead; links inside become files.
// Proves: K1, X2
TEST_F(HostileRepositories, LinksLeadNowhereElse) {
    std::ofstream{temporary_.path() / "secret"} << "secret";
    start();
    for (const char* target : {"/etc/passwd", "../secret", "../../../../etc/passwd"}) {
        git_source& source = make_disguised("link" + std::to_string(sources_.size()));
        std::filesystem::create_symlink(target, source.folder() / "notes.md");
        source.commit();
        EXPECT_EQ(fault_of(source), "link_leaves_skill") << target;
        EXPECT_THAT(detail_, HasSubstr("notes.md"));
    }
    git_source& inside = make_disguised("inside");
    std::filesystem::create_symlink("SKILL.md", inside.folder() / "README.md");
    inside.commit();
    const skill ready = add(wanted(inside.url()));
    ASSERT_EQ(ready.state, skill_state::ready) << ready.error;
    const auto copy = place_of(ready) / ready.revision.str() / "README.md";
    EXPECT_FALSE(std::filesystem::is_symlink(copy));
    EXPECT_EQ(std::filesystem::file_size(copy), std::string{front_matter}.size());
}

// SKILL.md itself may not be a link to a secret of ours either.
// Proves: K1, X2
TEST_F(HostileRepositories, TheSkillFileIsNoLinkOut) {
    git_source& source = make_source("front");
    std::filesystem::create_symlink("/etc/passwd", source.folder() / "SKILL.md");
    source.commit();
    start();
    EXPECT_EQ(fault_of(source), "link_leaves_skill");
}

// A file that is too large, files that are too many, and all that is too large together are refused before any is
// written.
// Proves: K1
TEST_F(HostileRepositories, SizesAreBounded) {
    settings_.limits.file_bytes = 10'000;
    settings_.limits.all_bytes = 30'000;
    settings_.limits.files = 50;
    start();
    git_source& huge = make_disguised("huge");
    huge.write("huge.bin", std::string(10'001, 'x'));
    huge.commit();
    EXPECT_EQ(fault_of(huge), "file_too_large");
    EXPECT_THAT(detail_, HasSubstr("huge.bin"));
    git_source& heavy = make_disguised("heavy");
    for (int i = 0; i < 4; ++i) {
        heavy.write("part" + std::to_string(i), std::string(9'000, static_cast<char>('a' + i)));
    }
    heavy.commit();
    EXPECT_EQ(fault_of(heavy), "too_large");
    git_source& many = make_disguised("many");
    for (int i = 0; i < 100; ++i) {
        many.write("f/" + std::to_string(i), "x");
    }
    many.commit();
    EXPECT_EQ(fault_of(many), "too_many_files");
}

// A repository that is larger than the limit of all that a server may send ends git.
// Proves: K1
TEST_F(HostileRepositories, WhatIsSentIsBounded) {
    settings_.git.max_pack_bytes = 100'000;
    git_source& source = make_disguised("large");
    std::ofstream noise{source.folder() / "noise", std::ios::binary};
    std::vector<std::uint8_t> bytes(1'000'000);
    system_random().fill(bytes);
    noise.write(reinterpret_cast<const char*>(bytes.data()), 1'000'000);
    noise.close();
    source.commit();
    start();
    EXPECT_THAT(fault_of(source), testing::AnyOf("too_large", "git_failed"));
}

// A few objects that spell millions of files are told by their list, which is not read to its end.
// Proves: K1
TEST_F(HostileRepositories, TreesThatMultiplyAreRefused) {
    git_source& source = make_disguised("bomb");
    const std::string blob = source.git({"hash-object", "-w", "--stdin"}, "x");
    std::string tree;
    std::string entry = "100644 blob " + blob;
    for (int level = 0; level < 8; ++level) {
        std::string listing;
        for (int i = 0; i < 10; ++i) {
            listing += entry + "\td" + std::to_string(i) + '\n';
        }
        tree = source.git({"mktree"}, listing);
        entry = "040000 tree " + tree;
    }
    const std::string commit = source.git({"commit-tree", "-m", "x", tree});
    source.git({"update-ref", "refs/heads/main", commit});
    start();
    EXPECT_EQ(fault_of(source), "too_many_files");
}

// Submodules are neither fetched nor passed over in silence.
// Proves: K1
TEST_F(HostileRepositories, SubmodulesAreRefused) {
    git_source& source = make_disguised("super");
    source.git({"add", "--all"});
    source.git({"update-index", "--add", "--cacheinfo", "160000," + std::string(40, '1') + ",sub"});
    source.commit_staged();
    start();
    EXPECT_EQ(fault_of(source), "submodule");
    EXPECT_THAT(detail_, HasSubstr("sub"));
}

// Names that leave the folder, or that are git's own, are refused, however they came into the tree.
// Proves: K1, X2
TEST_F(HostileRepositories, NamesStayInside) {
    start();
    for (const char* name : {"..", ".git", "a\\b"}) {
        git_source& source = make_disguised("name" + std::to_string(sources_.size()));
        const std::string blob = source.git({"hash-object", "-w", "--stdin"}, front_matter);
        const std::string inner = source.git({"mktree"}, "100644 blob " + blob + "\tevil\n");
        const std::string tree = source.git(
            {"mktree"},
            "100644 blob " + blob + "\tSKILL.md\n040000 tree " + inner + '\t' + name + '\n'
        );
        const std::string commit = source.git({"commit-tree", "-m", "x", tree});
        source.git({"update-ref", "refs/heads/main", commit});
        EXPECT_EQ(fault_of(source), "bad_file_name") << name;
    }
    EXPECT_FALSE(std::filesystem::exists(settings_.folder / "evil"));
}

// Hooks, filters and configuration of the repository run nothing here.
// Proves: K1, X2
TEST_F(HostileRepositories, NothingOfThemIsRun) {
    git_source& source = make_disguised("hooks");
    const std::string evil = path_of("evil");
    for (const char* hook : {"post-checkout", "post-merge", "reference-transaction"}) {
        const auto file = source.folder() / ".git/hooks" / hook;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream{file} << "#!/bin/sh\ntouch '" << evil << "'\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
        source.write(std::string{"hooks/"} + hook, "#!/bin/sh\ntouch '" + evil + "'\n");
    }
    source.write(".gitattributes", "* filter=evil ident\n");
    source.write(".gitmodules", "[submodule \"a\"]\n\tpath = a\n\turl = ext::sh -c evil\n");
    source.write(".lfsconfig", "[lfs]\n\turl = https://example.com/\n");
    source.commit();
    std::filesystem::remove(evil);
    start();
    const skill ready = add(wanted(source.url()));
    EXPECT_EQ(ready.state, skill_state::ready) << ready.error << ready.error_detail;
    EXPECT_FALSE(std::filesystem::exists(evil));
}

}  // namespace
}  // namespace convene
