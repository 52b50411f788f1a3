// SPDX-License-Identifier: Apache-2.0
// The program under measurement as a process of its own: started on a database, asked what it uses, stopped.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace convene {

inline constexpr std::string_view
    benchmark_token = "cvt_benchmarkbenchmarkbenchmarkbenchmarkbenchmark";

struct cpu_time {
    double user = 0;    ///< seconds
    double system = 0;  ///< seconds
};

/// A server that runs already.
struct server_process {
    std::uint16_t port = 0;
    pid_t process = -1;
};

/// `convene serve`, for as long as this lives. *Errors*: thrown.
class served_program {
   public:
    /// `settings`: variables of its environment, beside those of every benchmark.
    served_program(
        const std::filesystem::path& program,
        const std::string& database_url,
        const std::vector<std::pair<std::string, std::string>>& settings = {}
    );
    ~served_program();

    served_program(const served_program&) = delete;
    served_program& operator=(const served_program&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    [[nodiscard]] server_process running() const noexcept { return {port_, process_}; }

    /// KiB of memory that it holds.
    [[nodiscard]] double resident() const;

   private:
    std::uint16_t read_port();

    pid_t process_ = -1;
    std::FILE* output_ = nullptr;
    std::uint16_t port_ = 0;
};

/// Processor time of any process; zero for one that is gone.
[[nodiscard]] cpu_time cpu_time_of(pid_t process);

}  // namespace convene
