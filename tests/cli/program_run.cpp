// SPDX-License-Identifier: Apache-2.0
// Program runs through posix_spawn, with files for the three streams.
#include "cli/program_run.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace convene {

namespace {

/// The folder to run in is the first argument of a shell that then becomes the program: posix_spawn itself
/// can't change folders everywhere.
constexpr const char* enter_and_run = "cd \"$1\" && shift && exec \"$@\"";

std::string read_whole(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

}  // namespace

program_folder::program_folder() {
    std::string name = std::filesystem::temp_directory_path() / "convene_cli_XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error{"no temporary folder"};
    }
    path_ = name;
}

program_folder::~program_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

program_end program_folder::run(std::vector<std::string> arguments, std::string_view standard_input)
    const {
    const std::filesystem::path in = path_ / ".in";
    const std::filesystem::path out = path_ / ".out";
    const std::filesystem::path err = path_ / ".err";
    std::ofstream{in, std::ios::binary} << standard_input;

    std::vector<std::string> command{
        "/bin/sh", "-c", enter_and_run, "sh", path_.native(), CONVENE_PROGRAM
    };
    command.insert(command.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : command) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    std::string database = "DB_URL=sqlite:///test.db";
    char* environment[] = {database.data(), nullptr};

    posix_spawn_file_actions_t streams;
    posix_spawn_file_actions_init(&streams);
    posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
    constexpr int replace = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&streams, STDOUT_FILENO, out.c_str(), replace, 0600);
    posix_spawn_file_actions_addopen(&streams, STDERR_FILENO, err.c_str(), replace, 0600);
    pid_t process = 0;
    const int spawned = ::posix_spawn(
        &process, argv[0], &streams, nullptr, argv.data(), environment
    );
    posix_spawn_file_actions_destroy(&streams);
    if (spawned != 0) {
        throw std::runtime_error{"the program can't be started"};
    }
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    program_end end;
    end.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end.out = read_whole(out);
    end.err = read_whole(err);
    return end;
}

}  // namespace convene
