// SPDX-License-Identifier: Apache-2.0
// Revisions on the disk: whole or not there, kept or pruned.
#include "skill/skill_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
namespace fs = std::filesystem;

class SkillFolder : public testing::Test {
   protected:
    static revision_id commit(char digit) { return revision_id{std::string(40, digit)}; }

    static std::vector<revision_file> files() {
        return {
            {"SKILL.md", "---\nname: a\ndescription: d\n---\nBody\n", false},
            {"scripts/run.sh", "#!/bin/sh\n", true},
            {"data/deep/er/x", "x", false},
        };
    }

    void publish(const revision_id& revision, const std::vector<revision_file>& all = files()) {
        const auto staging = folder_.make_staging(skill_, "p" + revision.str());
        ASSERT_TRUE(staging.has_value());
        ASSERT_TRUE(folder_.publish(*staging, skill_, revision, all));
        folder_.discard(*staging);
    }

    /// As if it had been published, or superseded, that long ago.
    void age(const revision_id& revision, std::chrono::seconds by) const {
        const fs::path path = place_of(revision);
        fs::last_write_time(path, fs::last_write_time(path) - by);
    }

    [[nodiscard]] fs::path place_of(const revision_id& revision) const {
        return temporary_.path() / "skills" / skill_.str() / revision.str();
    }

    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& one :
             fs::directory_iterator{temporary_.path() / "skills" / skill_.str()}) {
            found.push_back(one.path().filename().native());
        }
        std::ranges::sort(found);
        return found;
    }

    temporary_folder temporary_;
    const skill_id skill_{"0190-abc"};
    const skill_folder folder_{temporary_.path() / "skills"};
};

// What was published is read back whole, and nothing of its making is left beside it.
// Proves: K1
TEST_F(SkillFolder, PublishesWhole) {
    ASSERT_TRUE(folder_.prepare());
    publish(commit('a'));
    EXPECT_THAT(names(), ElementsAre(std::string(40, 'a')));
    EXPECT_TRUE(folder_.has(skill_, commit('a')));
    EXPECT_FALSE(folder_.has(skill_, commit('b')));
    const auto loaded = folder_.load(skill_, commit('a'));
    ASSERT_TRUE(loaded.has_value());
    EXPECT_EQ(loaded->document.about.name, "a");
    EXPECT_EQ(loaded->document.body, "Body\n");
    EXPECT_THAT(
        loaded->files,
        ElementsAre(
            loaded_skill::file{"data/deep/er/x", 1}, loaded_skill::file{"scripts/run.sh", 10}
        )
    );
    EXPECT_EQ(folder_.read_file(skill_, commit('a'), "scripts/run.sh", 100).value(), "#!/bin/sh\n");
    const auto mode = fs::status(place_of(commit('a')) / "scripts/run.sh").permissions();
    EXPECT_EQ(mode & fs::perms::owner_exec, fs::perms::owner_exec);
    EXPECT_EQ(mode & fs::perms::owner_write, fs::perms::none);
}

// A revision never changes, whatever is published under its name later.
// Proves: K1
TEST_F(SkillFolder, IsNeverChanged) {
    publish(commit('a'));
    std::vector<revision_file> other = files();
    other.front().content += "Other\n";
    publish(commit('a'), other);
    EXPECT_EQ(folder_.load(skill_, commit('a')).value().document.body, "Body\n");
}

// Files are read with a bound, and none outside the revision is.
// Proves: K1, X2
TEST_F(SkillFolder, ReadsInsideAndBounded) {
    publish(commit('a'));
    std::ofstream{temporary_.path() / "secret"} << "secret";
    const auto fault_of = [this](std::string_view path, std::size_t most) {
        return folder_.read_file(skill_, commit('a'), path, most).error();
    };
    EXPECT_EQ(fault_of("../../../secret", 100), errc::not_found);
    EXPECT_EQ(fault_of((temporary_.path() / "secret").native(), 100), errc::not_found);
    EXPECT_EQ(fault_of("scripts", 100), errc::not_found);
    EXPECT_EQ(fault_of("nothing", 100), errc::not_found);
    EXPECT_EQ(fault_of("scripts/run.sh", 5), errc::payload_too_large);
    EXPECT_EQ(folder_.load(skill_, commit('b')).error(), errc::not_found);
}

// What a pull left that was killed goes with the next one; revisions stay.
// Proves: K1
TEST_F(SkillFolder, ClearsWhatWasLeft) {
    publish(commit('a'));
    const auto left = folder_.make_staging(skill_, "left");
    ASSERT_TRUE(left.has_value());
    fs::create_directories(*left / "tree/sub");
    std::ofstream{*left / "tree/sub/half"} << "half";
    folder_.clear_staging(skill_);
    EXPECT_THAT(names(), ElementsAre(std::string(40, 'a')));
}

// Pruned is what is neither kept nor young. What was in use a moment ago is young, however old it is.
// Proves: K1
TEST_F(SkillFolder, PrunesNeitherKeptNorYoung) {
    for (const char digit : {'a', 'b', 'c', 'd'}) {
        publish(commit(digit));
    }
    for (const char digit : {'a', 'b', 'd'}) {
        age(commit(digit), 2h);
    }
    folder_.touch(skill_, commit('d'));
    EXPECT_EQ(folder_.prune(skill_, {commit('b')}, 1h), 1U);
    EXPECT_THAT(
        names(), ElementsAre(std::string(40, 'b'), std::string(40, 'c'), std::string(40, 'd'))
    );
    EXPECT_EQ(folder_.prune(skill_, {commit('b')}, 1h), 0U);
}

// The folder of a skill that is gone goes once its revisions are old.
// Proves: K1
TEST_F(SkillFolder, RemovesWhatIsGone) {
    publish(commit('a'));
    EXPECT_THAT(folder_.skills(), ElementsAre(skill_));
    folder_.remove(skill_, 1h);
    EXPECT_TRUE(folder_.has(skill_, commit('a')));
    age(commit('a'), 2h);
    folder_.remove(skill_, 1h);
    EXPECT_THAT(folder_.skills(), IsEmpty());
}

}  // namespace
}  // namespace convene
