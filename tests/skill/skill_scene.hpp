// SPDX-License-Identifier: Apache-2.0
// A worker with skills on the real loop, and repositories that git makes for it.
#pragma once

#include "convene/memory_store.hpp"
#include "convene/wait.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "skill/skill_service.hpp"
#include "store/operations/skills.hpp"
#include "support/temporary_folder.hpp"

namespace convene {

using namespace std::chrono_literals;

/// Longer than anything here takes on a busy machine.
inline constexpr auto patience = 100s;

inline constexpr const char* front_matter = "---\nname: orders\ndescription: Finds orders.\n---\n";

/// A repository that is pulled from.
class git_source {
   public:
    git_source(loop& where, std::filesystem::path folder)
        : where_(where), folder_(std::move(folder)) {
        std::filesystem::create_directories(folder_);
        git({"init", "--quiet", "--initial-branch=main"});
    }

    [[nodiscard]] std::string url() const { return "file://" + folder_.native(); }

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

    void write(const std::string& path, const std::string& content) const {
        std::filesystem::create_directories((folder_ / path).parent_path());
        std::ofstream{folder_ / path, std::ios::binary} << content;
    }

    /// What lies there now, as a commit.
    std::string commit() {
        git({"add", "--all"});
        return commit_staged();
    }

    std::string commit_staged() {
        git({"commit", "--quiet", "--allow-empty", "--message", "x"});
        return git({"rev-parse", "HEAD"});
    }

    /// What it says, without the end of its line.
    std::string git(std::vector<std::string> arguments, std::string input = {}) {
        child_command command;
        command.program = "/usr/bin/git";
        command.arguments = {"-c", "user.name=T", "-c", "user.email=t@example.com"};
        command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
        command.environment = {
            "PATH=/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"
        };
        command.folder = folder_;
        const auto said = where_.run_until_done(
            run_child(&where_, std::move(command), std::move(input), {})
        );
        EXPECT_TRUE(said && said->end.is_success()) << (said ? said->errors : "not started");
        std::string text = said ? said->output : "";
        while (text.ends_with('\n')) {
            text.pop_back();
        }
        return text;
    }

   private:
    loop& where_;
    const std::filesystem::path folder_;
};

class skill_scene : public testing::Test {
   protected:
    skill_scene() {
        settings_.folder = temporary_.path() / "skills";
        settings_.git.program = "/usr/bin/git";
        settings_.git.local = local_repositories::allowed;
        settings_.look_interval = 50ms;
    }

    ~skill_scene() override { stop(); }

    /// With the settings as they are by then.
    skill_service& start() {
        skill_service_parts parts;
        parts.where = &where_;
        parts.store = store_.get();
        parts.locks = locks_.get();
        parts.clock = &system_wall_clock();
        parts.random = &system_random();
        parts.secrets = &box_;
        services_.push_back(std::make_unique<skill_service>(parts, settings_));
        const auto prepared = where_.run_until_done(services_.back()->prepare());
        EXPECT_TRUE(prepared.has_value());
        services_.back()->start();
        return *services_.back();
    }

    void stop() {
        for (const auto& one : services_) {
            where_.run_until_done(one->stop());
        }
        services_.clear();
    }

    git_source& make_source(const std::string& name) {
        sources_.push_back(std::make_unique<git_source>(where_, temporary_.path() / name));
        return *sources_.back();
    }

    /// A repository with a good skill, and its commit.
    std::pair<git_source&, std::string> make_good_source() {
        git_source& source = make_source("good");
        source.write("SKILL.md", std::string{front_matter} + "First\n");
        source.write("scripts/find.sh", "#!/bin/sh\n");
        std::string commit = source.commit();
        return {source, std::move(commit)};
    }

    static audit_entry by() {
        audit_entry who;
        who.organization = organization_id{"acme"};
        return who;
    }

    static skill wanted(std::string url, std::string path = {}, std::string reference = {}) {
        skill made;
        made.organization = organization_id{"acme"};
        made.name = "Orders";
        made.source.url = std::move(url);
        made.source.path = std::move(path);
        made.source.reference = std::move(reference);
        return made;
    }

    template <class T>
    T must(awaitable<result<T>> work) {
        auto answer = where_.run_until_done(std::move(work));
        EXPECT_TRUE(answer.has_value()) << answer.error().message();
        return answer ? *std::move(answer) : T{};
    }

    /// As its pull has left it.
    skill pulled_one(const skill& one) {
        const deadline until{where_.now() + patience};
        skill found = must(services_.back()->wait_until_pulled(one.organization, one.id, until));
        EXPECT_NE(found.state, skill_state::cloning);
        return found;
    }

    skill add(skill one, std::string password = {}) {
        return pulled_one(must(services_.back()->create(std::move(one), std::move(password), by()))
        );
    }

    skill pull_again(const skill& one) {
        return pulled_one(must(services_.back()->want_pull(one.id, by())));
    }

    result<loaded_skill> load(const skill& one, const std::string& revision = {}) {
        return where_.run_until_done(
            services_.back()->load(one.organization, one.id, revision_id{revision})
        );
    }

    void pin(const skill& one, const std::string& revision) {
        ops::pin_skill request{{one.organization, "execution", "e", one.id, revision_id{revision}}};
        must(store_->run(std::move(request)));
    }

    [[nodiscard]] std::filesystem::path place_of(const skill& one) const {
        return settings_.folder / one.id.str();
    }

    [[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& folder) const {
        std::vector<std::string> names;
        for (const auto& one : std::filesystem::directory_iterator{folder}) {
            names.push_back(one.path().filename().native());
        }
        std::ranges::sort(names);
        return names;
    }

    /// A program that is started instead of git.
    void play_git(const std::string& script) {
        settings_.git.program = temporary_.path() / "played-git";
        std::ofstream{settings_.git.program} << "#!/bin/sh\n" << script;
        std::filesystem::permissions(settings_.git.program, std::filesystem::perms::owner_all);
    }

    [[nodiscard]] std::string text_of(const std::string& name) const {
        std::ifstream file{temporary_.path() / name};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    [[nodiscard]] std::string path_of(const std::string& name) const {
        return (temporary_.path() / name).native();
    }

    /// Waits for what only other tasks bring.
    bool eventually(std::function<bool()> holds) {
        return where_.run_until_done(wait_for(&where_, std::move(holds)));
    }

    temporary_folder temporary_;
    loop where_;
    skill_settings settings_;
    const secret_box box_{deployment_key{}};
    const std::unique_ptr<conversation_store> store_ = make_memory_store(system_wall_clock());
    const std::unique_ptr<lock_manager> locks_ = make_in_memory_lock_manager(where_);
    std::vector<std::unique_ptr<git_source>> sources_;
    std::vector<std::unique_ptr<skill_service>> services_;

   private:
    static awaitable<bool> wait_for(loop* where, std::function<bool()> holds) {
        const deadline until{where->now() + patience};
        while (!holds()) {
            if (until.has_passed(where->now())) {
                co_return false;
            }
            const result<> slept = co_await sleep_for(1ms);
            if (!slept) {
                co_return false;
            }
        }
        co_return true;
    }
};

}  // namespace convene
