// SPDX-License-Identifier: Apache-2.0
// Skills from repository to revision: pulled once, kept while they are needed, never another one than was asked for.
#include "skill/skill_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "skill/skill_scene.hpp"

namespace convene {
namespace {

/// Whether a process of this group runs; one that nobody has waited for does not.
bool lives_in_group(pid_t group) {
    for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) {
            continue;
        }
        std::ifstream file{entry.path() / "stat"};
        std::string stat{std::istreambuf_iterator<char>{file}, {}};
        // Behind the name, which may have spaces and brackets: state, parent, group.
        const std::size_t behind_name = stat.rfind(')');
        if (behind_name == std::string::npos) {
            continue;
        }
        std::istringstream rest{stat.substr(behind_name + 1)};
        char state = 0;
        pid_t parent = 0;
        pid_t in = 0;
        rest >> state >> parent >> in;
        if (in == group && state != 'Z') {
            return true;
        }
    }
    return false;
}

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class SkillService : public skill_scene {};

// A skill is what its repository has: the commit, its SKILL.md and the files beside it. Nothing of the pull is left.
// Proves: K1
TEST_F(SkillService, PullsWhatTheRepositoryHas) {
    const auto [source, commit] = make_good_source();
    start();
    const skill ready = add(wanted(source.url()));
    ASSERT_EQ(ready.state, skill_state::ready) << ready.error << ": " << ready.error_detail;
    EXPECT_EQ(ready.revision.str(), commit);
    EXPECT_TRUE(ready.pulled_at.has_value());
    const auto loaded = load(ready);
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message();
    EXPECT_EQ(loaded->document.about.name, "orders");
    EXPECT_EQ(loaded->document.body, "First\n");
    EXPECT_THAT(loaded->files, ElementsAre(loaded_skill::file{"scripts/find.sh", 10}));
    EXPECT_THAT(names_in(place_of(ready)), ElementsAre(commit));
}

// A branch, a tag, a commit, and a folder in the repository are found; what is not there is named.
// Proves: K1
TEST_F(SkillService, FindsReferencesAndFolders) {
    git_source& source = make_source("many");
    source.write("team/orders/SKILL.md", std::string{front_matter} + "One\n");
    const std::string first = source.commit();
    source.git({"tag", "--annotate", "--message", "t", "v1"});
    source.git({"branch", "stable"});
    source.write("team/orders/SKILL.md", std::string{front_matter} + "Two\n");
    const std::string second = source.commit();
    start();
    const std::string path = "team/orders";
    EXPECT_EQ(add(wanted(source.url(), path)).revision.str(), second);
    EXPECT_EQ(add(wanted(source.url(), path, "v1")).revision.str(), first);
    EXPECT_EQ(add(wanted(source.url(), path, "stable")).revision.str(), first);
    EXPECT_EQ(add(wanted(source.url(), path, first)).revision.str(), first);
    EXPECT_EQ(add(wanted(source.url(), path, "v2")).error, "reference_not_found");
    EXPECT_EQ(add(wanted(source.url(), "team/none")).error, "path_not_found");
    EXPECT_EQ(add(wanted(source.url(), "team/orders/SKILL.md")).error, "path_not_found");
    EXPECT_EQ(add(wanted(source.url())).error, "skill_file_missing");
    EXPECT_EQ(add(wanted(source.url() + "-not")).error, "repository_not_found");
}

// A pull that fails says so, and leaves what was pulled before in use.
// Proves: K1
TEST_F(SkillService, FailedPullsLeaveTheRevision) {
    const auto [source, commit] = make_good_source();
    start();
    const skill ready = add(wanted(source.url()));
    source.write("SKILL.md", "no front matter\n");
    source.commit();
    const skill failed = pull_again(ready);
    EXPECT_EQ(failed.state, skill_state::failed);
    EXPECT_EQ(failed.error, "skill_file_invalid");
    EXPECT_THAT(failed.error_detail, HasSubstr("SKILL.md"));
    EXPECT_EQ(failed.revision.str(), commit);
    EXPECT_TRUE(load(failed).has_value());
    source.write("SKILL.md", std::string{front_matter} + "Better\n");
    const std::string better = source.commit();
    const skill again = pull_again(ready);
    EXPECT_EQ(again.state, skill_state::ready);
    EXPECT_EQ(again.revision.str(), better);
    EXPECT_EQ(again.error, "");
}

