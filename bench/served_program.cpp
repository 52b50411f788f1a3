// SPDX-License-Identifier: Apache-2.0
// Served program: fork, exec, and what the system tells of a process.
#include "bench/served_program.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace convene {

namespace {

std::string read_all(const std::string& path) {
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace

cpu_time cpu_time_of(pid_t process) {
    const std::string line = read_all(fmt::format("/proc/{}/stat", process));
    if (line.empty()) {
        return {};
    }
    // Behind the name, which may hold anything, `utime` and `stime` are the 12th and 13th field.
    std::size_t at = line.rfind(')');
    for (int field = 0; field < 12; ++field) {
        at = line.find(' ', at + 1);
    }
    char* next = nullptr;
    const auto ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const double user = std::strtod(line.c_str() + at, &next);
    return {user / ticks_a_second, std::strtod(next, nullptr) / ticks_a_second};
}

served_program::served_program(
    const std::filesystem::path& program,
    const std::string& database_url,
    const std::vector<std::pair<std::string, std::string>>& settings
) {
    std::array<int, 2> said{};
    if (::pipe(said.data()) != 0) {
        throw std::runtime_error("no pipe for the server");
    }
    process_ = ::fork();
    if (process_ == 0) {
        ::dup2(said[1], STDOUT_FILENO);
        ::setenv("BOOTSTRAP_TOKEN", std::string{benchmark_token}.c_str(), 1);
        ::setenv("RATE_LIMIT_PER_TOKEN", "1000000", 1);
        ::setenv("LOG_LEVEL", "error", 1);
        ::setenv("DB_URL", database_url.c_str(), 1);
        for (const auto& [name, value] : settings) {
            ::setenv(name.c_str(), value.c_str(), 1);
        }
        ::execl(program.c_str(), "convene", "--port", "0", "serve", nullptr);
        ::_exit(127);
    }
    ::close(said[1]);
    output_ = ::fdopen(said[0], "r");
    port_ = read_port();
}

served_program::~served_program() {
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
    std::fclose(output_);
}

double served_program::resident() const {
    const std::string text = read_all(fmt::format("/proc/{}/status", process_));
    return std::strtod(text.c_str() + text.find("VmRSS:") + 6, nullptr);
}

std::uint16_t served_program::read_port() {
    std::array<char, 512> line{};
    if (std::fgets(line.data(), line.size(), output_) == nullptr) {
        throw std::runtime_error("the server did not start");
    }
    const std::string text{line.data()};
    return static_cast<std::uint16_t>(std::strtoul(text.c_str() + text.rfind(':') + 1, nullptr, 10)
    );
}

}  // namespace convene
