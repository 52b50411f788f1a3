// SPDX-License-Identifier: Apache-2.0
// Other programs on the real loop: what they get, what they say, and that nothing of them is left.
#include "runtime/child_process.hpp"

#include "convene/wait.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.hpp"

namespace convene {
namespace {

using namespace std::chrono_literals;

/// Longer than anything here takes on a busy machine.
constexpr auto patience = 60s;

class ChildProcess : public testing::Test {
   protected:
    [[nodiscard]] static child_command shell(std::string script) {
        child_command command;
        command.program = "/bin/sh";
        command.arguments = {"-c", std::move(script)};
        command.environment = {"PATH=/usr/bin:/bin"};
        return command;
    }

    result<child_output> run(
        child_command command, std::string input = {}, child_output_limits limits = {}
    ) {
        auto running = run_child(&loop_, std::move(command), std::move(input), limits);
        return loop_.run_until_done(
            with_deadline(deadline{loop_.now() + patience}, std::move(running))
        );
    }

    /// Runs it and gives it up once it has written its file.
    result<child_output> give_up(child_command command, const std::filesystem::path& file) {
        return loop_.run_until_done(give_up_at(&loop_, std::move(command), file));
    }

    static awaitable<result<child_output>> give_up_at(
        loop* where, child_command command, std::filesystem::path file
    ) {
        cancel_source enough;
        task_scope beside{*where};
        beside.spawn("watch", request_when_there(&enough, std::move(file)));
        auto running = run_child(where, std::move(command), {}, {});
        auto ended = co_await cancelled_by(&enough, std::move(running));
        co_await beside.join();
        co_return ended;
    }

    static awaitable<void> request_when_there(cancel_source* told, std::filesystem::path file) {
        const coroutine_context context = co_await this_context();
        const deadline until{context.where->now() + patience};
        while (!std::filesystem::exists(file) && !until.has_passed(context.where->now())) {
            const result<> slept = co_await sleep_for(1ms);
            EXPECT_TRUE(slept.has_value());
        }
        told->request(errc::timed_out);
    }

    loop loop_;
    temporary_folder folder_;
};

// A program reads what it is given to its end, and both of its sides are heard, longer than any pipe holds.
TEST_F(ChildProcess, IsHeardToItsEnd) {
    const std::string much(300'000, 'x');
    const auto said = run(shell("cat; cat /dev/null; echo oh >&2; exit 3"), much);
    ASSERT_TRUE(said.has_value()) << said.error().message();
    EXPECT_EQ(said->output, much);
    EXPECT_EQ(said->errors, "oh\n");
    EXPECT_EQ(said->end, (child_end{3, 0}));
}

// It has the variables and the folder that it was given, and no descriptor but its three.
TEST_F(ChildProcess, GetsNothingOfOurs) {
    const std::filesystem::path open_here = folder_.path() / "open";
    const std::ofstream held{open_here};
    child_command command = shell("env; pwd; ls -l /proc/self/fd");
    command.environment.emplace_back("ONE=1");
    command.folder = folder_.path();
    const auto said = run(std::move(command));
    ASSERT_TRUE(said.has_value());
    EXPECT_THAT(said->output, testing::HasSubstr("ONE=1\n"));
    EXPECT_THAT(said->output, testing::HasSubstr(folder_.path().native() + "\n"));
    EXPECT_THAT(said->output, testing::Not(testing::HasSubstr("HOME=")));
    EXPECT_THAT(said->output, testing::Not(testing::HasSubstr(open_here.native())));
}

// What can't be started is told at once.
TEST_F(ChildProcess, TellsWhatCanNotBeStarted) {
    child_command command;
    command.program = folder_.path() / "nothing";
    EXPECT_EQ(run(command).error(), errc::not_found);
    command = shell("exit 0");
    command.folder = folder_.path() / "nowhere";
    EXPECT_EQ(run(command).error(), errc::not_found);
}

// A program that is given up is gone when that is known, with all that it started.
TEST_F(ChildProcess, IsGoneWithAllThatItStarted) {
    const std::filesystem::path file = folder_.path() / "pids";
    const auto ended = give_up(
        shell(
            "sleep 1000 & echo $! > '" + file.native() + ".new'; echo $$ >> '" + file.native() +
            ".new'; mv '" + file.native() + ".new' '" + file.native() + "'; wait"
        ),
        file
    );
    ASSERT_FALSE(ended.has_value());
    EXPECT_EQ(ended.error(), errc::timed_out);
    std::ifstream pids{file};
    pid_t grandchild = 0;
    pid_t child = 0;
    pids >> grandchild >> child;
    ASSERT_GT(grandchild, 0);
    EXPECT_EQ(::kill(child, 0), -1);
    // The killed grandchild may wait for whoever reaps orphans here: it is dead or gone.
    std::ifstream status{"/proc/" + std::to_string(grandchild) + "/stat"};
    std::string number;
    std::string name;
    std::string state{"gone"};
    status >> number >> name >> state;
    EXPECT_THAT(state, testing::AnyOf("gone", "Z", "X"));
}

// A program that ended by itself leaves nobody behind who keeps its pipes open.
TEST_F(ChildProcess, LeavesNobodyBehind) {
    const auto said = run(shell("sleep 1000 & echo started"));
    ASSERT_TRUE(said.has_value());
    EXPECT_EQ(said->output, "started\n");
    EXPECT_TRUE(said->end.is_success());
}

// Who says more than is allowed is ended; of errors the beginning is kept.
TEST_F(ChildProcess, IsBounded) {
    child_output_limits limits;
    limits.output_bytes = 1000;
    limits.error_bytes = 5;
    EXPECT_EQ(run(shell("exec cat /dev/zero"), {}, limits).error(), errc::payload_too_large);
    const auto said = run(shell("echo 1234567890 >&2; sleep 0"), {}, limits);
    ASSERT_TRUE(said.has_value());
    EXPECT_EQ(said->errors, "12345");
}

// No file of it grows beyond its limit.
TEST_F(ChildProcess, WritesNoLargerFile) {
    child_command command = shell("exec cat /dev/zero > large");
    command.folder = folder_.path();
    command.max_file_bytes = 4096;
    const auto said = run(std::move(command));
    ASSERT_TRUE(said.has_value());
    EXPECT_EQ(said->end, (child_end{0, SIGXFSZ}));
    EXPECT_EQ(std::filesystem::file_size(folder_.path() / "large"), 4096U);
}

// A child that reads nothing does not hold up its parent, nor end it.
TEST_F(ChildProcess, NeedNotReadItsInput) {
    const auto said = run(shell("exec 0<&-; echo done"), std::string(1'000'000, 'x'));
    ASSERT_TRUE(said.has_value());
    EXPECT_EQ(said->output, "done\n");
}

// Programs are looked for as a shell does, but never in the folder one happens to be in.
TEST_F(ChildProcess, AreFoundByName) {
    EXPECT_EQ(find_program("sh", "/nonexistent:/bin"), std::filesystem::path{"/bin/sh"});
    EXPECT_TRUE(find_program("sh", ".:").empty());
    EXPECT_TRUE(find_program("no-such-program", "/usr/bin:/bin").empty());
}

}  // namespace
}  // namespace convene