// A reader that has looked a revision up goes on reading it while a newer one is pulled, however old it was: it grows old
// only from when it was replaced on.
// Proves: K1
TEST_F(SkillService, ReadersKeepWhatTheyHaveLookedUp) {
    const auto [source, first] = make_good_source();
    start();
    const skill ready = add(wanted(source.url()));
    const auto place = place_of(ready) / first;
    std::filesystem::last_write_time(place, std::filesystem::last_write_time(place) - 24h);
    const auto looked_up = load(ready);
    ASSERT_TRUE(looked_up.has_value());
    source.write("SKILL.md", std::string{front_matter} + "Second\n");
    const std::string second = source.commit();
    EXPECT_EQ(pull_again(ready).revision.str(), second);
    EXPECT_EQ(load(ready).value().document.body, "Second\n");
    EXPECT_EQ(load(ready, first).value().document.body, "First\n");
}

// What is neither current nor pinned nor young is pruned with the next pull; what is pinned stays.
// Proves: K1
TEST_F(SkillService, PrunesWhatNobodyNeeds) {
    const auto [source, first] = make_good_source();
    settings_.prune_grace = 0s;
    start();
    const skill ready = add(wanted(source.url()));
    pin(ready, first);
    std::vector<std::string> commits;
    for (const char* body : {"Second\n", "Third\n"}) {
        source.write("SKILL.md", std::string{front_matter} + body);
        commits.push_back(source.commit());
        pull_again(ready);
    }
    // The end of a pull is told before it has tidied up.
    EXPECT_TRUE(eventually([&] { return names_in(place_of(ready)).size() == 2; }));
    std::vector<std::string> kept{first, commits.back()};
    std::ranges::sort(kept);
    EXPECT_EQ(names_in(place_of(ready)), kept);
    EXPECT_EQ(load(ready, first).value().document.body, "First\n");
}

// A pinned revision that is missing is not ready, and no other takes its place; it is fetched by its commit.
// Proves: K1
TEST_F(SkillService, MissingRevisionsAreFetchedAndNeverReplaced) {
    const auto [source, first] = make_good_source();
    source.write("SKILL.md", std::string{front_matter} + "Second\n");
    source.commit();
    start();
    const skill ready = add(wanted(source.url()));
    pin(ready, first);
    EXPECT_EQ(load(ready, first).error(), skill_errc::not_ready);
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(place_of(ready) / first); }));
    EXPECT_EQ(load(ready, first).value().document.body, "First\n");
    // One that the repository does not have stays missing.
    const std::string unknown(40, '0');
    EXPECT_EQ(load(ready, unknown).error(), skill_errc::not_ready);
    EXPECT_EQ(load(ready, unknown).error(), skill_errc::not_ready);
}

// Of two workers that see the same wish at the same time one pulls; both can read what it pulled.
// Proves: K1, L1
TEST_F(SkillService, OneOfManyWorkersPulls) {
    const auto [source, commit] = make_good_source();
    play_git(
        "case \"$*\" in *' fetch '*) echo fetch >> '" + path_of("fetches") +
        "'; sleep 0.2;; esac\nexec /usr/bin/git \"$@\"\n"
    );
    start();
    start();
    const skill ready = add(wanted(source.url()));
    EXPECT_EQ(ready.revision.str(), commit);
    EXPECT_EQ(text_of("fetches"), "fetch\n");
    for (const auto& one : services_) {
        EXPECT_TRUE(must(one->load(ready.organization, ready.id, {})).revision == ready.revision);
    }
}

// A worker that stops in the middle of a pull leaves the wish: the next one makes the pull, and tidies up.
// Proves: K1
TEST_F(SkillService, WhatIsBrokenOffIsTakenUp) {
    const auto [source, commit] = make_good_source();
    play_git(
        "case \"$*\" in *' fetch '*) touch '" + path_of("begun") +
        "'; exec sleep 1000;; esac\n"
        "exec /usr/bin/git \"$@\"\n"
    );
    skill_service& first = start();
    const skill added = must(first.create(wanted(source.url()), {}, by()));
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(path_of("begun")); }));
    stop();
    ops::get_skill look{added.organization, added.id};
    EXPECT_EQ(must(store_->run(std::move(look))).state, skill_state::cloning);
    // As a kill would have left it.
    std::filesystem::create_directories(place_of(added) / ".staging-left/tree");
    settings_.git.program = "/usr/bin/git";
    start();
    EXPECT_EQ(pulled_one(added).revision.str(), commit);
    EXPECT_TRUE(eventually([&] { return names_in(place_of(added)).size() == 1; }));
    EXPECT_THAT(names_in(place_of(added)), ElementsAre(commit));
}

// A server that stalls costs the deadline and no more; git and what it started are gone with it.
// Proves: K1
TEST_F(SkillService, StallsEndAtTheDeadline) {
    const auto [source, commit] = make_good_source();
    play_git(
        "case \"$*\" in *' fetch '*) sleep 1000 & echo $$ > '" + path_of("pid") +
        "'; wait;; esac\nexec /usr/bin/git \"$@\"\n"
    );
    settings_.clone_timeout = 1s;
    start();
    const skill failed = add(wanted(source.url()));
    EXPECT_EQ(failed.state, skill_state::failed);
    EXPECT_EQ(failed.error, "clone_timed_out");
    const pid_t git = std::stoi(text_of("pid"));
    EXPECT_TRUE(eventually([&] { return !lives_in_group(git); }));
    EXPECT_TRUE(eventually([&] { return names_in(place_of(failed)).empty(); }));
}

// Credentials go to git in its environment, bound to the addresses that were asked about: never among its arguments.
// Proves: K1, X2
TEST_F(SkillService, CredentialsAreNoArguments) {
    play_git(
        "echo \"$@\" >> '" + path_of("arguments") + "'\nenv >> '" + path_of("environment") +
        "'\ncase \"$*\" in *' fetch '*) echo 'fatal: Authentication failed for x' >&2; exit 128;; "
        "esac\n"
    );
    ASSERT_TRUE(settings_.policy.allow_range("127.0.0.0/8"));
    start();
    skill one = wanted("https://127.0.0.1:8443/r");
    one.source.username = "reader";
    const skill failed = add(std::move(one), "hunter2");
    EXPECT_EQ(failed.error, "authentication_failed");
    EXPECT_THAT(failed.error_detail, Not(HasSubstr("hunter2")));
    EXPECT_THAT(failed.source.password, Not(HasSubstr("hunter2")));
    EXPECT_THAT(text_of("arguments"), HasSubstr("https://127.0.0.1:8443/r"));
    EXPECT_THAT(text_of("arguments"), Not(HasSubstr("hunter2")));
    EXPECT_THAT(text_of("arguments"), Not(HasSubstr("cmVhZGVyOmh1bnRlcjI=")));
    const std::string environment = text_of("environment");
    EXPECT_THAT(environment, HasSubstr("Authorization: Basic cmVhZGVyOmh1bnRlcjI="));
    EXPECT_THAT(environment, HasSubstr("127.0.0.1:8443:127.0.0.1"));
    EXPECT_THAT(environment, HasSubstr("GIT_ALLOW_PROTOCOL=https:file"));
    EXPECT_THAT(environment, Not(HasSubstr("SSH_")));
}

// Nothing is connected to that is not public, nor to folders of this machine where the operator has not let it.
// Proves: K1, X2
TEST_F(SkillService, AddressesAreAskedAbout) {
    const auto [source, commit] = make_good_source();
    play_git("echo \"$@\" >> '" + path_of("arguments") + "'\nexit 1\n");
    settings_.git.local = local_repositories::refused;
    start();
    for (const std::string& url :
         {source.url(),
          std::string{"https://127.0.0.1/r"},
          std::string{"https://localhost/r"},
          std::string{"https://[::1]/r"},
          std::string{"https://169.254.169.254/r"}}) {
        EXPECT_EQ(add(wanted(url)).error, "address_refused") << url;
    }
    EXPECT_EQ(text_of("arguments"), "");
}

// Without git nothing is pulled, and that is what is said.
// Proves: K1
TEST_F(SkillService, GitMayBeMissing) {
    const auto [source, commit] = make_good_source();
    settings_.git.program.clear();
    start();
    EXPECT_EQ(add(wanted(source.url())).error, "git_missing");
}

// A skill that is removed takes its revisions along, once they are old; one that is pinned stays.
// Proves: K1
TEST_F(SkillService, RemovedOnesGo) {
    const auto [source, commit] = make_good_source();
    settings_.prune_grace = 0s;
    skill_service& service = start();
    const skill ready = add(wanted(source.url()));
    pin(ready, commit);
    EXPECT_EQ(must(service.remove(ready.id, by())), ops::skill_deletion::pinned);
    ops::unpin_skill unpin{ready.organization, "execution", "e"};
    EXPECT_TRUE(must(store_->run(std::move(unpin))));
    EXPECT_EQ(must(service.remove(ready.id, by())), ops::skill_deletion::done);
    EXPECT_EQ(load(ready).error(), errc::not_found);
    // Whoever starts next finds a folder without a skill.
    stop();
    start();
    EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(place_of(ready)); }));
}

}  // namespace
}  // namespace convene
